import json
import re
from pathlib import Path

import pytest
from grpo_env_sdk import call_message
from gymnasium.utils.env_checker import check_env

from grpo_env_hotel import HotelEnv
from grpo_env_hotel.gold import calls_needed
from grpo_env_hotel.wording import RULES
from grpo_env_hotel.world import DIFFICULTIES

README = Path(__file__).parent.parent / "README.md"


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_the_gold_solution_scores_one_on_every_row(difficulty, play, rows_of):
    env = HotelEnv(difficulty)
    for row in rows_of(difficulty) + rows_of(difficulty, "train")[:200]:
        score, parts = play(env, row, env.solve(row))
        assert score == 1.0, (row, parts)
        answered = [message for message in env.messages if message["role"] == "tool"]
        assert len(answered) == calls_needed(env.desk.world, env.request)
        assert env.turns < env.max_turns


@pytest.mark.parametrize("difficulty", ["easy", "hard"])
def test_gymnasium_finds_nothing_wrong(difficulty):
    check_env(HotelEnv(difficulty), skip_render_check=True)


def test_an_episode_needs_only_the_row_and_no_dataset(play, rows_of):
    row = json.loads(json.dumps(rows_of("hard")[1]))
    assert play(HotelEnv("hard"), row, HotelEnv("hard").solve(row))[0] == 1.0


def test_episodes_side_by_side_do_not_disturb_each_other(rows_of):
    row = rows_of("easy")[0]
    one, other = HotelEnv(), HotelEnv()
    solutions = [(env, env.solve(row)) for env in (one, other)]
    for env, _ in solutions:
        env.reset(options=row)
    messages = [next(solution) for _, solution in solutions]
    for _ in range(2):
        seen = [env.step(message)[0] for (env, _), message in zip(solutions, messages, strict=True)]
        messages = [solution.send(told) for (_, solution), told in zip(solutions, seen, strict=True)]
    booked = one.desk.bookings[0].hotel
    assert one.desk.rooms_left(booked) == other.desk.rooms_left(booked) == booked.rooms - 1
    for (env, _), message in zip(solutions, messages, strict=True):
        assert env.step(message)[4]["score"] == 1.0


def test_a_new_episode_begins_with_nothing_booked(play, rows_of):
    row = rows_of("easy")[0]
    env = HotelEnv()
    play(env, row, env.solve(row))
    env.reset(options=row)
    assert not env.desk.bookings
    assert not env.desk.searched


def test_a_stored_transcript_scores_again_as_it_did(play, rows_of):
    row = rows_of("normal")[0]
    env = HotelEnv("normal")
    score, _ = play(env, row, env.solve(row))
    completion = json.loads(json.dumps(env.messages[len(row["prompt"]) :]))
    assert HotelEnv("normal").score_episode(None, None, completion, row=row) == score


def test_an_episode_ends_at_max_turns_and_is_scored(rows_of):
    env = HotelEnv(max_turns=1)
    env.reset(options=rows_of("easy")[0])
    _, reward, terminated, truncated, info = env.step(call_message("search_hotels", city="Lyon"))
    assert (reward, terminated, truncated, info["stop_reason"]) == (0.0, False, True, "max_turns")


def test_the_code_in_the_readme_runs_and_prints_what_it_says(capsys):
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    for block in blocks:
        exec(block, {})
        expected = "".join(f"{line}\n" for line in re.findall(r"# prints (.*)", block))
        assert capsys.readouterr().out == expected


def test_the_readme_quotes_the_rules_as_they_are():
    assert RULES in " ".join(README.read_text(encoding="utf-8").replace("\n> ", " ").split())
