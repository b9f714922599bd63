"""Options that are there twice, texts that are cut off, values that are missing."""

import random
from textwrap import shorten

import pytest

from grpo_env_sdk.checking.contract.damaged_texts import texts_are_not_cut_off as cut_off
from grpo_env_sdk.checking.contract.damaged_texts import texts_have_their_values as values
from grpo_env_sdk.checking.contract.equal_options import the_right_option_is_there_once as once
from tests.checking.trying import asking, found

WORDS = ["amber", "basil", "cedar", "delta", "ember", "fern", "grove", "hazel", "iris", "jade"]


def choice(n, options, right="B", ask="What is it?"):
    lines = "\n".join(f"{mark}) {text}" for mark, text in zip("ABCD", options, strict=False))
    return f"({n}) {ask}\n{lines}\nAnswer with the letter.", right


@pytest.mark.parametrize("options", [("12", "15", "15"), ("1/4", "0.5", "0.50"), ("a cat", "a dog", "a dog", "a cow")])
def test_the_right_option_twice_is_named(options):
    (finding,) = found(once, asking(lambda n, rng: choice(n, options if n % 4 == 0 else ("x", "y", "z")), 20))
    assert "5 of 20" in finding.message
    assert finding.severity == "error"


@pytest.mark.parametrize("options", [("12", "15", "12"), ("Polish", "polish", "Pole"), ("15", "51", "5")])
def test_options_that_differ_from_the_right_one_are_let_alone(options):
    assert found(once, asking(lambda n, rng: choice(n, options), 20)) == []


def test_an_equal_option_that_is_right_as_well_is_let_alone():
    class Either(asking(lambda n, rng: choice(n, ("12", "15", "15")), 20)):
        def score_episode(self, model, tokenizer, completion, wanted):
            return float(completion in ("B", "C"))

    assert found(once, Either) == []


def test_an_equal_option_that_loses_as_little_as_gold_is_let_alone():
    class Losing(asking(lambda n, rng: choice(n, ("12", "15", "15")), 20)):
        reward_range = (-10, 0)

        def score_episode(self, model, tokenizer, completion, wanted):
            return -1.0 if completion in ("B", "C") else -10.0

    assert found(once, Losing) == []


def test_an_equal_option_that_earns_nothing_is_named_where_nonsense_costs_something():
    class Costly(asking(lambda n, rng: choice(n, ("12", "15", "15")), 20)):
        reward_range = (-1, 1)

        def score_episode(self, model, tokenizer, completion, wanted):
            return float(completion == "B") if completion in [*"ABC"] else -1.0

    assert len(found(once, Costly)) == 1


STARTS, ENDS = (
    ("mar", "tol", "gav", "berin", "so", "kestel", "dru", "pila", "wen"),
    ("a", "ter", "ing", "o", "ily", "ande"),
)
PROSE = [start + end for start in STARTS for end in ENDS]


def story(n, words):
    return f"({n}) " + " ".join(random.Random(n).choices(WORDS, k=words)) + "."


@pytest.mark.parametrize(("write", "where"), [
    (lambda n, rng: (f"Sum up: {story(n, 5 + n)}"[:90], str(n)), "The prompt"),
    (lambda n, rng: (f"{story(n, 5 + n)[:80]}\nHow many words are there?", str(n)), "longest line"),
    (lambda n, rng: (f"Story {n}, please.", story(n, 5 + n)[:100]), "gold answer"),
    (lambda n, rng: (f"{shorten(story(n, 5 + n), 90, placeholder=' ...')}\nWhat comes last?", str(n)), "shortened"),
    (lambda n, rng: (" ".join(rng.sample(PROSE, 24))[:99] + "\n\nWhat is it about? Use this.", str(n)), "A passage"),
])  # fmt: skip
def test_texts_that_are_cut_off_are_named(write, where):
    (finding,) = found(cut_off, asking(write, 30))
    assert where in finding.message


@pytest.mark.parametrize("write", [
    lambda n, rng: (f"Sum up: {story(n, 5 + n)}", str(n)),
    lambda n, rng: (" ".join(str(rng.randint(10, 99)) for _ in range(20)) + "\nWhat is the largest?", str(n)),
    lambda n, rng: (" ".join("".join(rng.choices("ABCDEFG", k=5)) for _ in range(12)) + "\nDecode it.", str(n)),
    lambda n, rng: (f"The robot stands in column {rng.randint(1, 9)} and looks to the north today\nWhere?", str(n)),
    lambda n, rng: (f"What is the {n:05} word of this text, which has words", str(n)),
    lambda n, rng: (f"Translate: {' '.join(rng.choices(WORDS, k=9))}", str(n)),
    lambda n, rng: (f"{story(n, 5 + n)} And so on ...\nWhat comes next?", str(n)),
    lambda n, rng: ((f"Code {n:03} has two letters in the wrong order. Only\none order is right." if n % 3
                     else f"{n:03} is wrong."), str(n)),
    lambda n, rng: (f"{n:03}: Is this a name, or is it a code? {rng.randint(10**50, 10**51 - 1)}", str(n)),
])  # fmt: skip
def test_whole_texts_are_let_alone(write):
    assert found(cut_off, asking(write, 30)) == []


@pytest.mark.parametrize(("write", "said"), [
    (lambda n, rng: (f"Translate {{wanted}} of page {n}.", str(n)), "{wanted}"),
    (lambda n, rng: (f"Bus {n} leaves at {'nan' if n % 9 == 0 else n} o'clock. When?", str(n)), "at nan"),
    (lambda n, rng: (f"Ada ({n}) was born in {1900 if n % 9 else None}.", str(n)), "in None"),
    (lambda n, rng: (f"The price is Decimal('{n}.5'). What are two?", str(n)), "Decimal("),
    (lambda n, rng: (f"What is the capital of land {n}?", "nan" if n % 9 == 0 else f"city {n}"), "'nan'"),
])  # fmt: skip
def test_values_that_are_missing_are_named(write, said):
    (finding,) = found(values, asking(write, 30))
    assert said in finding.message


def test_a_missing_value_of_a_key_that_some_rows_lack_is_explained():
    class Renamed:
        def build_dataset(self, tokenizer):
            column = ["gold"] + ["answer"] * 4
            return [{"prompt": f"What is the capital of land {n}?", column[n % 5]: f"city {n}"} for n in range(12)]

        def score_episode(self, model, tokenizer, completion, answer):
            return float(completion == str(answer))

    (finding,) = found(values, Renamed)
    assert "'gold', 'answer'" in finding.hint


@pytest.mark.parametrize("write", [
    lambda n, rng: (f"What does this code print? x = {{wanted2}} {n}; y = None", str(n)),
    lambda n, rng: (f"Which of them is right, {n}? None of them is an answer too.", "none" if n % 3 else str(n)),
    lambda n, rng: (f"Is this JSON? {{\"a\": null}} {n}", str(n)),
])  # fmt: skip
def test_values_that_are_meant_are_let_alone(write):
    assert found(values, asking(write, 30)) == []


def rules(n, most):
    paragraphs = "\n\n".join(f"{number}. {story(number, 12)} It is so." for number in range(30))
    return f"These are the rules.\n\n{paragraphs[:most]}\n\nWhat does rule {n} say?", story(n, 4)


def test_a_passage_that_is_cut_off_within_prompts_is_named():
    (finding,) = found(cut_off, asking(lambda n, rng: rules(n, 1000), 12))
    assert "1000 characters" in finding.message


def test_a_whole_passage_within_prompts_is_let_alone():
    assert found(cut_off, asking(lambda n, rng: rules(n, 100_000), 12)) == []
