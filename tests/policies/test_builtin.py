import asyncio
import itertools
import json
import threading

import pytest

from grpo_env_sdk import MultiTurnEnv, call_message, evaluate, load
from grpo_env_sdk.errors import GrpoEnvError, GrpoEnvWarning, UsageError
from grpo_env_sdk.policies import Request, UnusablePolicyError, make_policy
from grpo_env_sdk.policies.builtin import GoldPolicy
from grpo_env_sdk.rollout.commands import Limits
from grpo_env_sdk.types import Turn
from tests.environments import ALL, Countdown, Guess, Phonebook, PlainWithTools
from tests.policies.parrot import Parrot, played


def solved_by(solve, base=Parrot):
    """The environment with another solution."""
    return type(base.__name__, (base,), {"solve": solve})()


# Gold.


@pytest.mark.parametrize("env", ALL)
def test_gold_plays_a_text_a_list_and_a_generator(env, tmp_path):
    assert {episode.reward for episode in played(env, "gold", tmp_path / "run")} == {1.0}


@pytest.mark.parametrize("solve", [
    lambda self, row: row["said"],
    lambda self, row: {"role": "assistant", "content": row["said"]},
    lambda self, row: {"content": row["said"]},
    lambda self, row: [row["said"]],
    lambda self, row: ({"content": row["said"]},),
    lambda self, row: iter([row["said"]]),
], ids=["text", "message", "bare", "list", "tuple", "iterator"])  # fmt: skip
def test_a_solution_may_be_given_in_any_of_these_forms(solve, tmp_path):
    assert {episode.reward for episode in played(solved_by(solve), "gold", tmp_path / "run")} == {1.0}


def test_a_generator_is_sent_what_it_was_answered_and_may_return_the_last_message(tmp_path):
    seen = []

    def solve(self, row):
        answered = yield call_message("look_up", name=row["name"])
        seen.append(answered)
        return json.loads(answered[-1]["content"])["number"]

    episodes = played(solved_by(solve, Phonebook), "gold", tmp_path / "run", rows=3)
    assert {episode.reward for episode in episodes} == {1.0}
    assert all([message["role"] for message in answered] == ["tool"] for answered in seen)


def test_a_generator_sees_each_answer_once_also_those_of_several_calls_in_one_message(tmp_path):
    seen = []

    def solve(self, row):
        calls = [call_message("add", x=row["a"], y=y)["tool_calls"][0] for y in (2, 3)]
        seen.append((yield {"tool_calls": calls}))
        seen.append((yield call_message("add", x=0, y=0)))
        yield str(row["a"] + 2)

    (episode,) = played(solved_by(solve, PlainWithTools), "gold", tmp_path / "run", rows=1)
    assert [[message["content"] for message in answered] for answered in seen] == [["2", "3"], ["0"]]
    assert [call["error"] for call in episode.tool_calls] == [None, None, None]


def test_a_solution_that_is_over_before_the_episode_says_nothing_more(tmp_path):
    class Long(MultiTurnEnv):
        max_turns = 4

        def build_dataset(self, tokenizer):
            return [{"prompt": "Go."}]

        def step(self, action):
            return "on", 0.0, False, False, {}

    def returns(self, row):
        yield "one"
        return "two"

    for number, solve in enumerate([lambda self, row: ["one", "two"], returns]):
        (episode,) = played(solved_by(solve, Long), "gold", tmp_path / f"run{number}")
        said = [message["content"] for message in episode.messages if message["role"] == "assistant"]
        assert said == ["one", "two", "", ""]


def test_a_solution_without_end_is_played_as_far_as_the_episode_goes(tmp_path):
    class Endless(Guess):
        def solve(self, row):
            return itertools.repeat("16")

    assert {episode.stop_reason for episode in played(Endless, "gold", tmp_path / "run")} == {"max_turns"}


def test_an_environment_without_a_solution_ends_the_run_with_one_clear_line():
    class Unsolved:
        build_dataset, score_episode = Countdown.build_dataset, Countdown.score_episode
        starts = (2, 3)

    with pytest.raises(UsageError, match=r"Unsolved has no solve\(row\), so no gold answers\..* use another policy"):
        evaluate(Unsolved, "gold", split="all")
    with pytest.raises(UnusablePolicyError, match=r"Unsolved has no solve\(row\).* Add one, or use another policy\."):
        asyncio.run(GoldPolicy().respond(Request([], env=load(Unsolved).description)))


