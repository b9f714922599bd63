"""Errors of tools that show the row, and errors that do not."""

import pytest

from grpo_env_sdk import ToolEnv, call_message, reward, tool
from grpo_env_sdk.checking.teaching.telling.row_in_replies import replies_do_not_show_the_row
from tests.checking.trying import found

SHELVES = ("left", "right", "upper", "lower", "middle")


class Parcels(ToolEnv):
    """Find the shelf of a parcel; an unusable shelf is answered with all that is known of the parcel."""

    max_turns = 6

    def build_dataset(self, tokenizer):
        ask = f"Parcel {{}} is on one of these shelves: {', '.join(SHELVES)}. Look where it is, and fetch it."
        return [{"prompt": ask.format(n), "number": n, "shelf": SHELVES[n * 7 % 5]} for n in range(20)]

    def setup(self, row):
        self.fetched = None

    @tool
    def look(self, shelf: str) -> str:
        """Look whether the parcel is on a shelf.

        Args:
            shelf: Which shelf.
        """
        if shelf not in SHELVES:
            raise ValueError(self.refusal(shelf))
        return "It is here." if shelf == self.row["shelf"] else "It is not here."

    def refusal(self, shelf):
        return f"KeyError: {shelf!r} in {self.row}"

    @tool
    def fetch(self, shelf: str) -> str:
        """Fetch the parcel; only the first time counts.

        Args:
            shelf: Which shelf.
        """
        self.fetched = self.fetched or shelf
        return "Done."

    @reward
    def right(self, shelf):
        return float(self.fetched == shelf)

    def solve(self, row):
        yield call_message("look", shelf=row["shelf"])
        yield call_message("fetch", shelf=row["shelf"])
        yield "It is here."


class ShortErrors(Parcels):
    """Sound: the error names the shelves that there are."""

    def refusal(self, shelf):
        return f"Error: no such shelf {shelf!r}; shelf: {', '.join(SHELVES)}"


class PublicColumns(Parcels):
    """Sound: the error shows what the prompt says as well."""

    def refusal(self, shelf):
        return f"KeyError: {shelf!r} in {{'number': {self.row['number']}}}"


class FirstLook(Parcels):
    """Sound: who gives a wrong shelf has lost, so the error tells nothing of use."""

    def refusal(self, shelf):
        self.fetched = "none"
        return super().refusal(shelf)


def test_an_error_that_shows_what_gold_chooses_is_found():
    (finding,) = found(replies_do_not_show_the_row, Parcels)
    assert "'shelf'" in finding.message


@pytest.mark.parametrize("cls", [ShortErrors, PublicColumns, FirstLook])
def test_errors_without_the_choice_are_let_be(cls):
    assert found(replies_do_not_show_the_row, cls) == []
