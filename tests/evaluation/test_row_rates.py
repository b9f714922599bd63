"""How a policy did on each row of a run: what counts, and which runs cannot say."""

import json
from pathlib import Path

import pytest

from grpo_env_sdk import evaluate, load
from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.evaluation.row_rates import row_rates
from tests.environments import Countdown
from tests.images.pictures import Colours


class Lengths:
    """Scores the length of an answer, which has no end."""

    reward_range = (0.0, float("inf"))

    def __init__(self, first="Say something"):
        self.first = first

    def build_dataset(self, tokenizer):
        return [{"prompt": f"{self.first if not number else 'Say'} {number}.", "number": number} for number in range(4)]

    def score_episode(self, model, tokenizer, completion):
        return len(completion) / 2


def often(request):
    """Solves the first row always, the second every other time, and no other one."""
    start = request.row["start"]
    solved = start == 2 or (start == 3 and request.sample % 2)
    return " ".join(map(str, range(start, 0, -1))) if solved else "no"


@pytest.fixture
def countdown(tmp_path):
    """The run of four samples of five rows."""
    return evaluate(Countdown, often, split="all", rows=5, samples=4, out=tmp_path / "run")


def edited(run, change):
    """The run with each line of its episodes changed, or left out where that is None."""
    file = Path(run, "episodes.jsonl")
    lines = [change(json.loads(line)) for line in file.read_text().splitlines()]
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines if line))
    return run


def test_a_pass_rate_is_the_share_of_samples_with_the_highest_reward(countdown):
    found = row_rates(countdown.run)
    assert found.by_row == {0: 1.0, 1: 0.5, 2: 0.0, 3: 0.0, 4: 0.0}
    assert (found.name, found.samples, found.unscored) == ("pass rate", 4, frozenset())
    assert found.within(0.5, 1) == [0, 1]
    assert found.within(0.1, 0.9) == [1]
    assert found.within(0, 0) == [2, 3, 4]
    assert countdown.summary["pass_at_k"]["1"] == pytest.approx(sum(found.by_row.values()) / 5)


@pytest.mark.parametrize(("pass_at", "name", "rates"), [
    (None, "mean reward", [1.0, 1.0, 1.0, 1.0]), (1.0, "pass rate", [1.0] * 4), (1.5, "pass rate", [0.0] * 4),
])  # fmt: skip
def test_without_a_highest_reward_it_is_the_mean_reward_unless_a_pass_was_set(pass_at, name, rates):
    found = row_rates(evaluate(Lengths, lambda request: "ok", split="all", pass_at=pass_at))
    assert (found.name, [*found.by_row.values()]) == (name, rates)


def test_samples_without_a_reward_do_not_count_and_rows_without_any_are_named(countdown):
    def without(line):
        lost = line["row_index"] == 2 or (line["row_index"] == 1 and line["sample"] % 2)
        return line | ({"reward": None, "rewards": {}} if lost else {})

    found = row_rates(edited(countdown.run, without))
    assert found.by_row.keys() == {0, 1, 3, 4}
    assert found.by_row[1] in (0.0, 1.0)
    assert found.unscored == {2}


def test_a_run_that_is_not_finished_says_how_to_finish_it(countdown):
    edited(countdown.run, lambda line: line if line["row_index"] != 4 else None)
    with pytest.raises(UsageError, match=r"run is not finished: 4 episodes not played yet\. Finish it: evaluate\("):
        row_rates(countdown.run)


def test_a_run_without_rewards_and_a_training_have_no_rates(countdown):
    edited(countdown.run, lambda line: line | {"reward": None, "rewards": {}})
    with pytest.raises(UsageError, match="no episode with a reward"):
        row_rates(countdown.run)
    manifest = countdown.run / "manifest.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"training": {}}))
    with pytest.raises(UsageError, match=r"is a training, .* Take a run of `grpo-env eval`"):
        row_rates(countdown.run)


def test_a_row_with_another_content_is_named(tmp_path):
    found = row_rates(evaluate(Lengths, lambda request: "ok", split="all", out=tmp_path / "run"))
    found.check_contents(load(Lengths).rows("all"))
    changed = load(Lengths, {"first": "Please say"}).rows("all")
    found.check_contents(changed.only([1, 2, 3]))
    with pytest.raises(UsageError, match=r"Row 0 has another content than in .*run"):
        found.check_contents(changed)


@pytest.mark.parametrize("form", ["column", "columns", "parts", "places"])
def test_rows_with_images_are_compared_by_their_pictures(form, tmp_path):
    found = row_rates(evaluate(Colours, "gold", config={"form": form}, split="all", out=tmp_path / "run"))
    same = load(Colours, {"form": form}).rows("all")
    found.check_contents(same)
    row_rates(evaluate(Colours, "gold", config={"form": form}, split="all")).check_contents(same)
    other = "columns" if form == "column" else "column"
    with pytest.raises(UsageError, match="Row 0 has another content"):
        found.check_contents(load(Colours, {"form": other}).rows("all"))
