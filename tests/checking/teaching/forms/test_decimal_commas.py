"""Decimal commas that a prompt writes itself or asks for: refused in a dialog, accepted, or no decimals at all."""

import pytest

from grpo_env_sdk import MultiTurnEnv, answer_text
from grpo_env_sdk.checking.teaching.forms.allowed_forms import forms_that_a_prompt_allows_are_accepted as check
from tests.checking.trying import asking, found


class Farine(MultiTurnEnv):
    """Two questions; each right answer counts for half."""

    max_turns = 2
    reward_range = (0, 1)
    asked = "Pour un gâteau il faut {0},5 kg de farine et {0},25 kg de sucre. Combien de farine pour {1} gâteaux ?"

    def build_dataset(self, tokenizer):
        return [
            {"prompt": self.asked.format(n, 2 * n + 1), "wanted": [(n + 0.5) * (2 * n + 1), (n + 0.25) * (2 * n + 1)]}
            for n in range(1, 13)
        ]

    def read(self, text):
        return text

    def step(self, action):
        said = self.read(answer_text([action]).strip())
        right = said == f"{self.row['wanted'][self.turns - 1]:g}"
        return "Et de sucre ?" if self.turns == 1 else "Merci.", right / 2, self.turns == 2, False, {}

    def solve(self, row):
        return [f"{amount:g}" for amount in row["wanted"]]


class ReadsBoth(Farine):
    def read(self, text):
        return text.replace(",", ".")


class AsksForPoints(Farine):
    asked = Farine.asked + " Écris les nombres avec un point."


class InThousands(Farine):
    """The point of gold parts thousands."""

    asked = "Une caisse pèse {0},5 kg. Combien de grammes pèsent {1} caisses ?"

    def read(self, text):
        return text if text in self.solve(self.row) else ""

    def step(self, action):
        right = self.read(answer_text([action]).strip()) != ""
        return "Et encore ?" if self.turns == 1 else "Merci.", right / 2, self.turns == 2, False, {}

    def solve(self, row):
        return [f"{1000 * amount:,.0f}".replace(",", ".") for amount in row["wanted"]]


class PointsOfAPlane(Farine):
    """In English, and the numbers with commas are pairs."""

    asked = "The points {0},5 and {0},25 are on a map. What is their mean distance from the origin, times {1}?"


@pytest.mark.parametrize(
    ("cls", "count"), [(Farine, 1), (ReadsBoth, 0), (AsksForPoints, 0), (InThousands, 0), (PointsOfAPlane, 0)]
)
def test_the_decimal_comma_of_the_prompt_is_accepted(cls, count):
    assert sum("with a comma" in one.message for one in found(check, cls)) == count


EUROS = [1040.25 + 97.5 * n for n in range(20)]
GERMAN = "Was kosten {} Stück zu je 0,30 Euro?"


@pytest.mark.parametrize(("ask", "said"), [
    (GERMAN, "writes '0,30': '1040,25' scores 0"),
    (f"{GERMAN} Schreibe den Betrag in deutscher Schreibweise, wie 1.234,50.", "'1.040,25' scores 0"),
    ("Was kosten {} Stück? Antworte mit Dezimalkomma.", "asks for 'Dezimalkomma': '1040,25' scores 0"),
    ("What do {} pieces cost? Write it with a decimal comma.", "asks for 'decimal comma': '1040,25' scores 0"),
    ("Price of {}? Use a comma as the decimal point.", "asks for 'comma as the decimal point'"),
])  # fmt: skip
def test_amounts_of_thousands_with_the_comma_that_is_asked_for_are_tried(ask, said):
    (finding,) = found(check, asking(lambda n, rng: (ask.format(n), f"{EUROS[n]:.2f}"), 20))
    assert finding.severity == "error"
    assert said in finding.message


@pytest.mark.parametrize("ask", [
    "The lists use a decimal comma. What do {} pieces cost?",
    "Write what {} pieces cost, and not with a decimal comma.",
    "The lists have commas. Convert the price of {}: replace the comma, and write no decimal comma.",
    "Write {} with a decimal comma in your notes, and answer with a decimal point.",
    "Was kosten {} Stück? Preise sind mit Dezimalkomma angegeben; antworte mit Dezimalpunkt.",
    "Schreibe das Datum von Tag {} in deutscher Schreibweise.",
    "Was kosten {} Stück? Antworte nicht mit Dezimalkomma.",
])  # fmt: skip
def test_prompts_that_want_no_comma_are_let_be(ask):
    assert found(check, asking(lambda n, rng: (ask.format(n), f"{EUROS[n]:.2f}"), 20)) == []
