"""Splits that share rows."""

import pytest

from grpo_env_sdk.checking.contract.dataset import splits_are_disjoint
from tests.checking.trying import found


class Birds:
    """`held_out` says which of 30 rows are for testing, and `trained` which are for training."""

    held_out = range(22, 30)
    trained = range(22)

    def build_dataset(self, tokenizer, split="train"):
        rows = [{"prompt": f"Bird {n}: how many eggs?", "eggs": n % 5} for n in range(30)]
        return [rows[n] for n in (self.trained if split == "train" else self.held_out)]

    def score_episode(self, model, tokenizer, completion, eggs):
        return float(completion == str(eggs))

    def solve(self, row):
        return str(row["eggs"])


class AllTrained(Birds):
    trained = range(30)


class MostTrained(Birds):
    trained = range(27)


class OneTrained(Birds):
    trained = range(23)


class TheSameFew(Birds):
    trained = held_out = range(12)


@pytest.mark.parametrize(
    ("cls", "severities"),
    [
        (AllTrained, ["error"]),
        (MostTrained, ["error"]),
        (OneTrained, ["warning"]),
        (TheSameFew, ["warning"]),
        (Birds, []),
    ],
)
def test_test_rows_that_are_trained_on_are_an_error_where_most_are(cls, severities):
    assert [finding.severity for finding in found(splits_are_disjoint, cls)] == severities
