"""Ids that a tool lists, one part of which tells which of them is right."""

import random

import pytest

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.teaching.telling.marked_records import records_are_not_marked
from tests.checking.trying import found

SIGNS = ["a bent stem", "red spots", "wide leaves", "a sweet smell", "white roots", "small thorns"]


class Seeds(ToolEnv):
    """Find the packet whose seeds have a sign. `right` and `others` are put into the ids."""

    max_turns = 10
    right, others = "{}", ("{}",)
    asks = "Which packet grows into a plant with {}? Answer with its id alone."

    def build_dataset(self, tokenizer):
        rows = []
        for number in range(18):
            rng = random.Random(number)
            signs, codes = rng.sample(SIGNS, 5), rng.sample(range(100, 999), 5)
            named = {self.named(rng, number).format(codes[0]): signs[0]}
            named |= {
                rng.choice(self.others).format(code): sign for code, sign in zip(codes[1:], signs[1:], strict=True)
            }
            (wanted, *_), order = named, sorted(named, key=lambda one: rng.random())
            packets = [{"id": one, "sign": named[one]} for one in order]
            rows.append({"prompt": f"{number + 1}. {self.asks.format(signs[0])}", "packets": packets, "wanted": wanted})
        return rows

    def named(self, rng, number):
        return self.right

    @tool
    def list_packets(self) -> list[str]:
        """List the ids of the packets."""
        return [one["id"] for one in self.row["packets"]]

    @tool
    def read_packet(self, packet: str) -> str:
        """Read what is on a packet."""
        return next((one["sign"] for one in self.row["packets"] if one["id"] == packet), "There is no such packet.")

    @reward
    def is_right(self, messages, wanted):
        return answer_text(messages).strip() == wanted

    def solve(self, row):
        yield call_message("list_packets")
        for one in row["packets"]:
            yield call_message("read_packet", packet=one["id"])
        yield row["wanted"]


class Negatives(Seeds):
    right, others = "pos-{}", ("neg-{}",)


class Distractors(Seeds):
    """The right id has no mark of its own but the form of the others."""

    right, others = "plain-{}", ("distractor-{}", "decoy-{}")


class InFileNames(Seeds):
    right, others = "bag/{}_gold.txt", ("bag/{}_seed.txt", "bag/{}_other.txt")


class Flags(Seeds):
    right, others = "S{}-1", ("S{}-0",)


class Glued(Seeds):
    right, others = "correct{}", ("other{}",)


class AsRecords(Negatives):
    @tool
    def list_packets(self) -> dict:
        """List the packets."""
        return {"packets": [{"id": one["id"], "weight": 3} for one in self.row["packets"]]}


class InACall(Negatives):
    """What is chosen is given to a tool."""

    @tool
    def plant(self, packet: str) -> str:
        """Plant a packet."""
        self.planted = packet
        return "Planted."

    def setup(self, row):
        self.planted = ""

    @reward
    def is_right(self, wanted):
        return self.planted == wanted

    def solve(self, row):
        yield call_message("list_packets")
        yield call_message("plant", packet=row["wanted"])
        yield "Done."


class Codes(Seeds):
    right, others = "kb-{}", ("qz-{}",)


class Mixed(Seeds):
    """Letters that are the same on all rows but stand on other packets too."""

    others = ("pos-{}", "neg-{}")
    right = "pos-{}"


class OnHalfOfTheRows(Seeds):
    others = ("neg-{}",)

    def named(self, rng, number):
        return rng.choice(["pos-{}", "neg-{}"])


class NamedByThePrompt(Negatives):
    asks = "Which packet has {}? Tell its id, whose first word is positive or negative, after the test of its seeds."


class KindsOfThings(Seeds):
    """What is asked for is one of its kind."""

    right, others = "inv-{}", ("po-{}", "memo-{}", "cn-{}")
    asks = "Which invoice is about a plant with {}? Answer with its id alone."


class Ranks(Seeds):
    right, others = "gold-{}", ("silver-{}", "bronze-{}")


class Beside(Seeds):
    """A mark with a meaning: the shop of a packet."""

    right, others = "north-{}", ("south-{}", "east-{}")


@pytest.mark.parametrize(
    ("cls", "mark", "severity"),
    [
        (Negatives, "'pos'", "error"),
        (Distractors, "'plain'", "error"),
        (InFileNames, "'gold'", "error"),
        (Flags, "'1'", "error"),
        (Glued, "'correct'", "error"),
        (AsRecords, "'pos'", "error"),
        (InACall, "'pos'", "error"),
        (Codes, "'kb'", "warning"),
    ],
)
def test_a_mark_in_the_id_of_what_is_right_is_found(cls, mark, severity):
    (finding,) = found(records_are_not_marked, cls, "default")
    assert f"list_packets lists are marked: that of what gold chooses has {mark}" in finding.message
    assert "on 10 of 10 rows" in finding.message
    assert finding.severity == severity


@pytest.mark.parametrize("cls", [Seeds, Mixed, OnHalfOfTheRows, NamedByThePrompt, KindsOfThings, Ranks, Beside])
def test_ids_of_one_kind_and_kinds_with_a_meaning_are_no_finding(cls):
    assert found(records_are_not_marked, cls, "default") == []


class Sorted(Seeds):
    """A field whose values are words of scorers, under a name that data have as well."""

    kinds = ("decoy", "target")

    @tool
    def list_packets(self) -> list[dict]:
        """List the packets."""
        kind = {True: self.kinds[1], False: self.kinds[0]}
        return [{"id": one["id"], "group": kind[one["id"] == self.row["wanted"]]} for one in self.row["packets"]]

    def solve(self, row):
        return [call_message("list_packets"), row["wanted"]]


class Healthy(Sorted):
    kinds = ("healthy", "ill")


def test_a_field_with_words_of_scorers_is_found_under_any_name():
    (finding,) = found(records_are_not_marked, Sorted, "default")
    assert "'group' is 'target' in the record of what gold says" in finding.message
    assert found(records_are_not_marked, Healthy, "default") == []
