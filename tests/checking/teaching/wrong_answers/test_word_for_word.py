"""Texts that are wanted word for word, and that say the opposite by one word."""

import difflib

import pytest

from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.wrong_answers.whole_texts import the_whole_answer_counts, turned_around
from tests.checking.trying import asking, found

RULES = ("Dogs must not run freely on the meadow before noon.", "Bicycles are to be left behind the old gate.")


def rule(n, asked):
    return f"({n}) {asked}: {RULES[n % 2].upper()} {n}", f"{RULES[n % 2]} This is rule number {n} of the park."


def alike(asked, least):
    class Alike(asking(lambda n, rng: rule(n, asked), 12)):
        def score_episode(self, model, tokenizer, completion, wanted):
            return float(difflib.SequenceMatcher(None, completion, wanted).ratio() >= least)

    return Alike


def turned(cls):
    return [one for one in found(the_whole_answer_counts, cls) if isinstance(one, Finding) and "'not'" in one.message]


def test_a_likeness_of_letters_is_found_where_every_word_counts():
    (finding,) = turned(alike("Write this rule word for word, in usual letters", 0.9))
    assert finding.severity == "error"


@pytest.mark.parametrize(("asked", "least"), [("Write it word for word", 1.0), ("Say what this rule wants", 0.9)])
def test_exact_texts_and_those_that_nobody_wants_exactly_are_let_alone(asked, least):
    assert turned(alike(asked, least)) == []


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("You must not enter this room.", "You must enter this room."),
        ("You may enter this room.", "You may not enter this room."),
        ("Yes, it is.", None),
        ("Ten green bottles on a wall", None),
    ],
)
def test_a_sentence_is_turned_around_by_its_verb(text, other):
    assert turned_around(text) == other
