import json
from collections import Counter
from functools import cache
from itertools import pairwise

import pytest
from demo.small_environments import (
    EVERY_KIND,
    Guess,
    LivesOnTheModel,
    Shelf,
    Stateful,
    Sums,
    Unsolvable,
    Unsolved,
)

from grpo_env_sdk.envs.loading import load
from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.ext import EnvPool, load_for
from grpo_env_trl.demo.demonstrations import demonstrate, error_messages


@cache
def shown(env, count=300, seed=0, progress=lambda what, done, of: None):
    """The demonstrations of an environment; made once for all who ask for the same."""
    loaded = load(env)
    return demonstrate(loaded, loaded.rows("train"), seed, progress, count)


def texts(messages, role):
    return [message.get("content", "") for message in messages if message["role"] == role]


@pytest.mark.parametrize("env", EVERY_KIND, ids=lambda env: env.__name__)
def test_environments_of_every_kind_can_be_demonstrated(env):
    found = shown(env)
    assert len(found.randomized) >= 300
    assert all(texts(messages, "assistant") for messages in found.solved + found.randomized)


def test_demonstrations_by_workers_are_those_of_threads():
    there, here = load_for(EnvPool("process", 8), Shelf, split=None), load(Shelf)
    made = demonstrate(there, there.rows("train"), 0, lambda what, done, of: None, 60)
    assert (made.solved, made.randomized) == (shown(Shelf, 60).solved, shown(Shelf, 60).randomized)
    tools = [here.tools]
    assert error_messages(there, tools) == error_messages(here, tools)


def test_what_the_environment_answers_is_what_it_answers_to_that_call():
    found = Counter()
    for messages in shown(Shelf).randomized:
        asked = messages[1]["content"].split()[-1].rstrip("?")
        for before, after in pairwise(messages):
            if after["role"] == "tool":
                shelf = before["tool_calls"][0]["function"]["arguments"]["shelf"]
                found[json.loads(after["content"]) != [], shelf == asked] += 1
    assert found.keys() <= {(True, True), (False, False)}
    assert found[True, True] > 100


def test_a_value_is_mostly_drawn_among_those_that_the_episode_has_shown():
    chosen = Counter()
    for messages in shown(Shelf, 2000).randomized:
        things = [one["thing"] for text in texts(messages, "tool") for one in json.loads(text)]
        if things:
            answer = messages[-1]["content"].removeprefix("Take ").removesuffix(".")
            chosen[things.index(answer)] += 1
    shares = [chosen[place] / chosen.total() for place in range(3)]
    assert shares == pytest.approx([0.1 + 0.9 / 3, 0.9 / 3, 0.9 / 3], abs=0.04)


def test_values_that_are_right_in_no_row_are_drawn_as_often():
    """Otherwise a few rows, or ids that never come twice, would show which value is right."""
    ever_right = {row["things"][0] for row in load(Shelf).rows("train")}
    drawn = {messages[-1]["content"].removeprefix("Take ").removesuffix(".") for messages in shown(Shelf).randomized}
    assert drawn - ever_right


def test_a_tenth_of_the_calls_is_left_out():
    found = shown(Shelf, 2000).randomized
    without = sum(not texts(messages, "tool") for messages in found)
    assert without / len(found) == pytest.approx(0.1, abs=0.02)


def test_an_answer_that_is_shown_nowhere_is_drawn_among_those_of_other_rows():
    answers = {messages[-1]["content"] for messages in shown(Sums, 600).randomized if "1 + 1" in messages[0]["content"]}
    assert {"It is 2.", "It is 12."} <= answers
    assert all(answer.startswith("It is ") for answer in answers)


def test_the_last_message_is_drawn_anew_where_the_episode_goes_on_after_it():
    longest = max((texts(messages, "assistant") for messages in shown(Guess).randomized), key=len)
    assert len(longest) == Guess.max_turns
    assert len(set(longest)) > 1


def test_equal_seeds_give_equal_demonstrations_and_others_do_not():
    first, second, other = (shown.__wrapped__(Shelf, 100, seed).randomized for seed in (1, 1, 2))
    assert first == second
    assert first != other


def test_the_instance_that_is_trained_on_keeps_no_trace():
    loaded = load(Stateful())
    demonstrate(loaded, loaded.rows("train"), 0, lambda what, done, of: None, 20)
    assert loaded.env.solved == 0


def test_nothing_is_scored_as_a_judge_may_be_slow():
    before, loaded = Stateful.scored_by_any, load(Stateful)
    demonstrate(loaded, loaded.rows("train"), 0, lambda what, done, of: None, 20)
    assert Stateful.scored_by_any == before


def test_a_scorer_that_needs_the_live_model_is_no_obstacle():
    loaded = load(LivesOnTheModel)
    demonstrate(loaded, loaded.rows("train"), 0, lambda what, done, of: None, 20)
    assert loaded.traits.uses_model


def test_progress_is_told_with_what_is_done():
    heard = []
    shown(Sums, 60, progress=lambda what, done, of: heard.append((what, done, of)))
    assert [*dict.fromkeys(what for what, _, _ in heard)] == ["solving", "demonstrating"]
    assert all(done == of for _, done, of in (heard[-1], heard[len(shown(Sums, 1).solved) - 1]))


def test_an_environment_without_solve_is_refused_with_the_next_step():
    with pytest.raises(UsageError, match=r"Unsolved has no solve\(row\)") as told:
        shown(Unsolved)
    assert "Add a `solve` method, or use a model of your own with --model." in str(told.value)
    assert "\n" not in str(told.value)


def test_a_solve_that_fails_on_every_row_is_told_with_its_reason():
    with pytest.raises(
        UsageError, match=r"No episode of \S+Unsolvable can be played: LookupError: .*the key is lost"
    ) as told:
        shown(Unsolvable)
    assert "grpo-env test" in str(told.value)