def test_a_solution_that_raises_costs_its_episode_and_shows_the_authors_frames(tmp_path):
    def solve(self, row):
        if row["said"] == "say 1.":
            raise KeyError("no way")
        return row["said"]

    def later(self, row):
        yield call_message("look_up", name=row["name"])
        raise KeyError("no way")

    episodes = played(solved_by(solve), "gold", tmp_path / "run", rows=3)
    assert [episode.reward for episode in episodes] == [1.0, None, 1.0]
    (in_turn_two,) = played(solved_by(later, Phonebook), "gold", tmp_path / "later", rows=1)
    for fault in (episodes[1].error, in_turn_two.error):
        assert (fault.type, fault.message) == ("KeyError", "'no way'")
        assert "test_builtin.py" in fault.traceback
        assert "grpo_env_sdk/" not in fault.traceback


@pytest.mark.parametrize(("returned", "told"), [
    (None, "Parrot.solve returned None. Return a text"),
    (7j, "Parrot.solve returned 7j. Return a text"),
    ([[7]], "got [7]"),
    ({"role": "user", "content": "x"}, "got {'content': 'x', 'role': 'user'}"),
])  # fmt: skip
def test_a_solution_that_is_none_is_an_error_with_the_value(returned, told, tmp_path):
    (episode,) = played(solved_by(lambda self, row: returned), "gold", tmp_path / "run", rows=1)
    assert episode.stop_reason == "policy_error"
    assert told in episode.error.message


@pytest.mark.parametrize("number", [0, 2.5])
def test_a_number_of_a_solution_is_said_as_its_text(number, tmp_path):
    def returned_at_the_end(self, row):
        return number
        yield

    for solve in (lambda self, row: number, lambda self, row: [number], returned_at_the_end):
        (episode,) = played(solved_by(solve), "gold", tmp_path / str(len(list(tmp_path.iterdir()))), rows=1)
        assert episode.completion[0]["content"] == str(number)


def test_a_solution_that_exits_costs_its_episode(tmp_path):
    def solve(self, row):
        raise SystemExit(3)

    (episode,) = played(solved_by(solve), "gold", tmp_path / "run", rows=1)
    assert episode.stop_reason == "policy_error"
    assert (episode.error.type, episode.error.message) == ("SystemExit", "3")


def test_a_solution_that_hangs_costs_its_episode(tmp_path):
    leave = threading.Event()

    def solve(self, row):
        if row["said"] == "say 1.":
            leave.wait(60)
        return row["said"]

    episodes = played(solved_by(solve), "gold", tmp_path / "run", rows=3, limits=Limits(policy_seconds=1.0))
    leave.set()
    assert [episode.stop_reason for episode in episodes] == ["terminated", "timeout", "terminated"]


def test_one_gold_policy_serves_several_runs_and_leaves_no_threads(tmp_path):
    before, policy = set(threading.enumerate()), GoldPolicy()
    for number in range(3):
        episodes = played(Parrot(80), policy, tmp_path / f"run{number}", concurrency=80)
        assert {episode.reward for episode in episodes} == {1.0}
    left = [thread for thread in threading.enumerate() if thread not in before and thread.name == "grpo-env pool"]
    for thread in left:
        thread.join(10)
    assert not any(thread.is_alive() for thread in left)


# Echo.


def test_echo_says_what_it_was_told(tmp_path):
    assert {episode.reward for episode in played(Parrot(), "echo", tmp_path / "run")} == {1.0}


def test_echo_gives_a_content_of_parts_as_json():
    parts = [{"type": "text", "text": "hi"}]
    turn = asyncio.run(make_policy("echo").respond(Request([{"role": "user", "content": parts}])))
    assert json.loads(turn.message["content"]) == parts


# Scripts.


def scripted(tmp_path, text):
    file = tmp_path / "answers.jsonl"
    file.write_text(text, encoding="utf-8")
    return f"scripted:{file}"


def test_a_script_gives_row_i_its_line_i_and_starts_over_after_the_last(tmp_path):
    spec = scripted(tmp_path, '"say 0."\n\n{"content": "say 1."}\n["say 2."]\n')
    with pytest.warns(GrpoEnvWarning, match=r"has 3 lines, and .*: row 3 of the .* gets line 1\.") as warned:
        rewards = [episode.reward for episode in played(Parrot(5), spec, tmp_path / "run")]
    assert rewards == [1.0, 1.0, 1.0, 0.0, 0.0]
    assert len(warned) == 1


def test_a_script_of_one_line_is_for_every_row(tmp_path):
    rewards = [episode.reward for episode in played(Parrot(3), scripted(tmp_path, '"say 1."'), tmp_path / "run")]
    assert rewards == [0.0, 1.0, 0.0]


def test_a_script_calls_tools_turn_by_turn_and_then_says_nothing(tmp_path):
    call = {"tool_calls": [{"function": {"name": "look_up", "arguments": '{"name": "Person0"}'}}]}
    spec = scripted(tmp_path, json.dumps([call, "100"]) + "\n\n" + json.dumps([call]))
    told = r"line 3 has 1 message, so the answers of row 1 are empty from turn 2 on"
    with pytest.warns(GrpoEnvWarning, match=told):
        first, second = played(Phonebook, spec, tmp_path / "run", rows=2)
    assert first.reward == 1.0
    assert second.messages[-1] == {"role": "assistant", "content": ""}


