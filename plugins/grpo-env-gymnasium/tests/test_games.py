"""Environments that print, raise, draw from global chance or never end, and config that they do not take."""

import json
import random
import subprocess
import sys

import numpy
import pytest
from gymnasium import spaces

from grpo_env_gymnasium import GymnasiumEnv
from grpo_env_sdk import call_message, evaluate, load
from grpo_env_sdk.cli.info_command import describe
from grpo_env_sdk.errors import ConfigError, EnvironmentFailedError

RANGE = {"reward_range": [0, 3], "rows": 20}


def made(name, **config):
    return GymnasiumEnv(f"little_games:little/{name}-v0", **{**RANGE, **config})


def test_an_environment_of_a_module_of_ones_own_is_played(play):
    env = made("Counting")
    row = env.build_dataset(None)[0]
    assert "1: Count up" in row["prompt"][0]["content"]
    answered, info = play(env, row, ["ACTION: 1", "ACTION: wait", "up", "ACTION: 1"])
    assert answered == ["1\nreward 1", "1\nreward 0", "2\nreward 1", "3\nreward 1"]
    assert info["score"] == 1.0


def test_an_answer_without_an_action_costs_a_turn_and_is_told_why(play):
    env = made("Counting")
    row = env.build_dataset(None)[0]
    answered, _ = play(env, row, ["ACTION: 9", "I count up now", "ACTION: 0\nACTION: 1", "ACTION: 1"])
    assert answered[0] == "'9' is no action. End every answer with 'ACTION:' and the number of one action."
    assert answered[1].startswith("'I count up now' is no action.")
    assert answered[2].startswith("That is 2 actions: '0' and '1'. Take one.")
    assert answered[3] == "1\nreward 1"
    assert (env.turns, env.steps, env.turns_without_action()) == (4, 1, 3.0)


def test_an_episode_in_which_no_action_is_ever_named_is_broken_off(play):
    answered, info = play(made("Counting"), made("Counting").build_dataset(None)[0], ["hm"] * 20)
    assert len(answered) == 5
    assert info["score"] == 0.0


def test_turns_that_are_not_played_count_as_the_least(play):
    env = GymnasiumEnv("MountainCar-v0", rows=1)
    row = env.build_dataset(None)[0]
    _, info = play(env, row, ["ACTION: 1"] * 10 + ["I stop here."] * 5)
    assert env.episode_return() == -10.0
    assert info["score"] == 0.0


def test_calls_of_the_tool_are_checked_and_answered(play):
    env = made("Counting", action="tool")
    row = env.build_dataset(None)[0]
    twice = call_message("act", action="Count up")
    twice["tool_calls"] *= 2
    said = [call_message("act", action="Jump"), call_message("act"), call_message("do"), twice, "Count up",
            call_message("act", action="Count up")]  # fmt: skip
    env.reset(options=row)
    answered = [env.step(message)[0] for message in said[:4]]
    assert "is not one of" in answered[0][0]["content"]
    assert "'action' is a required property" in answered[1][0]["content"]
    assert "No tool named 'do'" in answered[2][0]["content"]
    assert [message["content"][:16] for message in answered[3]] == ["That is 2 calls."] * 2
    env.reset(options=row)
    assert env.step(said[4])[0] == "That is 0 calls. Call the tool act with one action a turn."
    assert env.step(said[5])[0][0]["content"] == "1\nreward 1"


def test_config_that_the_environment_does_not_take_is_told_with_its_own_names():
    with pytest.raises(ConfigError, match=r"no config 'gaol'. Did you mean 'goal'\? .* takes: goal, step_size\."):
        made("Counting", gaol=5)
    with pytest.raises(ConfigError, match="no config 'render_mode'"):
        made("Counting", render_mode="human")
    assert made("Counting", goal=5).game.env.unwrapped.goal == 5


