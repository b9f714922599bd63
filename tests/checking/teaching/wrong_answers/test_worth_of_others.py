"""G515: a result is paid as that of the exercise which it solves."""

import re
from typing import Any, ClassVar

from grpo_env_sdk.checking.teaching.wrong_answers.parts_of_gold import every_part_of_gold_counts
from tests.checking.trying import found


class Orders:
    """One of three orders of a bakery, of which the large one is worth most; each is paid as what it is."""

    PAID: ClassVar = {"small": 1.0, "medium": 2.0, "large": 4.0}

    def build_dataset(self, tokenizer: Any) -> list[dict[str, Any]]:
        return [self.row(n) for n in range(12)]

    def row(self, n: int) -> dict[str, Any]:
        rolls, price = 4 + n, 23 + 7 * n
        prompt = (
            "Work out one of these orders.\n"
            f"- small (1 point): {rolls} + {price}\n- medium (2 points): {rolls} * {price}\n"
            f"- large (4 points): {rolls} * {price} - {n}\nAnswer as 'order size = result'."
        )
        values = (rolls + price, rolls * price, rolls * price - n)
        totals = {size: str(value) for size, value in zip(self.PAID, values, strict=True)}
        return {"prompt": prompt, "totals": totals}

    def score_episode(self, model: Any, tokenizer: Any, completion: str, totals: dict[str, str]) -> float:
        said = re.fullmatch(r"order (\w+) = (\d+)", completion.strip())
        return self.paid(said[1], said[2], totals) / 4 if said and said[1] in self.PAID else 0.0

    def paid(self, size: str, value: str, totals: dict[str, str]) -> float:
        return self.PAID[size] if value == totals[size] else 0.0

    def solve(self, row: dict[str, Any]) -> str:
        return f"order large = {row['totals']['large']}"


class AnyOrder(Orders):
    """The value may be that of any order."""

    def paid(self, size: str, value: str, totals: dict[str, str]) -> float:
        return self.PAID[size] if value in totals.values() else 0.0


class SumsAlone(AnyOrder):
    """The rows have no column with the values."""

    def row(self, n: int) -> dict[str, Any]:
        row = super().row(n)
        return {"prompt": row["prompt"], "key": "|".join(row["totals"].values())}

    def score_episode(self, model: Any, tokenizer: Any, completion: str, key: str) -> float:  # type: ignore[override]
        totals = dict(zip(self.PAID, key.split("|"), strict=True))
        return super().score_episode(model, tokenizer, completion, totals)

    def solve(self, row: dict[str, Any]) -> str:
        return f"order large = {row['key'].rpartition('|')[2]}"


class PaidForTrying(Orders):
    """A wrong value under a dear order earns a little, and less than a right one under the cheap one."""

    def paid(self, size: str, value: str, totals: dict[str, str]) -> float:
        return super().paid(size, value, totals) or 0.2


class PaidByValue(Orders):
    """The value decides what is paid, whatever size is named."""

    def paid(self, size: str, value: str, totals: dict[str, str]) -> float:
        return max([paid for name, paid in self.PAID.items() if totals[name] == value], default=0.0)


def test_the_result_of_a_cheap_exercise_is_paid_as_that_of_the_dear_one():
    (finding,) = found(every_part_of_gold_counts, AnyOrder)
    assert finding.severity == "error"
    assert "The result of exercise 'small', which is worth 1, scores 1 as that of 'large'" in finding.message


def test_results_are_worked_out_where_no_column_has_them():
    assert [item.severity for item in found(every_part_of_gold_counts, SumsAlone)] == ["error"]


def test_results_that_are_paid_as_their_own_are_not_accused():
    for cls in (Orders, PaidForTrying, PaidByValue):
        messages = [item.message for item in found(every_part_of_gold_counts, cls)]
        assert not [message for message in messages if "The result of exercise" in message], cls
