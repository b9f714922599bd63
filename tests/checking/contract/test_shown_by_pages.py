"""Tools that show a list of the row by pages, places or offsets, and leave out its end."""

import pytest

from grpo_env_sdk import ToolEnv, answer_text, reward, tool
from grpo_env_sdk.checking.contract.shown_by_pages import tools_show_all_pages_of_a_list
from tests.checking.trying import found
from tests.gallery.broken.last_page_lost import Letters


class WholeFile(Letters):
    """Sound: the number of pages is rounded up."""

    @tool
    def open_page(self, page: int) -> dict:
        """Open a page of the file."""
        start = (page - 1) * self.size
        return {"letters": self.row["letters"][start : start + self.size]} if start >= 0 else {}


class LastByHand(Letters):
    """Sound: what is on no page is shown by another tool."""

    @tool
    def loose_letters(self) -> list[str]:
        """List the letters that are on no page."""
        return self.row["letters"][len(self.row["letters"]) // self.size * self.size :]


class FoundByWords(Letters):
    """Sound: a search has all letters."""

    @tool
    def search(self, words: str) -> list[str]:
        """Search all letters."""
        return [letter for letter in self.row["letters"] if words in letter]


class FewPages(Letters):
    """Sound: no more than two pages are ever shown, by intent."""

    @tool
    def open_page(self, page: int) -> list[str]:
        """Open one of the two newest pages."""
        return self.row["letters"][(page - 1) * 8 : page * 8] if page in (1, 2) else []


class Cargo(ToolEnv):
    """Records of a ship; pages are counted from 0, but 0 is refused, and there is no solve."""

    size, first = 4, 1

    def build_dataset(self, tokenizer):
        rows = []
        for n in range(20):
            cargo = [{"crate": f"C-{n}-{k}", "kilos": 10 * k + n} for k in range(9 + n % 7)]
            text = f"Ship {n} has {len(cargo)} crates. What do they weigh in all? Answer with the number alone."
            rows.append({"prompt": text, "cargo": cargo, "kilos": sum(one["kilos"] for one in cargo)})
        return rows

    @tool
    def crates(self, ship: int) -> str:
        """List some crates of the ship.

        Args:
            ship: The number of the page of its list.
        """
        if ship < self.first:
            return "No such page."
        shown = self.row["cargo"][ship * self.size : (ship + 1) * self.size]
        return "\n".join(f"{one['crate']}: {one['kilos']} kilos" for one in shown)

    @reward
    def right(self, completion, kilos):
        return answer_text(completion).strip() == str(kilos)


class CargoOneByOne(Cargo):
    """One crate at a time, and never the first."""

    size = 1


class CargoFromZero(Cargo):
    first = 0


class FirstInPrompt(CargoOneByOne):
    """Sound: the prompt has the first crate."""

    def build_dataset(self, tokenizer):
        return [
            row | {"prompt": f"{row['prompt']} The first is {row['cargo'][0]['crate']}."}
            for row in super().build_dataset(tokenizer)
        ]


class PageEndsLost(Letters):
    """The last letter of each page but the last is on no page."""

    lost = 1

    @tool
    def open_page(self, page: int) -> list[str]:
        """Open a page of the file."""
        start, letters = (page - 1) * self.size, self.row["letters"]
        whole = start + self.size >= len(letters)
        return letters[start : start + self.size - (0 if whole else self.lost)] if start >= 0 else []


class TwoOfEachLost(PageEndsLost):
    lost = 2


class WithdrawnLetters(Letters):
    """Sound: some letters are withdrawn, wherever they are."""

    @tool
    def open_page(self, page: int) -> list[str]:
        """Open a page of the file."""
        start = (page - 1) * self.size
        shown = self.row["letters"][start : start + self.size] if start >= 0 else []
        return [letter for letter in shown if int(letter.split()[1]) % 5 != 2]


class GuessTheLast(Letters):
    """Sound: what comes last is to be guessed, from all before it."""

    def build_dataset(self, tokenizer):
        return [
            row | {"prompt": f"{len(row['letters'])} letters; say which is the last.", "last": row["letters"][-1]}
            for row in super().build_dataset(tokenizer)
        ]

    @tool
    def open_page(self, page: int) -> list[str]:
        """Open a page of one letter."""
        return self.row["letters"][:-1][page : page + 1] if page >= 0 else []


@pytest.mark.parametrize(("cls", "said"), [
    (Letters, "No call of open_page shows the last 1 of the 21 items of 'letters' in row 0"),
    (PageEndsLost, "No call of open_page shows 4 between its pages of the 21 items of 'letters' in row 0"),
    (TwoOfEachLost, "No call of open_page shows 8 between its pages of the 21 items of 'letters' in row 0"),
    (Cargo, "No call of crates shows the first 4 of the 9 items of 'cargo' in row 0"),
    (CargoOneByOne, "No call of crates shows the first 1 of the 9 items of 'cargo' in row 0"),
])  # fmt: skip
def test_an_end_of_a_list_that_no_call_shows_is_found(cls, said):
    (finding,) = found(tools_show_all_pages_of_a_list, cls)
    assert said in finding.message


@pytest.mark.parametrize(
    "cls", [WholeFile, LastByHand, FoundByWords, FewPages, CargoFromZero, FirstInPrompt, GuessTheLast, WithdrawnLetters]
)
def test_lists_that_are_shown_to_their_ends_or_cut_by_intent_are_let_alone(cls):
    assert found(tools_show_all_pages_of_a_list, cls) == []
