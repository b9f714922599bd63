"""What the end of a training says of very few held-out rows."""

import pytest

from grpo_env_sdk import evaluate
from grpo_env_trl.report.messages import _verdict
from grpo_env_trl.report.row_pairs import measured_rows


def score(mean):
    """A held-out result without a difference within it."""
    return {"mean": mean, "low": mean, "high": mean, "greedy": mean}


@pytest.mark.parametrize(("rows", "counted"), [(1, "1 held-out row: "), (4, "4 held-out rows: ")])
@pytest.mark.parametrize("after", [0.0, 1.0])
def test_with_very_few_rows_their_number_comes_first_whatever_was_measured(rows, counted, after):
    (told,) = _verdict({"before": score(0.0), "after": score(after)}, rows)
    assert told.startswith(counted)
    assert "--eval-split all" in told
    assert "Nothing changed" not in told


def test_with_more_rows_the_verdict_is_about_the_difference():
    assert "Nothing changed" in _verdict({"before": score(0.0), "after": score(0.0)}, 5)[0]
    assert _verdict({"before": score(0.0), "after": score(1.0)}, 5) == []


def test_only_rows_with_a_reward_before_and_after_count(tmp_path):
    for when, rows in (("before", 3), ("after", 2)):
        evaluate("lessons:Spell", "random", split="all", rows=rows, out=tmp_path / "heldout" / when)
    assert measured_rows(tmp_path) == 2
    assert measured_rows(tmp_path / "nowhere") == 0
