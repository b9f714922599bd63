"""Pages that a schema counts from 1 and a tool from 0, where gold answers without them and page 0 is refused."""

from typing import Any

import pytest

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.forms.counting_from import positions_are_counted_as_told as counted
from tests.checking.trying import found

PEAKS = ["Arn", "Bellhorn", "Casa", "Dru", "Eik", "Falk", "Grat", "Hoh", "Isel", "Joch", "Kofel", "Lenz"]


class Hut(ToolEnv):
    """Which peak of a hut book was climbed last, in a book with three pages."""

    max_turns = 5
    SIZE, BEFORE = 4, 0

    def build_dataset(self, tokenizer: Any) -> Any:
        rows = []
        for n in range(10):
            peaks = PEAKS[n:] + PEAKS[:n]
            climbs = [{"peak": peak, "day": (place * 5 + n) % 12 + 1} for place, peak in enumerate(peaks)]
            last = max(climbs, key=lambda climb: climb["day"])["peak"]
            rows.append({"prompt": f"Hut {n}: which peak was climbed last?", "climbs": climbs, "last": last})
        return rows

    @tool
    def read_page(self, page: int) -> Any:
        """Read a page of the hut book.

        Args:
            page: The page, from 1 to 3.
        """
        return self.of_page(page) if 1 <= page <= 3 else []

    def of_page(self, page: int) -> Any:
        first = (page - self.BEFORE) * self.SIZE
        return self.row["climbs"][first : first + self.SIZE]

    @reward
    def right(self, completion: Any, last: str) -> bool:
        return answer_text(completion) == last

    def solve(self, row: Any) -> Any:
        yield call_message("read_page", page=1)
        yield row["last"]


class OfAClass(Hut):
    """The book is the same on all rows, in lines, and nothing says how many pages it has."""

    BOOK = tuple(f"{peak} hut, {place * 5 % 12 + 1} May" for place, peak in enumerate(PEAKS))

    def build_dataset(self, tokenizer: Any) -> Any:
        return [
            {"prompt": f"When was {peak} climbed?", "last": f"{place * 5 % 12 + 1} May"}
            for place, peak in enumerate(PEAKS)
        ]

    @tool
    def read_page(self, page: int) -> Any:
        """Read a page of the hut book.

        Args:
            page: The page; the first is number 1.
        """
        return "\n".join(self.BOOK[page * 4 : page * 4 + 4]) if page > 0 else "No such page."


class FromOne(Hut):
    """Sound: page 1 is the first."""

    BEFORE = 1


class ShorterBooks(FromOne):
    """Sound: the last page is empty, as there is no more."""

    SIZE = 6


class FirstInThePrompt(Hut):
    """Sound: what the first page has is in the prompt."""

    def build_dataset(self, tokenizer: Any) -> Any:
        return [
            {**row, "prompt": f"{row['prompt']} On the cover: {', '.join(one['peak'] for one in row['climbs'][:4])}"}
            for row in super().build_dataset(None)
        ]


class FirstByAnother(Hut):
    """Sound: another tool shows the cover."""

    @tool
    def read_cover(self) -> Any:
        """Read what is on the cover of the hut book."""
        return self.row["climbs"][:4]


class Lines(OfAClass):
    """Sound: the first line is a heading, which nobody needs."""

    BOOK = ("Peaks of May", *OfAClass.BOOK)

    @tool
    def read_page(self, page: int) -> Any:
        """Read a line of the hut book.

        Args:
            page: The line; the first is number 1.
        """
        return self.BOOK[page] if 0 < page < len(self.BOOK) else "No such line."


@pytest.mark.parametrize("cls", [Hut, OfAClass])
def test_things_that_no_page_shows_are_found(cls: type) -> None:
    (finding,) = found(counted, cls)
    assert isinstance(finding, Finding)
    assert "'page' from 1" in finding.message
    assert "Arn" in finding.message


@pytest.mark.parametrize("cls", [FromOne, ShorterBooks, FirstInThePrompt, FirstByAnother, Lines])
def test_pages_that_show_all_or_what_is_not_shown_elsewhere_are_let_be(cls: type) -> None:
    assert found(counted, cls) == []
