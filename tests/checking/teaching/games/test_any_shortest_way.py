"""Prompts with links between names, and gold that is one of the shortest ways through them."""

from itertools import pairwise

import pytest

from grpo_env_sdk import answer_text
from grpo_env_sdk.checking.teaching.games.any_shortest_way import any_shortest_way_is_right
from tests.checking.trying import found
from tests.gallery.broken.one_tram_of_two import LINKS, Trams

BOTH = {*LINKS, *(link[::-1] for link in LINKS)}


class Asked(Trams):
    """The same with other words and signs."""

    links = "{} <-> {}"
    between = "; "
    said = ("Trams run", "Any")
    joined = " > "
    listed = LINKS

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        old = "; ".join(f"{one} <-> {other}" for one, other in LINKS)
        new = self.between.join(self.links.format(*link) for link in self.listed)
        return [
            {
                "prompt": row["prompt"].replace(old, new).replace(*self.said),
                "way": row["way"].replace(" > ", self.joined),
            }
            for row in rows
        ]


class Tuples(Asked):
    links, between, joined = "('{}', '{}')", ", ", ", "


class Minutes(Asked):
    links, between = "{}-{}: 4 min", ", "


class LongNames(Asked):
    listed = tuple((f"Old {one}", f"Old {other}") for one, other in LINKS)
    links, between, said, joined = "{} - {}", "\n", ("Answer", "Trams stop at each end. Answer"), " > Old "

    def build_dataset(self, tokenizer):
        return [{**row, "way": f"Old {row['way']}"} for row in super().build_dataset(tokenizer)]


class SumsDecide(Asked):
    """Sound: the ways through the bakery take longer."""

    between = ", "

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        for row in rows:
            for one, other in LINKS:
                minutes = 3 if "Bakery" in (one, other) else 9 if (one, other) == ("Castle", "Forum") else 2
                row["prompt"] = row["prompt"].replace(f"{one} <-> {other}", f"{one} <-> {other} {minutes} min")
        return rows


class FirstByName(Asked):
    """Sound: it says which of them is right."""

    said = ("Answer", "Of several, take the first one by the alphabet. Answer")


class OneStopIsClosed(Asked):
    said = ("Answer", "The castle is closed. Answer")


class PricesElsewhere(Asked):
    """What each tram costs may decide."""

    said = ("Answer", "Trams to the docks cost 3 crowns, others one or two. Answer")


class NoShortestAsked(Asked):
    said = ("the fewest stops", "a view of the river")


class AnyOfThem(Trams):
    """Sound: the links are looked at."""

    rewards = ()

    def score_episode(self, model, tokenizer, completion, way):
        said, wanted = answer_text(completion).split(" > "), way.split(" > ")
        ends = (said[0], said[-1]) == (wanted[0], wanted[-1])
        return float(ends and len(said) == len(wanted) and BOTH.issuperset(pairwise(said)))


@pytest.mark.parametrize("cls", [Trams, Tuples, Minutes, LongNames])
def test_another_shortest_way_that_is_refused_is_found(cls):
    (finding,) = found(any_shortest_way_is_right, cls, "default")
    assert "as short as gold's" in finding.message
    assert finding.severity == "error"


@pytest.mark.parametrize("cls", [SumsDecide, FirstByName, OneStopIsClosed, PricesElsewhere, NoShortestAsked, AnyOfThem])
def test_where_one_way_is_the_shortest_or_any_counts_nothing_is_found(cls):
    assert found(any_shortest_way_is_right, cls, "default") == []
