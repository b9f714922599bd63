"""Answers without content that earn more than trying does, and what makes that sound."""

import json

import pytest

from grpo_env_sdk import answer_text, reward
from grpo_env_sdk.checking.teaching.lazy_answers.not_answering import not_answering_earns_less_than_trying as silence
from tests.checking.trying import found
from tests.gallery.broken.unreadable_is_neutral import Doors

METALS = {
    "iron": 26, "copper": 29, "silver": 47, "tin": 50, "gold": 79, "lead": 82, "zinc": 30, "nickel": 28, "cobalt": 27,
    "sodium": 11, "radium": 88, "mercury": 80,
}  # fmt: skip


class Metals:
    """One number for each metal; what each kind of answer earns is what differs."""

    ASK = "What is the atomic number of {}? End with a line 'Number: ' and the number."
    RIGHT, WRONG, UNREADABLE = 1.0, 0.0, 0.0

    def build_dataset(self, tokenizer):
        return [{"prompt": self.ASK.format(metal), "number": number} for metal, number in METALS.items()]

    def score_episode(self, model, tokenizer, completion, number):
        last = answer_text(completion).strip().rpartition("\n")[2]
        if not last.startswith("Number: "):
            return self.UNREADABLE
        return self.RIGHT if last == f"Number: {number}" else self.WRONG

    def solve(self, row):
        return f"Number: {row['number']}"


class Neutral(Metals):
    UNREADABLE = 0.3


class Harsh(Metals):
    WRONG, UNREADABLE = -0.5, 0.25
    reward_range = (-0.5, 1)


class Unsaid(Metals):
    WRONG = -1.0
    reward_range = (-1, 1)


class InSpanish(Unsaid):
    WRONG = -0.25
    ASK = Metals.ASK + " Un acierto vale 1, un error -0,25, y 'paso' vale 0."


class OtherNumber(InSpanish):
    ASK = Metals.ASK + " It lies between -0.255 and 100."


@pytest.mark.parametrize(
    ("env", "severity", "needed"),
    [
        (Doors, "error", "50%"),
        (Neutral, "error", "30%"),
        (Harsh, "error", "50%"),
        (Unsaid, "warning", "50%"),
        (OtherNumber, "warning", "20%"),
    ],
)
def test_no_answer_that_earns_more_than_a_wrong_one_is_found(env, severity, needed):
    (finding,) = found(silence, env)
    assert finding.severity == severity
    assert f"not answering pays more than trying for a model that is right on less than {needed}" in finding.message


class Announced(Unsaid):
    ASK = Metals.ASK + " A wrong number costs a point, no number nothing."


class Passing(Neutral):
    ASK = Metals.ASK + " Say 'pass' if you are not sure."


class WrongIsSomething(Neutral):
    WRONG = 0.3


class Near(Metals):
    """Numbers that are not far off earn a part; what is no number nothing."""

    def score_episode(self, model, tokenizer, completion, number):
        said = answer_text(completion).rpartition("Number: ")[2].strip()
        return max(0.0, 1 - abs(int(said) - number) / 40) if said.isdecimal() else 0.0


class EachPlace(Doors):
    """A third for each part; what is left out is not wrong in all of them."""

    @reward
    def right_place(self, completion, place):
        try:
            said = json.loads(answer_text(completion))
            return sum(said.get(key) == value for key, value in place.items()) / 3
        except (ValueError, AttributeError):
            return 0.0


@pytest.mark.parametrize("env", [Metals, Announced, InSpanish, Passing, WrongIsSomething, Near, EachPlace])
def test_nothing_is_said_where_trying_pays_or_the_prompt_says_what_a_mistake_costs(env):
    assert not found(silence, env)


class Brief(Metals):
    """Being brief counts as much as being right, and is paid for nothing."""

    BRIEF, AFTER = 1.0, False

    def brief(self, completion, right):
        words = len(answer_text(completion).split())
        return max(0.0, min(1.0, 1.2 - words / 100)) if right or not self.AFTER else 0.0

    def score_episode(self, model, tokenizer, completion, number):
        right = answer_text(completion).strip().rpartition("\n")[2] == f"Number: {number}"
        return (right + self.BRIEF * self.brief(completion, right)) / (1 + self.BRIEF)


class RatherRight(Brief):
    BRIEF = 0.25


class BriefOnceRight(Brief):
    AFTER = True


class Limited(Brief):
    ASK = Metals.ASK + " Use at most 20 words."


def test_a_right_answer_at_length_that_earns_no_more_than_silence_is_found():
    (finding,) = found(silence, Brief)
    assert (finding.severity, "being short without an answer pays as much" in finding.message) == ("error", True)


@pytest.mark.parametrize("env", [RatherRight, BriefOnceRight, Limited])
def test_nothing_is_said_where_being_right_counts_more_than_being_brief(env):
    assert not found(silence, env)
