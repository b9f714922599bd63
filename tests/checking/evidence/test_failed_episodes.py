"""Episodes that fail are no answers that scored, and hints about data are given where the data matter."""

import pytest

from grpo_env_sdk import SingleTurnEnv, answer_text, reward
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.forecast import every_row_can_teach
from grpo_env_sdk.checking.teaching.lazy_answers.guessing import no_fixed_answer_is_gold
from grpo_env_sdk.checking.teaching.reaching import gold_reaches_the_top
from tests.checking.trying import found


class Floors(SingleTurnEnv):
    """Half of the rows take "down" and fail at anything else."""

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Lift {n}: up or down?", "way": ("up", "down")[n % 2]} for n in range(40)]

    @reward
    def right(self, completion, way):
        said = answer_text(completion).strip()
        if said != way:
            raise ValueError(f"cannot go {said}")
        return 1

    def solve(self, row):
        return row["way"]


class Recipes(SingleTurnEnv):
    """Objects whose keys other rows fill; the gold of some rows is wrong for a reason of its own."""

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Eggs or milk for {n}?", "grams": {("eggs", "milk")[n % 2]: n}, "first": n % 4}
            for n in range(20)
        ]

    @reward
    def right(self, completion, grams):
        kept = {name: value for name, value in grams.items() if value is not None}
        return answer_text(completion) == str(kept)

    def solve(self, row):
        kept = {name: value for name, value in row["grams"].items() if value is not None}
        return str(kept) if row["first"] else "nothing"


class WithNone(Recipes):
    def solve(self, row):
        return str(row["grams"])


@pytest.mark.parametrize("check", [no_fixed_answer_is_gold, every_row_can_teach])
def test_answers_that_fail_on_half_of_the_rows_do_not_score_there(check):
    assert [one for one in found(check, Floors) if isinstance(one, Finding)] == []


def test_a_hint_about_keys_is_given_where_gold_has_them():
    (other,) = found(gold_reaches_the_top, Recipes)
    assert "same keys" not in other.hint
    (finding,) = found(gold_reaches_the_top, WithNone)
    assert "same keys" in finding.hint
