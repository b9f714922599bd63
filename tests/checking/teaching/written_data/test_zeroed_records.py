"""G695: numbers that are all written over with 0, and the answer 0."""

import pytest

from grpo_env_sdk import answer_text, call_message, reward, tool
from grpo_env_sdk.checking.teaching.written_data.zeroed_records import zeros_in_all_records_are_not_gold
from tests.checking.trying import found
from tests.gallery.broken.highest_of_no_readings import MeterBook


class Records(MeterBook):
    """The book is a list of objects, and no gold is known."""

    solve = None

    @tool
    def read_book(self) -> list[dict]:
        """All readings."""
        return [{"flat": flat, "reading": reading} for flat, reading in self.book.items()]

    @tool
    def write_reading(self, flat: str, new_reading: int) -> str:
        """Write a reading into the book."""
        self.book[flat] = new_reading
        return "Written."


class ComparesWithTheRow(MeterBook):
    """Sound: what is right is worked out from the row."""

    @reward
    def highest(self, completion, book, meant):
        return answer_text(completion).strip() == str(max(meant, *book.values()))


class ComparesTheBook(MeterBook):
    """Sound: the whole book counts too."""

    @reward
    def highest(self, completion, book, flat, meant):
        return self.book == {**book, flat: meant} and super().highest(completion)


class StartOfTheYear(MeterBook):
    """Sound: the prompt asks for zeros."""

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        return [
            {**row, "prompt": f"Reset all meters of house {n}, and say the highest reading."}
            for n, row in enumerate(rows)
        ]


class TakesOut(MeterBook):
    """Sound: all meters are taken out, and zeros are gold."""

    max_turns = 8

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        prompt = "House {} loses all its meters. Bring its book up to date{}."
        return [{**row, "prompt": prompt.format(n, self.asked)} for n, row in enumerate(rows)]

    asked = ", and say how much it still counts"

    @reward
    def highest(self, completion):
        return not any(self.book.values()) and answer_text(completion).strip() == "0"

    def solve(self, row):
        for flat in row["book"]:
            yield call_message("write_reading", flat=flat, reading=0)
        yield "0"


class OnlyTheBook(TakesOut):
    """Sound: the same, and what is said does not count."""

    asked = ""

    @reward
    def highest(self, completion):
        return not any(self.book.values())

    def solve(self, row):
        yield from [turn for turn in super().solve(row) if not isinstance(turn, str)]
        yield "Done."


class PaysOff(MeterBook):
    """Sound: no gold is known, and the prompt speaks of what is paid off."""

    solve = None

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        return [{**row, "prompt": f"House {n} has paid off what its meters show."} for n, row in enumerate(rows)]


@pytest.mark.parametrize("env", [MeterBook, Records])
def test_zeros_everywhere_that_score_as_gold_are_an_error(env):
    (finding,) = found(zeros_in_all_records_are_not_gold, env)
    assert (finding.severity, finding.output["reward"], "12 of 12 rows" in finding.message) == ("error", 1.0, True)


@pytest.mark.parametrize("env", [ComparesWithTheRow, ComparesTheBook, StartOfTheYear, TakesOut, OnlyTheBook, PaysOff])
def test_data_of_the_row_and_zeros_that_are_asked_for_are_let_be(env):
    assert found(zeros_in_all_records_are_not_gold, env) == []
