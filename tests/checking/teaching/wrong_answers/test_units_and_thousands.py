"""Numbers with another unit than gold's, and numbers that are cut at the separator of their thousands."""

import re

import pytest

from grpo_env_sdk import SingleTurnEnv, answer_text, reward
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.wrong_answers.near_misses import near_misses_score_less
from grpo_env_sdk.checking.teaching.wrong_answers.unit_misses import asks_for_units, unit_of_others
from tests.checking.trying import found

READ = re.compile(r"(\d+(?:\.\d+)?) ?(km|g/l|ml|h|kg|g)")


class Doses(SingleTurnEnv):
    """A number and one of some units, which is read and never compared."""

    form = "Answer with the number and its unit (g, ml or g/l)."
    golds = ("{} g", "{} ml", "{} g/l")

    def build_dataset(self, tokenizer):
        asked = "One bag holds {} times what is on its label, which is {}. What does it hold? {}"
        rows = [(n, self.golds[n % len(self.golds)]) for n in range(3, 33)]
        return [
            {"prompt": asked.format(n, gold.format(7), self.form), "wanted": gold.format(7 * n)} for n, gold in rows
        ]

    def same(self, said, wanted):
        return said[1] == wanted[1]

    @reward
    def right(self, completion, wanted):
        said = READ.fullmatch(answer_text(completion).strip())
        return said is not None and self.same(said, READ.fullmatch(wanted))

    def solve(self, row):
        return row["wanted"]


class SameUnits(Doses):
    def same(self, said, wanted):
        return said.groups() == wanted.groups()


class OneUnit(Doses):
    """All rows have one unit, and the prompt names no other."""

    form = "Write it as on the label."
    golds = ("{} kg",)


class Converted(Doses):
    """What is written in another unit is converted."""

    golds = ("{} kg", "{} g")

    def same(self, said, wanted):
        grams = [float(one[1]) * {"kg": 1000, "g": 1}.get(one[2], 10**9) for one in (said, wanted)]
        return grams[0] == grams[1]


class TwoSpellings(Doses):
    """Hours have two names, and both count."""

    form = "With its unit."
    golds = ("{} h", "{} hours")

    @reward
    def right(self, completion, wanted):
        said = re.fullmatch(r"(\d+) (h|hours)", answer_text(completion).strip())
        return said is not None and said[1] == wanted.split()[0]


def named(cls, name):
    items = found(near_misses_score_less, cls)
    return [item for item in items if isinstance(item, Finding) and name in item.message]


def test_a_unit_that_is_read_and_not_compared_is_found():
    (finding,) = named(Doses, "unit of other answers")
    assert finding.severity == "error"
    assert "'28 ml' for '28 g/l'" in finding.message or "'21 ml' for '21 g'" in finding.message


def test_a_unit_that_nobody_asked_for_is_a_warning():
    (finding,) = named(OneUnit, "unit of other answers")
    assert finding.severity == "warning"
    assert "'21 g' for '21 kg'" in finding.message


@pytest.mark.parametrize("cls", [SameUnits, Converted, TwoSpellings])
def test_units_that_are_compared_or_have_two_names_are_not_reported(cls):
    assert not named(cls, "unit")


def test_units_come_from_other_answers_from_prompts_or_from_a_table():
    change = unit_of_others(["3 m/s", "4 m/s", "5 km", "6 km"], [])
    assert change("7 km") == "7 m/s"
    assert change("The way is 7 km.") == "The way is 7 m/s."
    assert change("7 m/s") == "7 km"
    assert change("0 km") is change("yes") is change("3 km 5 m") is None
    assert unit_of_others([], ["With the unit (mg, `l` or mg/l)."])("2.5 mg") == "2.5 l"
    assert unit_of_others([], ["Give it in euros or dollars."])("2 euros") == "2 dollars"
    assert unit_of_others([], [])("2 kg") == "2 g"
    assert unit_of_others([], [])("2 apples") is unit_of_others(["1st", "2nd", "2nd"], [])("1st") is None


def test_a_prompt_asks_for_units_or_leaves_them_out():
    assert asks_for_units(["A number with its unit.", "Give the unit too."])
    assert not asks_for_units(["A number with its unit.", "A number."])
    assert not asks_for_units(["Write the number without the unit and not with units."])


class Totals(SingleTurnEnv):
    """The pattern of numbers ends at a comma, in the answer and in gold."""

    number = r"\d+(?:\.\d+)?"
    between = ","
    form = ""

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"What do {n} halls with 1370 seats each hold? {self.form}", "wanted": self.written(1370 * n)}
            for n in range(4, 34)
        ]

    def written(self, total):
        return f"{total:,}".replace(",", self.between)

    def read(self, text):
        hit = re.search(self.number, text)
        return hit and float(re.sub(r"[, ]", "", hit[0]))

    @reward
    def right(self, completion, wanted):
        return self.read(answer_text(completion)) == self.read(wanted)

    def solve(self, row):
        return row["wanted"]


class SpacedTotals(Totals):
    between = " "


class WholeTotals(Totals):
    number = r"\d{1,3}(?:[, ]\d{3})+|\d+"


class DecimalCommas(Totals):
    """A comma before decimals, and a tolerance that the prompt names."""

    form = "In thousands, with a comma before the decimals, within 10 percent."

    @reward
    def right(self, completion, wanted):
        text = answer_text(completion).replace(",", ".")
        said = float(text) if re.fullmatch(r"\d{1,6}(\.\d{1,6})?", text) else 0.0
        return abs(said - float(wanted.replace(",", "."))) <= 0.1 * float(wanted.replace(",", "."))


@pytest.mark.parametrize(("cls", "wrong"), [(Totals, "'5' for '5,480'"), (SpacedTotals, "'5' for '5 480'")])
def test_numbers_cut_at_their_thousands_are_found(cls, wrong):
    (finding,) = named(cls, "thousands")
    assert finding.severity == "error"
    assert wrong in finding.message


@pytest.mark.parametrize("cls", [WholeTotals, DecimalCommas])
def test_numbers_that_are_read_as_a_whole_or_with_decimals_are_not_reported(cls):
    assert not named(cls, "thousands")
