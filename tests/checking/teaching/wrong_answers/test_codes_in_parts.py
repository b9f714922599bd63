"""Codes of several parts: one with another digit is another code."""

from difflib import SequenceMatcher

import pytest

from grpo_env_sdk import ToolEnv, answer_text, reward, tool
from grpo_env_sdk.checking.teaching.lazy_answers.guessing import no_fixed_answer_is_gold
from grpo_env_sdk.checking.teaching.wrong_answers.near_misses import near_misses_score_less
from grpo_env_sdk.checking.teaching.wrong_answers.text_misses import other_digit
from tests.checking.trying import asking, found


def findings(check, cls):
    return [item for item in found(check, cls) if hasattr(item, "severity")]


@pytest.mark.parametrize(
    ("code", "other"),
    [
        ("DEP-K-7301-XZ", "DEP-K-7302-XZ"),
        ("box-2204-17", "box-2204-18"),
        ("2024-05-03", None),
        ("ABCD-EFGH", None),
        ("semi-detached house 4-b", None),
    ],
)
def test_the_last_digit_of_a_code_in_parts_is_changed(code, other):
    assert other_digit(code) == other


def depot(near, ask="Which bay holds pallet {n}?"):
    class Depot(
        asking(
            lambda n, _: (
                ask.format(n=n),
                f"{'ABCDEF'[n % 6]}EP-{'KL'[n % 2]}-{7101 + 13 * n}-X{'YZ'[n % 2]}",
            )
        )
    ):
        def score_episode(self, model, tokenizer, completion, wanted):
            return float(near(completion.strip(), wanted))

    return Depot


def test_a_code_with_another_digit_does_not_score():
    lenient = findings(
        near_misses_score_less, depot(lambda said, code: SequenceMatcher(None, said, code).ratio() > 0.9)
    )
    assert any("with another last digit" in one.message for one in lenient)
    assert not findings(near_misses_score_less, depot(lambda said, code: said.lower() == code.lower()))


def test_a_code_that_is_made_up_may_have_another_digit():
    def of_its_form(said, code):
        return said[:6] == code[:6] and said[-3:] == code[-3:] and said[6:-3].isdecimal()

    named = [one.message for one in findings(near_misses_score_less, depot(of_its_form))]
    made_up = findings(near_misses_score_less, depot(of_its_form, "Make up a code for pallet {n}."))
    assert any("with another last digit" in one for one in named)
    assert not any("with another last digit" in one.message for one in made_up)


class Bays(ToolEnv):
    """Nearly the right code is right, and there is no solve."""

    max_turns = 4
    least = 0.8

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Which bay holds pallet {n}? Look, and answer with its code.", "pallet": f"pallet {n}",
             "bay": f"DEPOT-KL-{11 + 3 * n}-X"}
            for n in range(24)
        ]  # fmt: skip

    @tool
    def look(self, pallet: str) -> str:
        """Look for a pallet."""
        return self.row["bay"] if pallet == self.row["pallet"] else "There is none."

    @reward
    def right(self, completion, bay):
        return SequenceMatcher(None, answer_text(completion).strip(), bay).ratio() >= self.least


class Levels(Bays):
    """The column has numbers, and a number near the right one is right."""

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        return [{"prompt": row["prompt"], "pallet": row["pallet"], "bay": 901 + n % 5} for n, row in enumerate(rows)]

    @reward
    def right(self, completion, bay):
        said = answer_text(completion).strip()
        return said.isdecimal() and abs(int(said) - bay) <= 14


class ExactBays(Bays):
    least = 1


def test_what_scorers_read_is_tried_first_where_nothing_knows_gold():
    (finding,) = findings(no_fixed_answer_is_gold, Bays)
    assert "DEPOT-KL-" in str(finding.input)
    assert "accept less" in finding.hint
    (finding,) = findings(no_fixed_answer_is_gold, Levels)
    assert str(finding.input).isdecimal()
    assert "accept less" in finding.hint
    assert not findings(no_fixed_answer_is_gold, ExactBays)
