"""Other values of a parameter, with which prompts ask for another unit or order."""

from typing import Literal

import pytest

from grpo_env_sdk.checking.contract.asked_otherwise import answers_follow_what_is_asked as asked
from tests.checking.trying import found

TRIPS = {f"Port {name}": 3 + 2 * place for place, name in enumerate("ABCDEFGHIJ")}


class Trips:
    """How far it is, in a unit that is chosen; the answers stay in kilometres."""

    TEXT = "The harbour is {} kilometres from {}. How far is that in {}? Answer with a number."

    def __init__(self, unit: Literal["km", "miles"] = "km"):
        self.unit = unit

    def build_dataset(self, tokenizer):
        name = {"km": "kilometres", "miles": "miles"}[self.unit]
        return [{"prompt": self.TEXT.format(far, port, name), "far": self.answer(far)} for port, far in TRIPS.items()]

    def answer(self, far):
        return far

    def score_episode(self, model, tokenizer, completion, far):
        return float(completion == str(far))

    def solve(self, row):
        return str(row["far"])


class Converted(Trips):
    """Sound: the answers follow."""

    def answer(self, far):
        return round(far / 1.609) if self.unit == "miles" else far


class ReadByTheScorer(Trips):
    """Sound: the scorer converts."""

    def score_episode(self, model, tokenizer, completion, far):
        return float(completion == str(round(far / 1.609) if self.unit == "miles" else far))


class OnlyALabel(Trips):
    """Sound: what is given is in the same unit."""

    TEXT = "The harbour is {0} {2} from {1}. How far is it there and back, in {2}? Answer with a number."

    def answer(self, far):
        return 2 * far


class OtherWords(Trips):
    """Sound: the parameter changes the tone."""

    TEXT = "The harbour is {} kilometres from {}. How far is that, my {}? Answer with a number."

    def __init__(self, unit: Literal["km", "miles"] = "km"):
        self.unit = unit

    def build_dataset(self, tokenizer):
        name = {"km": "friend", "miles": "dear"}[self.unit]
        return [{"prompt": self.TEXT.format(far, port, name), "far": far} for port, far in TRIPS.items()]


class Unlabelled(Trips):
    """Nothing shows the unit of what is given."""

    TEXT = "Harbour {0} to {1}: how far is it in {2}? Answer with a number."


class Sorted:
    """Words in an order that is chosen; the answers stay in one."""

    def __init__(self, falling: bool = False):
        self.falling = falling

    def build_dataset(self, tokenizer):
        how = "descending" if self.falling else "ascending"
        lists = [[n, (7 * n) % 11, (5 * n) % 13] for n in range(1, 11)]
        return [{"prompt": f"Sort in {how} order: {one}", "order": self.ordered(one)} for one in lists]

    def ordered(self, one):
        return " ".join(map(str, sorted(one)))

    def score_episode(self, model, tokenizer, completion, order):
        return float(completion == order)


class SortedAsAsked(Sorted):
    """Sound: the answers follow."""

    def ordered(self, one):
        return " ".join(map(str, sorted(one, reverse=self.falling)))


@pytest.mark.parametrize(("faulty", "words"), [(Trips, ("miles", "kilometres")), (Sorted, ("descending", "ascending"))])
def test_answers_that_stay_where_prompts_ask_otherwise_are_an_error(faulty, words):
    (finding,) = found(asked, faulty, "default")
    assert finding.severity == "error"
    assert f"the prompts ask for '{words[0]}' and not for '{words[1]}'" in finding.message


def test_where_no_other_unit_is_shown_it_is_a_warning():
    (finding,) = found(asked, Unlabelled, "default")
    assert finding.severity == "warning"


@pytest.mark.parametrize("sound", [Converted, ReadByTheScorer, OnlyALabel, OtherWords, SortedAsAsked])
def test_answers_that_follow_are_sound(sound):
    assert found(asked, sound, "default") == []
