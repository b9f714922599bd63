"""Runs with episodes of several environments, as a training of several writes them."""

import json

import pytest

from grpo_env_sdk import Episode
from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.evaluation.compare import compare
from grpo_env_sdk.evaluation.metrics import Metrics
from grpo_env_sdk.registry.foreign import check_origin
from grpo_env_sdk.runs.one_environment import one_environment
from grpo_env_sdk.runs.reading import RunError, open_run
from grpo_env_sdk.runs.writing import create_run
from grpo_env_sdk.viewing.index import RunIndex

AGAIN = "grpo-env rescore RUN --env {}"


def record(env, row, reward):
    messages = [{"role": "user", "content": "-"}, {"role": "assistant", "content": "+"}]
    return Episode(env=env, row={"prompt": "-"}, row_index=row, seed=1, messages=messages, opening=1,
                   stop_reason="terminated", reward=reward)  # fmt: skip


@pytest.fixture
def run(tmp_path):
    """A run of `a-v1` and `b-v1`, both with a row 0."""
    manifest = {
        "format": "run-v1", "env": "a-v1=2 b-v1=1", "config": {}, "rows": 5, "samples": 1, "created": "2026-01-01",
        "environments": {"a-v1": {"weight": 2, "rows": 2, "config": {"x": 1}}, "b-v1": {"weight": 1, "rows": 3}},
    }  # fmt: skip
    with create_run(tmp_path / "run", manifest) as writer:
        for one in (record("a-v1", 0, 1.0), record("b-v1", 0, 0.0), record("b-v1", 1, 0.5)):
            writer.append(one)
    return open_run(tmp_path / "run")


def test_the_part_of_one_environment_is_a_run_of_it(run):
    part = one_environment(run, "a-v1", AGAIN)
    assert (part.manifest["env"], part.manifest["rows"], part.manifest["config"]) == ("a-v1", 2, {"x": 1})
    assert part.environments == ["a-v1"]
    assert [(episode.env, episode.row_index) for episode in part.episodes()] == [("a-v1", 0)]
    assert part.own
    assert one_environment(part, "a-v1", AGAIN) is part


def test_what_is_written_later_is_not_in_a_run_as_of_now(run):
    now, part = run.as_of_now(), one_environment(run, "b-v1", AGAIN).as_of_now()
    with (run.path / "episodes.jsonl").open("ab") as file:
        file.write(next(line for line, episode in run.lines() if episode.env == "b-v1"))
    assert [len(list(one.episodes())) for one in (run, now, part)] == [4, 3, 2]
    (run.path / "episodes.jsonl").unlink()
    assert list(run.as_of_now().episodes()) == []


def test_a_run_of_several_asks_which(run):
    with pytest.raises(
        UsageError, match=r"several environments: a-v1, b-v1\. Name one: grpo-env rescore RUN --env a-v"
    ):
        one_environment(run, None, AGAIN)
    with pytest.raises(UsageError, match=r"no environment 'a-v2'\. Did you mean 'a-v1'"):
        one_environment(run, "a-v2", AGAIN)
    with pytest.raises(UsageError, match="several environments: a-v1, b-v1"):
        compare(run, run)


def test_rows_of_two_environments_are_not_one_row(run):
    metrics = Metrics()
    for episode in run.episodes():
        metrics.add(episode)
    assert metrics.summary()["rows"] == 3


def test_the_page_says_of_which_environment_an_episode_is(run):
    assert [(row["env"], row["row"]) for row in RunIndex(run).table] == [("a-v1", 0), ("b-v1", 0), ("b-v1", 1)]


def test_every_environment_of_a_foreign_run_is_typed_again(run):
    path = run.path / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"created": "2027"}))
    foreign = open_run(run.path)
    with pytest.raises(RunError, match=r"environment 'a-v1' would be imported.*name it again: train a-v1 b-v1"):
        check_origin(foreign, "train {}")
    with pytest.raises(RunError, match="environment 'b-v1' would be imported"):
        check_origin(foreign, "train {}", typed=["a-v1"])
    assert not one_environment(foreign, "a-v1", AGAIN).own


@pytest.mark.parametrize("environments", [
    ["a-v1", "b-v1"], {"a-v1": 2, "b-v1": 1}, {"a-v1": {"rows": "many"}, "b-v1": {}}, {"a\nb": {}, "b-v1": {}},
])  # fmt: skip
def test_environments_of_the_wrong_form_are_a_damaged_manifest(run, environments):
    path = run.path / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"environments": environments}))
    with pytest.raises(RunError, match="its environments is"):
        open_run(run.path)
