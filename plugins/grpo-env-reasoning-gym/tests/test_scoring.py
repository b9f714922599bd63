"""Where an answer is looked for, what it is worth, and what a dataset's own faults come to."""

import math
from fractions import Fraction

import pytest

from grpo_env_reasoning_gym.packing import packed, unpacked
from grpo_env_reasoning_gym.replies import REPLIES
from grpo_env_sdk import evaluate, load, make
from grpo_env_sdk.errors import EnvironmentFailedError, GrpoEnvError


def score(env, text, row=None):
    row = row or env.build_dataset(None)[0]
    return env.score_episode(None, None, [{"role": "assistant", "content": text}], **row)


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        ("<answer>7</answer>", "7"),
        ("It is <answer>6</answer>, no: <answer>\n7 </answer>.", "7"),
        ("Write <answer> and then it: <answer>7</answer>", "7"),
        ("<answer>1 2\n3 4</answer>", "1 2\n3 4"),
        ("<answer><answer>7</answer></answer>", "7"),
        ("7", None),
        ("<answer>7", None),
        ("7</answer>", None),
        ("<answer> </answer>", ""),
    ],
)
def test_the_answer_is_what_stands_between_the_last_tags(reply, found):
    assert REPLIES["tags"].find(reply) == found


@pytest.mark.parametrize(
    ("reply", "found"),
    [("so\nAnswer: 7", "7"), ("Answer: 6\nAnswer:\n1 2\n3 4", "1 2\n3 4"), ("7", None), ("Answer:", "")],
)
def test_or_what_follows_the_last_time_it_says_answer(reply, found):
    assert REPLIES["last_line"].find(reply) == found


def test_or_the_whole_reply_without_its_thoughts():
    env = make("rg/chain_sum-v1", size=1, answer_in="whole")
    row = env.build_dataset(None)[0]
    assert score(env, f"<think>6? no.</think>\n{row['answer']}", row) == 1.0
    assert score(env, "", row) == 0.0


@pytest.mark.parametrize("place", REPLIES)
def test_gold_is_written_where_the_prompt_asks_for_it(place):
    env = make("rg/chain_sum-v1", size=2, answer_in=place)
    for row in env.build_dataset(None):
        assert row["prompt"][0]["content"].endswith(REPLIES[place].asked_for)
        assert score(env, env.solve(row), row) == 1.0


def test_a_row_is_scored_alike_on_an_instance_that_never_built_it():
    for name in ("rg/graph_color-v1", "rg/codeio-v1"):  # keys that are numbers, tuples, numpy's numbers
        row = load(name, {"size": 3}).rows().row(2)
        env = make(name, size=1)
        assert score(env, env.solve(row), row) == 1.0


@pytest.mark.parametrize(
    "value",
    [(1, (2, "x")), {1: "a", 2.5: "b"}, {"(tuple)": [1]}, {"(dict)": []}, [None, True, 1.0, 1], {"": {(0, 1): ()}}],
)
def test_packing_keeps_types(value):
    assert repr(unpacked(packed(value))) == repr(value)


def test_what_no_text_can_hold_is_drawn_again_for_scoring(little):
    def draw(self, index):
        return {"question": f"Half of {index}?", "answer": "x", "metadata": {"half": Fraction(index, 2)}}

    def judge(self, answer, entry):
        return float(Fraction(answer) == entry["metadata"]["half"])

    cls = little(__getitem__=draw, score_answer=judge)
    row = cls(size=4).build_dataset(None)[3]
    assert row["item"] == ""
    assert score(cls(size=4), "<answer>3/2</answer>", row) == 1.0
    with pytest.raises(EnvironmentFailedError, match="creates another item 3 than when this row was built"):
        score(cls(size=4, answer_in="whole"), "3/2", row)


def test_a_scorer_cannot_change_the_row(little):
    def judge(self, answer, entry):
        entry["metadata"].clear()
        return 1.0

    env = little(score_answer=judge)(size=1)
    row = env.build_dataset(None)[0]
    before = dict(row)
    assert score(env, "<answer>7</answer>", row) == 1.0
    assert row == before


def test_a_scorer_that_raises_costs_its_episode_and_the_others_go_on(little):
    def judge(self, answer, entry):
        if entry["question"].endswith("x?"):
            raise ValueError("no such answer")
        return 1.0

    summary = evaluate(little(score_answer=judge), "gold", config={"size": 3}, split="all").summary
    assert (summary["episodes"], summary["scored"], summary["reward"]["mean"]) == (3, 1, 1.0)
    assert summary["stop_reasons"] == {"env_error": 2, "terminated": 1}


def test_a_score_that_is_nan_is_the_episodes_error(little):
    env = little(score_answer=lambda self, answer, entry: math.nan)(size=1)
    with pytest.raises(GrpoEnvError, match="nan"):
        score(env, "<answer>7</answer>")


def test_a_dataset_without_gold_has_no_solve_and_says_so(little):
    def draw(self, index):
        return {"question": f"Any number over {index}?", "answer": None, "metadata": {}}

    assert not load(little(__getitem__=draw)).traits.solvable
    assert load("rg/rush_hour-v1", {"size": 1}).traits.solvable is False
    assert load("rg/rubiks_cube-v1", {"size": 1}).traits.solvable is True


def test_a_question_that_is_none_is_told_with_its_item(little):
    def draw(self, index):
        return {"question": None if index else "Well?", "answer": "x", "metadata": {}}

    with pytest.raises(EnvironmentFailedError, match="created an item 1 whose question is None"):
        load(little(__getitem__=draw)).rows()


def test_a_generator_that_raises_is_told_with_its_item(little):
    def draw(self, index):
        return {"question": f"{1 / (2 - index)}?", "answer": "x", "metadata": {}}

    with pytest.raises(EnvironmentFailedError, match="could not create item 2: ZeroDivisionError"):
        load(little(__getitem__=draw)).rows()


def test_each_episode_tells_whether_there_was_an_answer():
    for policy, share in (("random", 0.0), ("gold", 1.0)):
        summary = evaluate("rg/chain_sum-v1", policy, config={"size": 5}, split="all").summary
        assert summary["metrics"]["answered"] == share
