"""Lines of a run that are repeated, or that it did not plan, do not count and are noted once."""

import json
import warnings

import pytest

from grpo_env_sdk import GrpoEnvWarning, evaluate, open_run
from grpo_env_sdk.evaluation.compare import compare
from grpo_env_sdk.runs.reading import EPISODES, MANIFEST
from grpo_env_sdk.viewing.index import RunIndex
from tests.environments import Guess


@pytest.fixture
def path(tmp_path):
    """A run of two rows with one sample each."""
    return evaluate(Guess, "gold", split="all", rows=2, out=tmp_path / "run").run


def add(path, *changes, copies=1):
    file = path / EPISODES
    line = json.loads(file.read_text().splitlines()[0])
    with file.open("a") as lines:
        lines.writelines(json.dumps(line | {"reward": 0.0} | change) + "\n" for change in changes * copies)


def test_a_repeated_line_counts_once_and_one_that_is_not_planned_not_at_all(path):
    add(path, {}, copies=3)
    add(path, {"row_index": 77}, {"sample": 1})
    with pytest.warns(
        GrpoEnvWarning, match=r"^5 lines of .*episodes\.jsonl left out: 3 with a sample .* before and 2 not planned"
    ):
        assert [episode.reward for episode in open_run(path).episodes()] == [1.0, 1.0]
    with pytest.warns(GrpoEnvWarning, match="5 lines"):
        assert compare(open_run(path), open_run(path)).before.mean == 1.0


def test_the_page_leaves_the_same_lines_out_also_of_what_is_added_later(path):
    add(path, {})
    with pytest.warns(GrpoEnvWarning, match="1 line "):
        index = RunIndex(open_run(path))
    assert (len(index.table), index.summary["reward"]["mean"]) == (2, 1.0)
    add(path, {}, {"row_index": 77})
    with pytest.warns(GrpoEnvWarning, match="3 lines "):
        index = index.newest()
    assert [index.record(row)["reward"] for row in range(len(index.table))] == [1.0, 1.0]


@pytest.mark.parametrize("key", ["training", "forced"])
def test_what_a_training_repeats_and_a_forced_resume_adds_counts(path, key):
    manifest = json.loads((path / MANIFEST).read_text())
    (path / MANIFEST).write_text(json.dumps(manifest | {key: {} if key == "training" else []}))
    add(path, {"sample": 1}, {"row_index": 77})
    with warnings.catch_warnings(action="error"):
        assert len([*open_run(path).episodes()]) == 4