def test_what_is_no_environment_is_told():
    with pytest.raises(ConfigError, match="cannot be imported: No module named 'no_such'"):
        GymnasiumEnv("no_such:Maze-v0")
    with pytest.raises(ConfigError, match="Did you mean: `FrozenLake`"):
        GymnasiumEnv("FrozneLake-v1")
    with pytest.raises(ConfigError, match="range of returns of little/Counting-v0 is not known"):
        GymnasiumEnv("little_games:little/Counting-v0")
    with pytest.raises(ConfigError, match=r"reward_range is \[1, 0\]"):
        made("Counting", reward_range=[1, 0])
    with pytest.raises(ConfigError, match="max_turns is 0"):
        made("Counting", max_turns=0)
    with pytest.raises(ConfigError, match="observations of little/Spaces-v0 cannot be written as text"):
        made("Spaces", observation=spaces.Box(0, 1, (100, 100)))


def test_an_environment_that_needs_a_display_is_refused_with_its_reason():
    with pytest.raises(EnvironmentFailedError, match="cannot be created: RuntimeError: No available video device"):
        made("NeedsDisplay")


def test_an_environment_that_raises_in_reset_is_the_error_of_its_episodes():
    summary = evaluate(made("Broken"), "random", rows=2, split="all").summary
    assert summary["stop_reasons"] == {"env_error": 2}
    assert summary["errors"] == {"environment reset: ValueError": 2}
    env = made("Broken")
    with pytest.raises(ValueError, match="the board is gone"):
        env.reset(options=env.build_dataset(None)[0])


def test_a_reward_that_is_no_number_is_the_error_of_its_episode():
    env = made("NotANumber")
    env.reset(options=env.build_dataset(None)[0])
    with pytest.raises(TypeError, match="gave the reward nan in step 1, for the action 1"):
        env.step("ACTION: 1")


def test_an_environment_that_never_ends_is_truncated(play):
    env = made("Endless", max_turns=7)
    answered, _ = play(env, env.build_dataset(None)[0], ["ACTION: 1"] * 99)
    assert len(answered) == 7
    assert made("Endless").max_turns == 100


def test_what_an_environment_prints_goes_to_stderr(play, capsys):
    env = made("Printing")
    play(env, env.build_dataset(None)[0], ["ACTION: 1"])
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", "a step is taken\n")


def test_what_is_printed_afterwards_is_printed_where_it_should_be(capsys):
    evaluate(made("Printing"), "random", rows=20, split="all", samples=3)
    print("the result")
    assert capsys.readouterr().out == "the result\n"


def test_global_chance_is_fenced_so_that_two_at_once_do_not_disturb_each_other(play):
    one, other = made("Dice", reward_range=[0, 8]), made("Dice", reward_range=[0, 8])
    rows = one.build_dataset(None)
    random.seed(5)
    numpy.random.seed(5)
    before = random.getstate(), numpy.random.get_state()[1].tolist()
    alone, _ = play(one, rows[0], ["ACTION: 1"] * 8)
    opening, _ = one.reset(options=rows[0])
    beside, _ = other.reset(options=rows[1])
    together = []
    for _ in range(8):
        together.append(one.step("ACTION: 1")[0])
        other.step("ACTION: 1")
    assert together == alone
    assert opening != beside
    assert (random.getstate(), numpy.random.get_state()[1].tolist()) == before


def test_an_environment_that_is_seeded_is_not_isolated():
    assert made("Counting").game._global_state is None
    assert made("Dice").game._global_state is not None


def test_a_renderer_and_a_parser_of_ones_own_take_a_few_lines(play):
    class Lake(GymnasiumEnv):
        def show(self, observation):
            return f"You stand on tile {observation} of 16."

        def read(self, text):
            return ["left", "down", "right", "up"].index(text.strip())

    env = Lake("FrozenLake-v1", is_slippery=False)
    answered, _ = play(env, env.build_dataset(None)[0], ["down", "jump"])
    assert answered[0] == "You stand on tile 4 of 16.\nreward 0"
    assert answered[1].startswith("'jump' is not in list")
    assert env.solve is None


def test_info_shows_the_id_as_given_and_not_as_asked_for():
    config = {item["name"]: item for item in describe(load("gym/FrozenLake-v1"))["config"]}
    assert (config["id"]["default"], config["id"]["required"]) == ("FrozenLake-v1", False)


def test_the_command_line_tells_wrong_config_in_one_line():
    config = json.dumps({"slippery": False})
    command = [sys.executable, "-m", "grpo_env_sdk", "info", "gym/FrozenLake-v1", "--env-config", config]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith("grpo-env: gym/FrozenLake-v1 has no config 'slippery'. Did you mean 'is_slippery'?")
