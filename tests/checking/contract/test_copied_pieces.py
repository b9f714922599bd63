"""Pieces of the prompt as answers, and examples about what is asked."""

import random
from difflib import SequenceMatcher

import pytest

from grpo_env_sdk.checking.contract.shown_examples import examples_leave_out_what_is_asked as examples
from grpo_env_sdk.checking.teaching.lazy_answers.copied_pieces import (
    copying_a_piece_of_the_prompt_earns_little as copying,
)
from tests.checking.trying import asking, found

WORDS = {
    "Haus": "house", "Baum": "tree", "Hund": "dog", "Brot": "bread", "Milch": "milk", "Tisch": "table", "Buch": "book",
    "Stadt": "city", "Berg": "mountain", "Fluss": "river", "Wald": "forest", "Kind": "child", "Tag": "day",
}  # fmt: skip
NAMES = list(WORDS)


def alike(write):
    class Alike(asking(write, 20)):
        def score_episode(self, model, tokenizer, completion, wanted):
            return SequenceMatcher(None, completion, wanted, autojunk=False).ratio()

    return Alike


@pytest.mark.parametrize(("frame", "name"), [
    ("Write it in modern spelling:\n{}", "last line"),
    ("Sentence: {} Write it in modern spelling, please.", "what only this prompt says"),
    ("Modernise the spelling.\n{}\nAnswer with the line.", "only this prompt"),
])  # fmt: skip
@pytest.mark.parametrize(
    "line", ["{0} olde shoppes are closed vntil Easter, saith {0}", "{0} = sum ( a , b ) if a > b else x+b - {0}"]
)
def test_copying_that_earns_most_is_an_error(frame, name, line):
    right = line.replace("vntil", "until").replace("olde shoppe", "old shop").replace("( a , b )", "(a, b)")
    (finding,) = found(copying, alike(lambda n, rng: (frame.format(line.format(n)), right.format(n))))
    assert name in finding.message
    assert finding.severity == "error"


@pytest.mark.parametrize("write", [
    lambda n, rng: (f"Copy this line:\nrow {n} of the old book", f"row {n} of the old book"),
    lambda n, rng: (f"Turn it round:\nword{n} and other words", f"sdrow rehto dna {n}drow"),
    lambda n, rng: (f"What is {n} and {n}?\nAnswer with a number.", str(2 * n)),
])  # fmt: skip
def test_copying_that_is_right_or_earns_little_is_let_alone(write):
    assert found(copying, alike(write)) == []


def drawn(rng, line, left_out=""):
    shown = rng.sample([name for name in NAMES if name != left_out], 5)
    return "\n".join(line.format(name, WORDS[name]) for name in shown)


@pytest.mark.parametrize(("line", "ask"), [
    ("{} -> {}", "{} ->"),
    ("{}: {}", "Translate {}."),
    ("The English word for {} is {}.", "What is the English word for {}?"),
    ("{} | {}", "{} | ?"),
])  # fmt: skip
def test_what_is_asked_among_the_examples_is_named(line, ask):
    def write(n, rng, left_out=False):
        name = NAMES[n % len(NAMES)]
        return f"{drawn(rng, line, name * left_out)}\n\n{ask.format(name)}", WORDS[name]

    (finding,) = found(examples, asking(write, 26))
    assert finding.severity == "error"
    assert found(examples, asking(lambda n, rng: write(n, rng, True), 26)) == []


def prices(n, rng):
    cost = {name: rng.randint(2, 30) for name in rng.sample(NAMES, 5)}
    goods = rng.sample(sorted(cost), 1 + n % 3)
    listed = "\n".join(f"{name}: {price}" for name, price in cost.items())
    return f"{listed}\nWhat do {' and '.join(goods)} cost?", str(sum(cost[name] for name in goods))


def glossary(n, rng):
    return "\n".join(f"{one}: {other}" for one, other in WORDS.items()) + f"\n{NAMES[n % 13]}?", WORDS[NAMES[n % 13]]


def absent(n, rng):
    cost = {name: random.Random(n).randint(2, 30) for name in rng.sample(NAMES, 5)}
    name = NAMES[n % 13]
    return "\n".join(f"{one}: {price}" for one, price in cost.items()) + f"\n{name}?", str(cost.get(name, "unknown"))


@pytest.mark.parametrize("write", [prices, glossary, absent])
def test_what_is_to_be_looked_up_is_no_example(write):
    assert found(examples, asking(write, 30)) == []
