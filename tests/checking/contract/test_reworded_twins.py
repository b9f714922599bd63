"""Rows of `test` that ask what rows of `train` ask, in other words and without numbers."""

import random

import pytest

from grpo_env_sdk.checking.contract.leaks import test_rows_are_not_training_rows_in_other_words as apart
from grpo_env_sdk.checking.contract.near_twins import near_twins
from tests.checking.trying import found

HEROES = ["Ajax", "Brit", "Circe", "Dido", "Eos", "Faun", "Gaia", "Hebe", "Iris", "Juno", "Kore", "Leda"]
TOKENS = ["ring", "comb", "lyre", "sword", "mirror", "apple"]
PLACES = ["meadow", "harbour", "temple", "cellar"]
CASES = [(hero, token, way) for hero in HEROES for token in TOKENS for way in ("lent", "sold")]


def ways(case):
    hero, token, way = case
    place = PLACES[(HEROES.index(hero) + 2 * TOKENS.index(token) + (way == "sold")) % len(PLACES)]
    return f"Where was the {token} {way} by {hero}? Say the place alone.", place


def other_ways(case):
    hero, token, way = case
    friend = random.Random(str(case)).choice(["Otto", "Paula", "Quentin"])
    return f"{friend} wants to know at which place {hero} {way} a {token}. Name the place.", ways(case)[1]


def other_question(case):
    hero, token, way = case
    return f"Did {hero} have the {token} that was {way} before? Yes or no?", ["yes", "no"][len(hero + token) % 2]


def split_env(train, test, shared):
    class Split:
        def build_dataset(self, tokenizer, split="train"):
            drawn = random.Random(4).sample(CASES, len(CASES))
            held_out = drawn[60:] if shared else drawn[100:]
            cases, write = (drawn[:100], train) if split == "train" else (held_out, test)
            return [{"prompt": prompt, "wanted": wanted} for prompt, wanted in map(write, cases)]

        def score_episode(self, model, tokenizer, completion, wanted):
            return float(completion == wanted)

    return Split


def test_questions_of_train_in_other_words_are_named():
    (finding,) = found(apart, split_env(ways, other_ways, shared=True))
    assert "40 of 84 rows of `test` are rows of `train` with what is asked in other words" in finding.message
    assert finding.severity == "error"


@pytest.mark.parametrize(("test", "shared"), [(other_ways, False), (other_question, True)])
def test_other_questions_in_the_same_words_are_let_be(test, shared):
    assert found(apart, split_env(ways, test, shared)) == []


def test_without_any_prompts_there_are_no_near_twins():
    assert near_twins({}, {}) == []
