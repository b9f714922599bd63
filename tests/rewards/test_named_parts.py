"""A reward that returns several named values: each is a part with its own weight."""

import json

import pytest

from grpo_env_sdk import SingleTurnEnv, evaluate, load, reward
from grpo_env_sdk.checking.runner.check_env import check_env
from grpo_env_sdk.cli import main
from grpo_env_sdk.errors import ConfigError, ContractError
from grpo_env_sdk.rewards import AdaptiveWeight, Reward, length


class Graded(SingleTurnEnv):
    """Say a number; one grader gives the format and the answer."""

    rewards = (length(1, 10, weight=0.5),)

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Say {number}.", "answer": str(number)} for number in range(10, 30)]

    @reward(parts={"format": 0.5, "right": 2.0})
    def grade(self, completion, answer):
        return {"right": completion == answer, "format": completion.isdecimal()}

    def solve(self, row):
        return row["answer"]


class Answering(SingleTurnEnv):
    """Returns what its config says."""

    def __init__(self, gives: object = None):
        self.gives = gives

    def build_dataset(self, tokenizer):
        return [{"prompt": "Go."}]

    @reward(parts={"format": 0.2, "right": 1.0})
    async def grade(self):
        return self.gives


def test_each_value_is_a_part_with_its_weight():
    found = evaluate(Graded, "echo", split="all", rows=1)
    [episode] = found.episodes
    assert episode.rewards == {"format": 0.0, "right": 0.0, "length": 1.0}
    assert episode.reward == pytest.approx(0.5 / 3)
    parts = load(Graded).description.score_rule.parts
    assert [(part.name, part.weight) for part in parts] == [("format", 0.5), ("right", 2.0), ("length", 0.5)]
    assert evaluate(Graded, "gold", split="all").summary["rewards"]["right"]["mean"] == 1.0


def test_commands_show_the_parts(capsys):
    assert main(["info", f"{__name__}:Graded", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)["rewards"]
    assert shown == [
        {"name": "format", "weight": 0.5}, {"name": "right", "weight": 2.0}, {"name": "length", "weight": 0.5},
    ]  # fmt: skip


def test_the_checks_of_rewards_look_at_the_parts():
    report = check_env(Graded, select="G510,S203,G5", env_pool="thread", effort="quick", rows=8)
    assert not [finding for finding in report.findings if finding.severity == "error"]


@pytest.mark.parametrize(("value", "hint"), [
    (-30.0, "declare reward_range = (-4.17, 1) on the class"),
    (-3.0, "declare range=(-3, 1), which all parts of this reward share"),
])  # fmt: skip
def test_the_range_of_a_part_is_one_that_other_parts_may_have(value, hint):
    config = {"gives": {"format": value, "right": 1}}
    [finding] = check_env(Answering, config=config, select="S203", env_pool="thread", effort="quick").findings
    assert f"The reward 'format' of {value:g}" in finding.message
    assert hint in finding.hint


@pytest.mark.parametrize(("gives", "parts", "score"), [
    ({"format": 1, "right": 0.5}, {"format": 1.0, "right": 0.5}, 0.7 / 1.2),
    ({"format": None, "right": 0.5}, {"format": None, "right": 0.5}, 0.5),
    (None, {"format": None, "right": None}, None),
])  # fmt: skip
def test_none_leaves_a_part_out(gives, parts, score):
    [episode] = evaluate(Answering, "echo", config={"gives": gives}, split="all").episodes
    assert episode.rewards == parts
    assert episode.reward == (score if score is None else pytest.approx(score))


@pytest.mark.parametrize(("gives", "told"), [
    ({"format": 1}, "no value for right"), ({"format": 1, "rigth": 1, "right": 0}, "Did you mean 'right'?"),
    (0.5, "returned 0.5 (float), not a dict of its parts"), ({"format": "x", "right": 1}, "'format' returned 'x'"),
])  # fmt: skip
def test_other_names_and_values_are_one_clear_line(gives, told):
    [episode] = evaluate(Answering, "echo", config={"gives": gives}, split="all").episodes
    assert (episode.error.type, episode.error.stage) == ("ScoreError", "score")
    assert told in episode.error.message
    assert "\n" not in episode.error.message


@pytest.mark.parametrize("parts", [{}, ["format"], {"format": "high"}, {"format": float("nan")}, {1: 1.0}, {"": 1}])
def test_weights_are_checked_where_they_are_declared(parts):
    with pytest.raises(ContractError, match=r"The parts of 'grade' are .*parts=\{\"format\": 0.2"):
        Reward(print, "grade", parts=parts)


def test_a_name_may_occur_once_in_all_rewards_together():
    class Twice(Graded):
        @reward
        def right(self):
            return 1.0

    with pytest.raises(ContractError, match="two rewards named 'right'"):
        load(Twice)


def test_a_weight_that_moves_needs_one_value():
    with pytest.raises(ConfigError, match="'grade' has parts"):
        AdaptiveWeight(Graded.grade)
