"""Searches that list the right entry first for words that choose nothing."""

import random

import pytest

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.tools.first_listed import the_right_item_has_no_place_of_its_own
from tests.checking.tools.test_first_listed import CRATES
from tests.checking.trying import found


class Leaflets(ToolEnv):
    """A search whose sort is stable, so that the leaflet of the row comes first where no word fits."""

    max_turns = 6
    said = "What does a {} need? Search the leaflets, and answer with the number of the one that says it."

    def build_dataset(self, tokenizer):
        rows = []
        for number in range(20):
            numbers = random.Random(number).sample(range(100, 999), 6)
            woods = random.Random(number).sample(CRATES, 6)
            leaflets = [[f"N{one}", f"Care of {wood} visitors bring"] for one, wood in zip(numbers, woods, strict=True)]
            rows.append({"prompt": self.said.format(woods[0]), "wood": woods[0], "right": leaflets[0][0]})
            rows[-1]["leaflets"] = self.kept(leaflets)
        return rows

    def kept(self, leaflets):
        return leaflets

    @tool
    def find(self, words: str) -> list[dict[str, str]]:
        """Search the leaflets; those that fit best are shown.

        Args:
            words: What to look for.
        """
        hits = self.hits(set(words.split()))
        return [{"leaflet": number, "title": title} for number, title in hits]

    def hits(self, words):
        return sorted(self.row["leaflets"], key=lambda one: -len(words & set(one[1].split())))

    @tool
    def read(self, leaflet: str) -> str:
        """Read a leaflet.

        Args:
            leaflet: Its number.
        """
        return dict(self.row["leaflets"]).get(leaflet, "There is none.")

    @reward
    def right_one(self, completion, right):
        return answer_text(completion).strip() == right

    def solve(self, row):
        return [call_message("find", words=row["wood"]), row["right"]]


class LeafletsSent(Leaflets):
    """An act takes the number, and the right one is last in what an empty search lists."""

    def kept(self, leaflets):
        return leaflets[::-1]

    def setup(self, row):
        self.sent = ""

    def hits(self, words):
        return [one for one in self.row["leaflets"] if not words or words & set(one[1].split())]

    @tool
    def send(self, leaflet: str) -> str:
        """Send a leaflet.

        Args:
            leaflet: Its number.
        """
        self.sent = leaflet
        return "Sent."

    @reward
    def right_one(self, right):
        return self.sent == right

    def solve(self, row):
        return [call_message("find", words=row["wood"]), call_message("send", leaflet=row["right"]), "Sent."]


class LeafletsShuffled(Leaflets):
    def kept(self, leaflets):
        return random.Random(repr(leaflets)).sample(leaflets, len(leaflets))


class OnlyHits(Leaflets):
    def hits(self, words):
        return [one for one in self.row["leaflets"] if words & set(one[1].split())]


class NewestFirst(Leaflets):
    """Sound: without words of a title the newest come first, and the newest is asked for."""

    said = "Which leaflet on {} is the newest? Answer with its number."


@pytest.mark.parametrize(("cls", "said"), [
    (Leaflets, "What gold answers is always the first that find lists when it is asked for 'zzqx', on 16 rows"),
    (LeafletsSent, "What gold gives to send.leaflet is always the last that find lists when it is asked for ''"),
])  # fmt: skip
def test_an_item_that_a_search_lists_first_for_words_that_choose_nothing_is_found(cls, said):
    (finding,) = found(the_right_item_has_no_place_of_its_own, cls, "default")
    assert said in finding.message


@pytest.mark.parametrize("cls", [LeafletsShuffled, OnlyHits, NewestFirst])
def test_searches_that_list_what_fits_or_anything_are_no_finding(cls):
    assert found(the_right_item_has_no_place_of_its_own, cls, "default") == []
