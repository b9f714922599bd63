"""Answers that were moved against their rows: the tool shows them on some rows, and on others those of other rows."""

import random

import pytest

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.teaching.telling.answers_beside_replies import answers_are_of_their_own_row
from tests.checking.trying import found

BOOKS = [
    f"{article} {word}"
    for article in ("The", "A")
    for word in ("Harbour", "Orchard", "Lantern", "Winter", "Bridge", "Meadow", "Island", "Letter", "Mirror")
]


class Library(ToolEnv):
    """How many pages a book has. `right` is the answer to the rows' pages, by the row's number."""

    max_turns = 4
    asks = "How many pages has '{}'? Look it up, and answer with the number alone."

    def build_dataset(self, tokenizer):
        pages = random.Random(12).sample(range(80, 900), len(BOOKS))
        return [
            {"prompt": self.asks.format(book), "book": book, "pages": pages[n], "wanted": str(self.right(n, pages))}
            for n, book in enumerate(BOOKS)
        ]

    def right(self, number, pages):
        return pages[number]

    @tool
    def look_up(self, title: str) -> dict:
        """Look up a book."""
        return {
            "title": title,
            "shelf": len(title) % 3,
            "pages": self.row["pages"] if title == self.row["book"] else None,
        }

    @reward
    def is_right(self, messages, wanted):
        return answer_text(messages).strip() == wanted

    def solve(self, row):
        return [call_message("look_up", title=row["book"]), row["wanted"]]


class OneRowOff(Library):
    """From the sixth row on, the answer is that of the row before."""

    def right(self, number, pages):
        return pages[number - (number > 4)]


class Shuffled(Library):
    """Some answers have changed places."""

    def right(self, number, pages):
        return pages[{3: 9, 9: 14, 14: 3, 5: 11, 11: 5}.get(number, number)]


class InWords(OneRowOff):
    @tool
    def look_up(self, title: str) -> str:
        """Look up a book."""
        return f"'{title}' has {self.row['pages']} pages." if title == self.row["book"] else "There is no such book."


class HandedIn(OneRowOff):
    """The answer is the argument of a call."""

    def setup(self, row):
        self.said = None

    @tool
    def hand_in(self, pages: int) -> str:
        """Hand in the number of pages."""
        self.said = pages
        return "Thank you."

    @reward
    def is_right(self, wanted):
        return str(self.said) == wanted

    def solve(self, row):
        return [call_message("look_up", title=row["book"]), call_message("hand_in", pages=int(row["wanted"])), "Done."]


class Capped(Library):
    """A rule by the number itself."""

    def right(self, number, pages):
        return min(pages[number], sorted(pages)[9])


class Packs(Library):
    """Rounded to whole packs, which are many of the values."""

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        for number, row in enumerate(rows):
            row |= {"pages": number + 21, "wanted": str(round((number + 21) / 3) * 3)}
        return rows


class LessForSome(Library):
    """A number is worked out on some rows."""

    def right(self, number, pages):
        return pages[number] - 10 * (number % 3)


class BySum(Library):
    def right(self, number, pages):
        return pages[number] + len(BOOKS[number]) % 3


class SecondBook(Library):
    """The answer is about another thing, which gold does not look up."""

    def right(self, number, pages):
        return pages[(number * 5 + 7) % len(pages)]


class ForgivingScore(OneRowOff):
    """What the tool shows scores as well."""

    @reward
    def is_right(self, messages, wanted, pages):
        return answer_text(messages).strip() in (wanted, str(pages))


class FewSteps(Library):
    """Values of so few kinds that others have them by chance."""

    def build_dataset(self, tokenizer):
        rng, rows = random.Random(2), super().build_dataset(tokenizer)
        for row in rows:
            row |= {"pages": rng.randrange(1, 6), "wanted": str(rng.randrange(1, 6))}
        return rows


@pytest.mark.parametrize(
    ("cls", "rows", "place"),
    [(OneRowOff, 13, "pages"), (Shuffled, 5, "pages"), (InWords, 13, ""), (HandedIn, 13, "pages")],
)
def test_answers_that_a_tool_shows_on_other_rows_are_found(cls, rows, place):
    (finding,) = found(answers_are_of_their_own_row, cls)
    assert f"On {rows} of 18 rows gold answers what look_up shows on another row" in finding.message
    assert place in finding.message
    assert finding.severity == "error"
    assert finding.output["reward"] == 0.0


@pytest.mark.parametrize("cls", [Library, Capped, Packs, LessForSome, BySum, SecondBook, ForgivingScore, FewSteps])
def test_answers_that_are_worked_out_or_meant_are_no_finding(cls):
    assert found(answers_are_of_their_own_row, cls) == []
