"""Optional arguments that gold leaves out, and that make a tool show what gold works out."""

import re
from typing import Literal

import pytest

from grpo_env_sdk import call_message, tool
from grpo_env_sdk.checking.teaching.telling.telling import replies_do_not_tell_the_answer
from tests.checking.trying import found
from tests.gallery.broken.archive_has_the_total import Loads


class ToldByAKind(Loads):
    """Flawed: one kind of entries has it."""

    @tool
    def log(self, kind: Literal["drives", "weighings"] = "drives") -> str:
        """The entries of the lorry's log."""
        return f"weighed: {self.mass} kg" if kind == "weighings" else "left the depot"


class OfOthers(Loads):
    """Sound: the archive has the loads of other lorries."""

    @tool
    def log(self, archive: bool = False) -> str:
        """The entries of the lorry's log."""
        return f"weighed: {self.mass + 7} kg" if archive else "left the depot"


class MeantToAdd(Loads):
    """Sound: the argument says that it shows what is asked."""

    @tool
    def log(self, with_total: bool = False) -> str:
        """The entries of the lorry's log."""
        return f"weighed: {self.mass} kg" if with_total else "left the depot"


class ToldOfIt(Loads):
    """Sound: the prompt speaks of the argument."""

    def build_dataset(self, tokenizer):
        return [row | {"prompt": f"{row['prompt']} The archive may help."} for row in super().build_dataset(tokenizer)]


class KnownToGold(Loads):
    """Sound: gold reads the state, so that the log may be where it has to be looked up."""

    def solve(self, row):
        seen = yield call_message("crates")
        yield call_message("book", kilograms=self.mass if re.search("kg", seen[-1]["content"]) else 0)
        yield "Booked."


class LookedUp(Loads):
    """Sound: gold uses the argument."""

    def solve(self, row):
        seen = yield call_message("log", archive=True)
        yield call_message("book", kilograms=int(re.findall(r"\d+", seen[-1]["content"])[-1]))
        yield "Booked."


@pytest.mark.parametrize(("flawed", "said"), [(Loads, "archive=True"), (ToldByAKind, "kind='weighings'")])
def test_an_argument_that_shows_what_gold_works_out_is_named(flawed, said):
    (finding,) = found(replies_do_not_tell_the_answer, flawed)
    assert said in finding.message
    assert finding.severity == "warning"


@pytest.mark.parametrize("sound", [OfOthers, MeantToAdd, ToldOfIt, KnownToGold, LookedUp])
def test_arguments_that_are_meant_to_show_it_are_let_be(sound):
    assert found(replies_do_not_tell_the_answer, sound) == []
