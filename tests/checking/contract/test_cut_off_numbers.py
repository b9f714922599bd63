"""Gold that is cut off where its prompt asks for rounding, worked out from lists and from what tools show."""

import random
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal

import pytest

from grpo_env_sdk import SingleTurnEnv, ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.contract.cut_off_decimals import gold_is_rounded_where_that_is_asked as gold_is_rounded
from tests.checking.trying import found

MINES = [f"mine {letter}" for letter in "ABCDEFGHIJKLMN"]


def loads_of(mine):
    rng = random.Random(mine)
    return [
        {"tons": rng.randrange(20, 90), "grade": rng.randrange(100, 900) / 100, "lost": rng.randrange(1, 9)}
        for _ in range(rng.randrange(3, 8))
    ]


def written(value, how):
    return str(value.quantize(Decimal("0.01"), how))


class MeanGrade(ToolEnv):
    """The mean of what a tool lists."""

    ASK = "What is the mean grade of the loads of {}? Round to two decimals, such as 4.25, and answer with the number."
    HOW = ROUND_DOWN

    def build_dataset(self, tokenizer):
        return [
            {"prompt": self.ASK.format(mine), "mine": mine, "answer": written(self.value(loads_of(mine)), self.HOW)}
            for mine in MINES
        ]

    def value(self, loads):
        return sum(Decimal(str(load["grade"])) for load in loads) / len(loads)

    @tool
    def loads(self, mine: str) -> list[dict]:
        """List the loads of a mine.

        Args:
            mine: Its name.
        """
        return loads_of(mine)

    @reward
    def right(self, completion, answer):
        return answer_text(completion).strip() == answer

    def solve(self, row):
        return [call_message("loads", mine=row["mine"]), row["answer"]]


class Weighted(MeanGrade):
    """Tons count."""

    ASK = "What is the mean grade of {}, each load weighted by its tons? Round to two decimals."

    def value(self, loads):
        tons = sum(load["tons"] for load in loads)
        return sum(Decimal(str(load["grade"])) * load["tons"] for load in loads) / tons


class Share(MeanGrade):
    """A share in percent."""

    ASK = "What percentage of the tons of {} was lost? Rounded to two decimals."

    def value(self, loads):
        return Decimal(100) * sum(load["lost"] for load in loads) / sum(load["tons"] for load in loads)


class Submitted(MeanGrade):
    """The number is an argument."""

    def setup(self, row):
        self.said = None

    @tool
    def submit(self, grade: float) -> str:
        """Submit the mean.

        Args:
            grade: The mean.
        """
        self.said = grade
        return "Thanks."

    @reward
    def right(self, answer):
        return self.said is not None and abs(self.said - float(answer)) < 0.001

    def solve(self, row):
        return [call_message("loads", mine=row["mine"]), call_message("submit", grade=float(row["answer"])), "Done."]


class InPrompt(SingleTurnEnv):
    """A list in the prompt that is not always as long."""

    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": "The mean of " + ", ".join(str(load["grade"]) for load in loads_of(mine))
                + ", rounded to two decimals?",
                "answer": written(MeanGrade.value(self, loads_of(mine)), ROUND_DOWN),
            }
            for mine in MINES
        ]  # fmt: skip

    @reward
    def right(self, completion, answer):
        return answer_text(completion).strip() == answer

    def solve(self, row):
        return row["answer"]


@pytest.mark.parametrize("env", [MeanGrade, Weighted, Share, Submitted, InPrompt])
def test_gold_that_is_cut_off_is_found(env):
    (finding,) = found(gold_is_rounded, env)
    assert finding.message.startswith("Gold is cut off on ")
    assert finding.severity == "error"


class Decimals(MeanGrade):
    ASK = "What is the mean grade of the loads of {}? Give two decimals."


def test_it_is_a_warning_where_the_prompt_names_decimals_alone():
    (finding,) = found(gold_is_rounded, Decimals)
    assert finding.severity == "warning"
    assert "whose prompts ask for decimals" in finding.message


class Rounded(MeanGrade):
    HOW = ROUND_HALF_UP


class WeightedRounded(Weighted):
    HOW = ROUND_HALF_UP


class Down(MeanGrade):
    ASK = "What is the mean grade of the loads of {}? Round down to two decimals."


class Near(MeanGrade):
    @reward
    def right(self, completion, answer):
        try:
            return abs(float(answer_text(completion)) - float(answer)) < 0.02
        except ValueError:
            return False


class Shown(MeanGrade):
    """A tool shows the number that is to be copied."""

    @tool
    def mean(self, mine: str) -> str:
        """The mean grade as the books have it.

        Args:
            mine: Its name.
        """
        return written(MeanGrade.value(self, loads_of(mine)), ROUND_DOWN)

    def solve(self, row):
        return [call_message("loads", mine=row["mine"]), call_message("mean", mine=row["mine"]), row["answer"]]


@pytest.mark.parametrize("env", [Rounded, WeightedRounded, Down, Near, Shown])
def test_gold_that_is_rounded_or_shown_so_is_let_alone(env):
    assert not found(gold_is_rounded, env)


class Bills(InPrompt):
    """A tax of which half a cent is often left."""

    ASK = "What is the tax of 5% on {} EUR, rounded to cents? Exactly half a cent is rounded up."
    HOW = ROUND_HALF_EVEN

    def build_dataset(self, tokenizer):
        nets = [Decimal(n * 70 + 410) / 100 for n in range(24)]
        return [{"prompt": self.ASK.format(net), "answer": written(net / 20, self.HOW)} for net in nets]


@pytest.mark.parametrize("ask", [Bills.ASK, "What is the tax of 5% on {} EUR? Round half up to two decimals."])
def test_halves_that_a_prompt_rounds_up_and_gold_down_are_found(ask):
    (finding,) = found(gold_is_rounded, type("Asks", (Bills,), {"ASK": ask}))
    assert finding.message.startswith("Gold is rounded down from a half on ")


@pytest.mark.parametrize("changed", [
    {"HOW": ROUND_HALF_UP}, {"ASK": "What is the tax of 5% on {} EUR, rounded to cents?"},
])  # fmt: skip
def test_halves_that_go_as_the_prompt_says_or_where_it_says_nothing_are_let_alone(changed):
    assert not found(gold_is_rounded, type("Sound", (Bills,), changed))