def test_a_script_may_hold_whatever_a_json_text_may(tmp_path):
    text = "line\u2028separator\x85next\u2029\x1c and 人"
    spec = scripted(tmp_path, json.dumps(text, ensure_ascii=False) + "\r\n")
    (episode,) = played(Parrot(1), spec, tmp_path / "run")
    assert episode.messages[-1]["content"] == text


@pytest.mark.parametrize(("text", "told"), [
    ("", r"answers\.jsonl has no lines\. Write one JSON string"),
    ("\n \n", r"answers\.jsonl has no lines\."),
    ('"x"\n{"content": ', r"answers\.jsonl:2 is not JSON: .* Write one JSON value per line\."),
    ("[" * 100_000, r"answers\.jsonl:1 is not JSON"),
    ("7", r"answers\.jsonl:1: .*got 7\. Each turn must be a text or an assistant message\."),
    ('"x"\n["y", null]', r"answers\.jsonl:2: .*got None\."),
    ('["x", {"tool": "buy"}]', r"answers\.jsonl:1 has a message with neither content nor tool_calls, only tool\."),
    ('{"role": "user", "content": "x"}', r"answers\.jsonl:1: .*'role': 'user'"),
])  # fmt: skip
def test_a_bad_script_is_one_clear_line_before_anything_runs(text, told, tmp_path):
    with pytest.raises(UsageError, match=told) as found:
        make_policy(scripted(tmp_path, text))
    assert "\n" not in str(found.value)


def test_a_script_that_cannot_be_read_is_one_clear_line(tmp_path):
    with pytest.raises(UsageError, match=r"none\.jsonl cannot be read: No such file or directory\. scripted:FILE"):
        make_policy(f"scripted:{tmp_path / 'none.jsonl'}")
    with pytest.raises(UsageError, match=r"cannot be read: Is a directory\."):
        make_policy(f"scripted:{tmp_path}")
    (tmp_path / "latin.jsonl").write_bytes(b'"caf\xe9"')
    with pytest.raises(UsageError, match=r"latin\.jsonl cannot be read: 'utf-8' codec"):
        make_policy(f"scripted:{tmp_path / 'latin.jsonl'}")


# Replays.


@pytest.mark.parametrize("env", ALL)
def test_a_replay_gives_the_recorded_rewards_and_messages(env, tmp_path):
    recorded = played(env, "random", tmp_path / "first", samples=2)
    again = played(env, f"replay:{tmp_path / 'first'}", tmp_path / "second", samples=2)
    assert [(e.reward, e.messages, e.stop_reason) for e in again] == [
        (e.reward, e.messages, e.stop_reason) for e in recorded
    ]


def test_a_replay_says_so_where_nothing_was_recorded(tmp_path):
    played(Parrot(), "gold", tmp_path / "first", rows=2)
    episodes = played(Parrot(), f"replay:{tmp_path / 'first'}", tmp_path / "second", rows=3)
    assert [episode.reward for episode in episodes] == [1.0, 1.0, None]
    assert episodes[2].error.type == "not_recorded"
    assert "no turn 0 of row 2, sample 0" in episodes[2].error.message


def test_a_replay_repeats_that_an_answer_was_cut_off(tmp_path):
    class CutOff:
        name = "cut-off"

        async def respond(self, request):
            return Turn({"role": "assistant", "content": "say"}, "length")

    (recorded,) = played(Parrot(1), CutOff(), tmp_path / "first")
    (again,) = played(Parrot(1), f"replay:{tmp_path / 'first'}", tmp_path / "second")
    assert (recorded.stop_reason, again.stop_reason) == ("length", "length")
    assert again.messages == recorded.messages


def test_a_replay_counts_the_tokens_and_stops_where_they_stopped_it(tmp_path):
    class Counting:
        name = "counting"

        async def respond(self, request):
            return Turn({"role": "assistant", "content": "16"}, "stop", 10, 7)

    limits = Limits(tokens=20)
    recorded = played(Guess, Counting(), tmp_path / "first", rows=2, limits=limits)
    again = played(Guess, f"replay:{tmp_path / 'first'}", tmp_path / "second", rows=2, limits=limits)
    assert [(episode.stop_reason, episode.turns) for episode in recorded] == [("max_tokens", 3)] * 2
    assert [(episode.messages, episode.usage, episode.stop_reason) for episode in again] == [
        (episode.messages, episode.usage, episode.stop_reason) for episode in recorded
    ]


def test_a_replay_of_what_is_no_run_is_one_clear_line(tmp_path):
    with pytest.raises(GrpoEnvError, match="There is no run"):
        make_policy(f"replay:{tmp_path / 'nothing'}")
