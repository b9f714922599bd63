"""Rows of `test` that tell what rows of `train` tell, in another order."""

import random
from itertools import pairwise

import pytest

from grpo_env_sdk.checking.contract.leaks import test_rows_are_not_training_rows_in_other_words as apart
from tests.checking.trying import found

NAMES = ["Abel", "Bela", "Cora", "Dina", "Ezra", "Fynn", "Gina", "Hugo", "Ilse", "Jona", "Kira", "Lars"]
TOWNS = ["Lyon", "Porto", "Ghent", "Turin", "Malmo", "Graz", "Bergen", "Riga", "Tartu", "Lund", "Turku", "Aarhus"]


def told(case, rng):
    queue = random.Random(case).sample(NAMES, 5)
    clues = [f"{a} stands directly before {b}." for a, b in pairwise(queue)]
    return f"{' '.join(rng.sample(clues, 4))} Who is the last one?", queue[-1]


def chosen(case, rng):
    own = random.Random(case)
    right, *wrong = own.sample(TOWNS, 4)
    options = rng.sample([right, *wrong], 4)
    listed = "\n".join(f"{mark}) {one}" for mark, one in zip("ABCD", options, strict=True))
    return f"Where does {own.choice(NAMES)} number {case} live?\n{listed}", "ABCD"[options.index(right)]


def walked(case, rng):
    steps = rng.choices(["Turn to the left.", "Go one step ahead.", "Turn around."], k=5)
    return f"{' '.join(steps)} Where are you now?", " ".join(steps)


def split_env(write, versions):
    class Split:
        def build_dataset(self, tokenizer, split="train"):
            rng = random.Random(split)
            cases = range(60) if split == "train" or versions else range(60, 120)
            rows = dict(write(case, rng) for case in cases)
            return [{"prompt": prompt, "wanted": wanted} for prompt, wanted in rows.items()]

        def score_episode(self, model, tokenizer, completion, wanted):
            return float(completion == wanted)

    return Split


@pytest.mark.parametrize("write", [told, chosen])
def test_the_same_sentences_or_options_in_another_order_are_named(write):
    (finding,) = found(apart, split_env(write, True))
    assert "in another order" in finding.message


@pytest.mark.parametrize("write", [told, chosen, walked])
def test_other_cases_are_let_alone(write):
    assert found(apart, split_env(write, False)) == []
