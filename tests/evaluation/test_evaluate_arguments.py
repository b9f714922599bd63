"""What a call of `evaluate` takes: mistakes are one clear error before anything runs, and episodes come back."""

import numpy
import pytest

from grpo_env_sdk import Limits, Sampling, evaluate, load, open_run
from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.evaluation.evaluate import Evaluator
from grpo_env_sdk.evaluation.metrics import Prices
from grpo_env_sdk.evaluation.plan import EvalPlan, manifest_of
from grpo_env_sdk.evaluation.resuming import resume
from grpo_env_sdk.isolation.calls.async_calls import run_coroutine
from grpo_env_sdk.policies.make import PolicySpec
from tests.environments import Countdown, Guess


class NeverBuilt:
    """An environment that no mistaken call may construct."""

    def __init__(self):
        raise AssertionError("constructed")

    def build_dataset(self, tokenizer):
        raise AssertionError("built")

    def score_episode(self, model, tokenizer, completion):
        raise AssertionError("scored")


MISTAKES = {
    "a misspelt name": ({"sample": 2}, ["'sample'", "Did you mean 'samples'?"]),
    "a name of the command line": ({"model": "gold"}, ["'model'", "policy"]),
    "no samples": ({"samples": 0}, ["samples must be at least 1", "0"]),
    "samples as text": ({"samples": "2"}, ["samples must be a whole number", "'2'"]),
    "samples as a flag": ({"samples": True}, ["samples must be a whole number", "True"]),
    "less than no rows": ({"rows": -1}, ["rows must be at least 1", "-1"]),
    "rows in words": ({"rows": "few"}, ["rows must be a whole number", "'few'"]),
    "no row by index": ({"rows": []}, ["list of row indices", "[]"]),
    "a row before the first": ({"rows": [3, -1]}, ["list of row indices", "[3, -1]"]),
    "a list of lists": ({"rows": [[1]]}, ["list of row indices", "[[1]]"]),
    "an answer as a row": ({"rows": [True]}, ["list of row indices", "[True]"]),
    "half a row": ({"rows": 0.5}, ["rows must be a whole number", "0.5"]),
    "nothing at once": ({"concurrency": 0}, ["concurrency must be at least 1", "0"]),
    "limits in a dict": ({"limits": {"turns": 3}}, ["{'turns': 3}", "limits=Limits(turns=5)"]),
    "empty limits in a dict": ({"limits": {}}, ["{}", "limits=Limits("]),
    "sampling in a dict": ({"sampling": {"seed": 3}}, ["{'seed': 3}", "sampling=Sampling("]),
    "one for the other": ({"limits": Sampling()}, ["limits must be Limits", "Sampling("]),
    "an unknown split": ({"split": "tset"}, ["'tset'", "Did you mean 'test'?"]),
    "a split that is nothing like one": ({"split": None}, ["None", "train, test, all"]),
    "prices by name": ({"prices": {"prompt": 1.0}}, ["two numbers", "prices=(0.15, 0.60)"]),
    "one price": ({"prices": (1.0,)}, ["two numbers", "(1.0,)"]),
    "a price below 0": ({"prices": Prices(1.0, -2.0)}, ["prices must be at least 0", "-2.0"]),
    "a temperature below 0": ({"sampling": Sampling(temperature=-1)}, ["temperature must be at least 0", "-1"]),
    "a share above 1": ({"sampling": Sampling(top_p=2)}, ["top_p must be from 0 to 1", "2"]),
    "a share in words": ({"max_errors": "half"}, ["max_errors must be a finite number", "'half'"]),
    "a pass in words": ({"pass_at": "best"}, ["pass_at must be a finite number", "'best'"]),
    "a number as the folder": ({"out": 3}, ["out must be the path of a folder", "3"]),
    "a run to go on with that is nowhere": ({"resume": True}, ["resume=True needs out"]),
    "a policy that cannot answer": ({"policy": Countdown()}, ["Countdown", "respond(request)"]),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_in_the_call_is_one_line_and_nothing_runs(mistake):
    arguments, told = MISTAKES[mistake]
    with pytest.raises(UsageError) as caught:
        evaluate(NeverBuilt, **arguments)
    message = str(caught.value)
    assert "\n" not in message
    assert [words for words in told if words not in message] == []


def test_every_field_of_a_plan_can_be_given():
    import inspect

    names = set(inspect.signature(evaluate).parameters)
    assert set(EvalPlan.__dataclass_fields__) <= names


def test_the_manifest_of_a_loop_of_ones_own_names_the_policy_that_answered():
    class Engine:
        name = "my-engine"

    manifest = manifest_of(load(Countdown), EvalPlan(), 2, "hash", policy=Engine())
    assert (manifest["policy"], manifest["policy_object"]) == ("my-engine", True)
    assert manifest_of(load(Countdown), EvalPlan(), 2, "hash", policy=places)["policy"] == "places"


def places(episodes):
    return [(episode.row_index, episode.sample) for episode in episodes]


def test_rows_are_chosen_by_their_indices_in_their_order_and_a_run_goes_on_with_them(tmp_path):
    found = evaluate(Guess, "gold", split="all", rows=[9, numpy.int64(3), 9], samples=2, out=tmp_path / "run")
    assert places(found.episodes) == [(row, sample) for row in (3, 9) for sample in range(2)]
    manifest = open_run(tmp_path / "run").manifest
    assert (manifest["rows"], manifest["plan"]["rows"], manifest["plan"]["row_indices"]) == (2, None, [9, 3])
    lines = (tmp_path / "run/episodes.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "run/episodes.jsonl").write_text("".join(lines[:1]))
    (tmp_path / "run/grpo_env_seal.json").unlink()
    evaluator, writer = resume(str(tmp_path / "run"), env="tests.environments:Guess", model="gold")
    with writer:
        again = run_coroutine(evaluator.run(writer))
    assert places(again.episodes) == places(found.episodes)


def test_a_row_that_the_split_lacks_is_named():
    with pytest.raises(UsageError, match=r"Not among these 15 rows: 15, 99.*'all'"):
        evaluate(Guess, "gold", split="all", rows=[3, 15, 99])


@pytest.mark.parametrize("kept", ["in memory", "in a run"])
def test_the_episodes_come_back_in_the_order_of_rows_and_samples(kept, tmp_path):
    out = tmp_path / "run" if kept == "in a run" else None
    found = evaluate(Guess, "random", split="all", rows=7, samples=3, concurrency=5, out=out)
    assert places(found.episodes) == [(row, sample) for row in range(7) for sample in range(3)]
    assert {episode.env for episode in found.episodes} == {found.env}
    mean = sum(episode.reward for episode in found.episodes) / 21
    assert mean == pytest.approx(found.summary["reward"]["mean"])


def test_a_run_keeps_the_episodes_on_disk_until_they_are_asked_for(tmp_path):
    found = evaluate(Guess, "gold", split="all", out=tmp_path / "run")
    assert found.kept is None
    assert "episodes" not in vars(found)
    assert len(found.episodes) == found.summary["episodes"] == 15


def test_an_evaluator_keeps_no_episodes_of_its_own():
    from grpo_env_sdk import load

    found = run_coroutine(Evaluator(load(Guess), EvalPlan(policy=PolicySpec("gold"))).run(None))
    with pytest.raises(UsageError, match="kept no episodes"):
        _ = found.episodes


def test_failed_episodes_are_among_them():
    class Broken(Guess):
        def step(self, action):
            raise KeyError("secret")

    episodes = evaluate(Broken, "gold", split="all").episodes
    assert [episode.error.type for episode in episodes] == ["KeyError"] * 15


def test_limits_sampling_and_prices_are_used():
    found = evaluate(Guess, "random", split="all", limits=Limits(turns=1), sampling=Sampling(seed=4), prices=(1.0, 2.0))
    assert {episode.turns for episode in found.episodes} == {1}
    again = evaluate(Guess, "random", split="all", limits=Limits(turns=1), sampling=Sampling(seed=4))
    assert [episode.messages for episode in found.episodes] == [episode.messages for episode in again.episodes]
