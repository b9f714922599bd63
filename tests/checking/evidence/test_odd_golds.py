"""No check fails itself on unusual gold: numbers with commas, endless ones, code, JSON without sense, long texts."""

import pytest

from grpo_env_sdk import SingleTurnEnv, reward
from grpo_env_sdk.checking.check import all_checks
from grpo_env_sdk.checking.findings.finding import Undecided
from tests.checking.trying import found_by, subject_of

NUMBERS = ["2,250", "-0.5", "1,234.56", "1e5", "3/4", "$5", "12:30", "10,5", "00012", "\u00bd", "9" * 400, "1e400"]
TEXTS = ["{}", "null", r"\boxed{3", "<b>x", "(", "%s", "{0}", "\U0001f600", '{"a": 1e400}', "[[[]]]", "a b " * 90, "*"]


def exact(golds):
    class Exact(SingleTurnEnv):
        def build_dataset(self, tokenizer):
            return [{"prompt": f"Task {n}: answer exactly.", "answer": gold} for n, gold in enumerate(golds)]

        @reward
        def right(self, completion, answer):
            return completion.strip() == answer.strip()

        def solve(self, row):
            return row["answer"]

    return Exact


OF_GOLD = [
    one for one in all_checks().values() if "gold" in one.needs and "single-turn" in (one.kinds or ["single-turn"])
]


@pytest.mark.parametrize("golds", [NUMBERS, TEXTS], ids=["numbers", "texts"])
def test_every_check_of_gold_ends(golds):
    subject = subject_of(exact(golds), "quick")
    gaps = [item for check in OF_GOLD for item in found_by(check, subject) if isinstance(item, Undecided)]
    assert [gap.why for gap in gaps if "itself failed" in gap.why] == []
