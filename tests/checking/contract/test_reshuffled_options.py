"""C162: the letter of gold is that of the option which a column has as the right one."""

import random
from typing import Any

from grpo_env_sdk.checking.contract.reshuffled_options import gold_points_at_the_right_option
from tests.checking.trying import found

METALS = {
    "iron": "Fe", "gold": "Au", "silver": "Ag", "tin": "Sn", "lead": "Pb", "copper": "Cu", "zinc": "Zn",
    "nickel": "Ni", "mercury": "Hg", "sodium": "Na", "potassium": "K", "tungsten": "W", "calcium": "Ca",
}  # fmt: skip


class Symbols:
    """Pick the symbol of an element: the letter of gold is worked out after the one shuffle."""

    column = "symbol"
    ask = "What is the symbol of {}?"

    def build_dataset(self, tokenizer: Any) -> list[dict[str, Any]]:
        return [self.row(place, name, random.Random(place)) for place, name in enumerate(METALS)]

    def row(self, place: int, name: str, rng: random.Random) -> dict[str, Any]:
        options = [METALS[name], *rng.sample([one for other, one in METALS.items() if other != name], 3)]
        rng.shuffle(options)
        letter = "ABCD"[options.index(METALS[name])]
        return self.written(name, options, letter, rng)

    def written(self, name: str, options: list[str], letter: str, rng: random.Random) -> dict[str, Any]:
        listed = "\n".join(f"{mark}) {text}" for mark, text in zip("ABCD", options, strict=True))
        asked = f"{self.ask.format(name)}\n{listed}\nEnd with 'Answer: X', where X is the letter."
        return {"prompt": asked, "letter": letter, self.column: self.kept(name, options, letter)}

    def kept(self, name: str, options: list[str], letter: str) -> str:
        return METALS[name]

    def score_episode(self, model: Any, tokenizer: Any, completion: str, letter: str) -> float:
        return float(completion.strip().endswith(f"Answer: {letter}"))

    def solve(self, row: dict[str, Any]) -> str:
        return f"Answer: {row['letter']}"


class ShuffledAgain(Symbols):
    """The options are shuffled once more when the prompt is written."""

    def written(self, name: str, options: list[str], letter: str, rng: random.Random) -> dict[str, Any]:
        return super().written(name, rng.sample(options, 4), letter, rng)


class KeptAsAnswer(ShuffledAgain):
    """The right text is in a column whose name says so."""

    column = "answer_text"
    ask = "How do chemists write {}?"


class InOneFunction(Symbols):
    """The name of the column says nothing, and the code shuffles a list after it looked up a place in it."""

    column = "formula"
    ask = "How do chemists write {}?"

    def row(self, place: int, name: str, rng: random.Random) -> dict[str, Any]:
        options = [METALS[name], *rng.sample([one for other, one in METALS.items() if other != name], 3)]
        rng.shuffle(options)
        letter = "ABCD"[options.index(METALS[name])]
        rng.shuffle(options)
        return self.written(name, options, letter, rng)


class OfAStudent(Symbols):
    """A column has what a student chose."""

    column = "student"

    def kept(self, name: str, options: list[str], letter: str) -> str:
        return options[len(name) % 4]


class FirstDrawn(Symbols):
    """The options are drawn around one metal, and the heaviest is asked for, which is another one on most rows."""

    column = "metal"
    ask = "Which metal is the one with the last symbol in the alphabet? This is question {}."

    def row(self, place: int, name: str, rng: random.Random) -> dict[str, Any]:
        options = [METALS[name], *rng.sample([one for other, one in METALS.items() if other != name], 3)]
        rng.shuffle(options)
        return self.written(name, options, "ABCD"[options.index(max(options))], rng)


class AskedBothWays(KeptAsAnswer):
    """On some rows the question is which option is not right."""

    ask = "Which of these is not a symbol of {}?"


class OneColumnForEach(KeptAsAnswer):
    """One column has the text of gold's option, and another one the answer to an earlier question."""

    def written(self, name: str, options: list[str], letter: str, rng: random.Random) -> dict[str, Any]:
        row = super().written(name, options, letter, rng)
        shown = dict(line.split(") ") for line in row["prompt"].splitlines()[1:5])
        return {**row, "chosen": shown[letter]}


class AlwaysInPlace(Symbols):
    """Columns with the option at each letter."""

    column = "a"

    def kept(self, name: str, options: list[str], letter: str) -> str:
        return options[0]


class WrongOne(Symbols):
    """A column with an option that is never right."""

    column = "correct"

    def kept(self, name: str, options: list[str], letter: str) -> str:
        return options["ABCD".index(letter) - 1]


def test_a_column_that_the_prompt_asks_for_is_at_another_letter():
    (finding,) = found(gold_points_at_the_right_option, ShuffledAgain)
    assert finding.severity == "error"
    assert "'symbol'" in finding.message
    assert "Shuffle the options once" in finding.hint


def test_a_column_that_is_named_as_the_answer_is_at_another_letter():
    (finding,) = found(gold_points_at_the_right_option, KeptAsAnswer)
    assert finding.severity == "error"
    assert "'answer_text'" in finding.message


def test_a_column_of_any_name_is_a_warning_where_the_code_shuffles_after_it_looked():
    (finding,) = found(gold_points_at_the_right_option, InOneFunction)
    assert finding.severity == "warning"
    assert "'formula'" in finding.message


def test_columns_with_other_options_say_nothing():
    for cls in (Symbols, OfAStudent, FirstDrawn, AskedBothWays, OneColumnForEach, AlwaysInPlace, WrongOne):
        assert found(gold_points_at_the_right_option, cls) == [], cls
