"""Rows of `test` with the numbers of rows of `train`: the same questions in other words, others, and by chance."""

import random

import pytest

from grpo_env_sdk.checking.contract.leaks import test_rows_are_not_training_rows_in_other_words as apart
from tests.checking.trying import found

ONES = ["null", "eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwölf"]
TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
NAMES = ["Abel", "Bela", "Cora", "Dina", "Ezra", "Fynn", "Gina", "Hugo", "Ilse", "Jona", "Kira", "Lars"]
THINGS = ["pears", "melons", "lemons", "dates", "plums", "quinces", "figs"]


def german(case, rng, test):
    crates, each = rng.randint(2, 12), rng.randint(13, 99)
    if test:
        return f"In einem Regal stehen {ONES[crates]} Kisten zu je {each} Flaschen. Wie viele sind das?", crates * each
    return f"{crates} Kisten mit jeweils {each} Flaschen: wie viele Flaschen gibt es?", crates * each


def compound(case, rng, test):
    had, gone = rng.randint(31, 99), rng.randint(11, 30)
    ones = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
    said = f"{TENS[had // 10 - 2]}-{ones[had % 10]}".removesuffix("-zero")
    if test:
        return f"There were {said} pupils until {gone} of them went home. How many stayed?", had - gone
    return f"From {had} pupils {gone} leave. How many stay?", had - gone


def few_numbers(case, rng, test):
    who, what, some, more = rng.choice(NAMES), rng.choice(THINGS), rng.randint(2, 9), rng.randint(2, 9)
    if test:
        return f"Somebody gives {who} {more} {what} on top of {some}. What is the sum?", some + more
    return f"{who} owns {some} {what} and gets {more}: how many in all?", some + more


def another_question(case, rng, test):
    width, height = rng.randint(13, 99), rng.randint(13, 99)
    ask = "is the area of a field of" if test else "fence goes around a field of"
    return f"What {ask} {width} by {height}?", width * height if test else 2 * (width + height)


KINDS = [german, compound, few_numbers]


def split_env(write, same, whole_rows=False):
    class Split:
        def build_dataset(self, tokenizer, split="train"):
            test = split != "train"
            first = 0 if same or not test else 500
            count = 30 if test else 70
            cases = (write(case, random.Random(first + case), test) for case in range(count))
            return [{"prompt": prompt, "result": result} for prompt, result in dict(cases).items()]

        if whole_rows:

            def score_episode(self, model, tokenizer, completion, **row):
                return float(completion == str(row["result"]))

        else:

            def score_episode(self, model, tokenizer, completion, result):
                return float(completion == str(result))

    return Split


@pytest.mark.parametrize("whole_rows", [False, True])
@pytest.mark.parametrize("write", KINDS)
def test_questions_of_train_in_other_words_are_named(write, whole_rows):
    (finding,) = found(apart, split_env(write, True, whole_rows))
    assert "rows of `test` are rows of `train`" in finding.message
    assert finding.severity == "error"


@pytest.mark.parametrize("write", [*KINDS, another_question])
def test_other_rows_with_numbers_that_come_by_chance_are_let_be(write):
    assert found(apart, split_env(write, False)) == []


@pytest.mark.parametrize("whole_rows", [False, True])
def test_another_question_about_the_same_numbers_is_no_row_of_train(whole_rows):
    assert found(apart, split_env(another_question, True, whole_rows)) == []
