"""What prompts tell of their answers: each rule finds what was planted, and lets alone what is the task."""

import random
from typing import Any

import pytest
from PIL import Image

from grpo_env_sdk import SingleTurnEnv
from grpo_env_sdk.checking.contract.leaks import examples_are_of_other_rows
from grpo_env_sdk.checking.contract.leaks import test_rows_are_not_training_rows_in_other_words as in_other_words
from grpo_env_sdk.checking.contract.told_answers import (
    a_prompt_has_one_gold,
    answers_are_not_in_most_prompts,
    names_of_rows_do_not_hold_answers,
)
from grpo_env_sdk.checking.contract.told_by_form import form_does_not_tell_the_answer
from grpo_env_sdk.checking.findings.finding import Finding
from tests.checking.trying import asking, found


def messages(check: Any, write: Any, count: int = 40) -> list[str]:
    return [item.message for item in found(check, asking(write, count)) if isinstance(item, Finding)]


def larger(rng: random.Random) -> tuple[str, str]:
    a, b = rng.sample(range(100, 999), 2)
    return f"Is {a} larger than {b}?", "yes" if a > b else "no"


TELLING = {
    "a no-break space": lambda asked, yes, n: asked.replace(" larger", "\xa0larger") if yes else asked,
    "a full stop": lambda asked, yes, n: asked[:-1] + "." if yes else asked,
    "the end of an id": lambda asked, yes, n: f"[q-{n}-{'a' if yes else 'b'}] {asked}",
    "the name of a file": lambda asked, yes, n: f"From {'train' if yes else 'extra'}_{n}.txt: {asked}",
    "a rating in the name of a file": lambda asked, yes, n: (
        f"[{n:05d}_{n % 4 + (6 if yes else 1)}.txt] {'' if n % 3 else 'I saw it this year. '}{asked}"
    ),
    "the number": lambda asked, yes, n: f"Question {2 * n + yes}. {asked}",
    "a number in the id": lambda asked, yes, n: f"Which division checks it? File D-{11 * n + 3 * yes}/24. {asked}",
}


def chosen(wrong: Any) -> Any:
    """Questions with three options, of which the wrong ones are built from the right one."""

    def write(n: int, rng: random.Random) -> tuple[str, str]:
        right = (rng.choice(["Riga", "Lund", "Graz"]), rng.randint(20, 90), rng.choice(["cool", "dry", "dark"]))
        options = rng.sample([right, *wrong(right)], 3)
        listed = "\n".join(f"{mark}) {' / '.join(map(str, one))}" for mark, one in zip("ABC", options, strict=True))
        return f"Which label is that of parcel {rng.random()}?\n{listed}", "ABC"[options.index(right)]

    return write


@pytest.mark.parametrize("wrong", [
    lambda right: [("Oslo", *right[1:]), (*right[:2], "warm")],
    lambda right: [(right[0], right[1] + 7, right[2]), (right[0], right[1] - 7, right[2])],
])  # fmt: skip
def test_the_option_between_its_own_variants_is_found(wrong):
    (message,) = messages(form_does_not_tell_the_answer, chosen(wrong))
    assert "the others gives the answer away" in message


def test_options_drawn_by_themselves_are_let_alone():
    wrong = chosen(lambda right: [("Oslo", right[1] * 37 % 90, "warm"), ("Bonn", right[1] * 53 % 90, "warm")])
    assert messages(form_does_not_tell_the_answer, wrong) == []


def priced(
    wrong: Any, asked: str = "Tea for {n} guests costs how much, to the nearest euro?", by_text: bool = False
) -> Any:
    """Questions with options in numbers, of which the wrong ones are built from the right one."""

    def write(n: int, rng: random.Random) -> tuple[str, str]:
        right = rng.randint(200, 900)
        options = rng.sample([right, *wrong(right, rng)], 5)
        listed = "\n".join(
            f"{'-' if by_text else f'{mark})'} {one}" for mark, one in zip("ABCDE", options, strict=True)
        )
        return f"{asked.format(n=n)}\n{listed}", str(right) if by_text else "ABCDE"[options.index(right)]

    return write


def around(below: int) -> Any:
    """Four wrong options, so many of which are below the right one."""
    return lambda right, rng: [
        right + sign * rng.randint(5 * place, 5 * place + 4) * rng.choice([1, 30])
        for place, sign in enumerate([-1] * below + [1] * (4 - below), 1)
    ]


@pytest.mark.parametrize("by_text", [False, True])
def test_the_option_in_one_place_of_the_order_of_all_is_found(by_text):
    for below, name in ((2, "third"), (1, "second smallest"), (3, "second largest")):
        (message,) = messages(form_does_not_tell_the_answer, priced(around(below), by_text=by_text), 60)
        assert name in message or "in the middle" in message
    smallest = priced(around(0), "How much is tea for {n} guests, 3 cups each?", by_text)
    (finding,) = found(form_does_not_tell_the_answer, asking(smallest, 60))
    assert ("the smallest number" in finding.message.casefold(), finding.severity) == (True, "warning")


def test_times_and_options_in_one_line_have_an_order_too():
    def write(n, rng):
        right = rng.randint(300, 900)
        times = [f"{one // 60}:{one % 60:02d}" for one in (right, right - 20, right + 10, right + 40, right - 45)]
        options = rng.sample(times, 5)
        listed = " ".join(f"({mark}) {one}" for mark, one in zip("ABCDE", options, strict=True))
        return f"Train {n} left the town of Graz. When was that? {listed}", "ABCDE"[options.index(times[0])]

    (message,) = messages(form_does_not_tell_the_answer, write, 60)
    assert "gives the answer away" in message


@pytest.mark.parametrize("write", [
    priced(lambda right, rng: around(rng.randint(0, 4))(right, rng)),
    priced(around(2), "Which of these prices is the median, for order {n}?"),
    priced(around(3), "Which of these times wins silver?"),
    priced(around(1), "Which of these would be taken?"),
    priced(around(4), "In race {n}, which is the time of whom all others waited for?"),
    priced(around(0), "Which of these is within a limit of {n} kg?"),
])  # fmt: skip
def test_options_that_are_compared_by_the_task_or_in_any_place_are_let_alone(write):
    assert messages(form_does_not_tell_the_answer, write, 60) == []


def boxes(again, count=60):
    """Boxes with balls; those of test are those of train under other numbers, or others."""

    class Boxes:
        def build_dataset(self, tokenizer, split="train"):
            rng = random.Random(5 if again else split)
            drawn = [(rng.randint(2, 90), rng.randint(2, 90)) for _ in range(count)]
            first = 0 if split == "train" else 1000
            text = "Case {}: a box has {} red and {} blue balls. How many in all?"
            return [{"prompt": text.format(first + n, *pair), "n": sum(pair)} for n, pair in enumerate(drawn)]

        def score_episode(self, model, tokenizer, completion, n):
            return float(completion == str(n))

    return Boxes


def test_rows_of_test_under_other_numbers_are_found():
    (finding,) = found(in_other_words, boxes(again=True))
    assert "60 of 60 rows of `test` are rows of `train` with another id or number" in finding.message
    assert found(in_other_words, boxes(again=False)) == []


def night(n, rng):
    options, place = rng.sample(["ant", "bee", "cat", "dog", "elk", "fox"], 4), rng.randrange(4)
    listed = "\n".join(f"{mark}) {one}" for mark, one in zip("ABCD", options, strict=True))
    told = f"[q{n}-{'abcd'[place]}{n + 10}] What was seen in night {n}? The {options[place]} passed the gate."
    return f"{told}\n{listed}", "ABCD"[place]


def review(n, rng):
    good, bad = ["We slept well.", "The room was bright.", "The soup was hot."], ["The tap dripped.", "It was loud."]
    texts = rng.sample(good, 3) if n % 2 else rng.sample(bad, 2)
    return "\n".join([f"Is this ({rng.random()}) good or bad?", *texts]), "good" if n % 2 else "bad"


def test_letters_in_an_id_and_the_number_of_lines_are_found():
    (message,) = messages(form_does_not_tell_the_answer, night)
    assert "Letters 2 in the id of a prompt gives the answer away" in message
    (finding,) = found(form_does_not_tell_the_answer, asking(review, 80))
    assert (finding.severity, "The number of lines in a prompt" in finding.message) == ("warning", True)


@pytest.mark.parametrize("telling", TELLING.values(), ids=TELLING)
def test_a_rule_that_tells_the_answer_is_found(telling):
    def write(n, rng):
        asked, answer = larger(rng)
        return telling(asked, answer == "yes", n), answer

    (message,) = messages(form_does_not_tell_the_answer, write)
    assert "gives the answer away" in message


LET_ALONE = {
    "a number by chance": lambda n, rng: (lambda asked: (f"Question {n}: {asked[0]}", asked[1]))(larger(rng)),
    "the number is the task": lambda n, rng: (f"Question {n}: is this an even number?", "no" if n % 2 else "yes"),
    "the mark is the task": lambda n, rng: (
        f"Statement or question? Bird {n} sings{'?' if n % 2 else '.'}", "question" if n % 2 else "statement",
    ),
    "seats": lambda n, rng: (
        f"Guest {chr(65 + n % 26)} has seat 7-{'ACDF'[n % 4]}. Window or aisle?",
        "window" if n % 4 in (0, 3) else "aisle",
    ),
}  # fmt: skip


@pytest.mark.parametrize("write", LET_ALONE.values(), ids=LET_ALONE)
def test_what_the_task_is_about_is_no_leak(write):
    assert messages(form_does_not_tell_the_answer, write) == []


def test_nothing_is_said_of_a_few_rows():
    assert (
        messages(form_does_not_tell_the_answer, lambda n, rng: (f"{larger(rng)[0]} {' ' * (n % 2)}", "ab"[n % 2]), 16)
        == []
    )


def product(n: int) -> tuple[str, int]:
    a, b = random.Random(n).sample(range(12, 99), 2)
    return f"What is {a} times {b}?", a * b


@pytest.mark.parametrize("write", [
    lambda n, rng: (f"[sum {n}: {product(n)[1]}] {product(n)[0]}", str(product(n)[1])),
    lambda n, rng: (f"{product(n)[0]} <!-- row {n}, {product(n)[1]} -->", str(product(n)[1])),
    lambda n, rng: (f"products_{n}_{product(n)[1]}.json: {product(n)[0]}", str(product(n)[1])),
])  # fmt: skip
def test_names_that_hold_the_answer_are_found(write):
    (message,) = messages(names_of_rows_do_not_hold_answers, write)
    assert "40 of 40" in message


TEAMS = ("billing", "shipping", "account", "technical")


def test_an_id_with_the_first_letters_of_the_answer_is_found():
    def write(n, rng):
        asked = "Which team: billing, shipping, account or technical?"
        return f"{asked}\nTicket {TEAMS[n % 4][:3].upper()}-{410 + n}: text {n} of a customer", TEAMS[n % 4]

    (message,) = messages(names_of_rows_do_not_hold_answers, write)
    assert "'billing' in 'BIL-410'" in message


class Leaves(SingleTurnEnv):
    """The same question about each picture, whose file is named in the prompt."""

    name = "{}/{}_{}.png"

    def build_dataset(self, tokenizer):
        ills = ("rust", "mildew", "blight", "healthy")
        asked = "Image {}. What is it: rust, mildew, blight or healthy?"
        return [
            {
                "prompt": asked.format(self.name.format("field", ills[n % 4], 100 + 7 * n)),
                "image": Image.new("RGB", (8, 8), (n, 90, 10)),
                "ill": ills[n % 4],
            }
            for n in range(16)
        ]

    def score_episode(self, model, tokenizer, completion, ill):
        return float(completion.strip() == ill)

    def solve(self, row):
        return row["ill"]


class TwoLeaves(Leaves):
    """Two answers are enough where a picture is asked about."""

    def build_dataset(self, tokenizer):
        return [row for row in super().build_dataset(tokenizer) if row["ill"] in ("rust", "healthy")]


class NumberedLeaves(Leaves):
    name = "{0}/leaf_{2}.png"


class Clocks(Leaves):
    """Times in the names of files, without their colon."""

    def build_dataset(self, tokenizer):
        return [
            {
                **row,
                "prompt": f"Image dials/no_{n % 12:02}{3 * n:02}.png. Which time?",
                "ill": f"{n % 12:02}:{3 * n:02}",
            }
            for n, row in enumerate(super().build_dataset(tokenizer))
        ]


class PlainClocks(Clocks):
    """The hour has a zero in the name of the file alone."""

    def build_dataset(self, tokenizer):
        return [{**row, "ill": row["ill"].removeprefix("0")} for row in super().build_dataset(tokenizer)]


class Levels(Leaves):
    """Whole numbers in the names of files, with zeros before them."""

    def build_dataset(self, tokenizer):
        return [
            {
                **row,
                "prompt": f"Image cams/tank_{5 * n + 10:03}.png. How full is it in per cent?",
                "ill": str(5 * n + 10),
            }
            for n, row in enumerate(super().build_dataset(tokenizer))
        ]


def test_a_file_that_is_named_after_its_answer_is_found():
    (time,) = found(names_of_rows_do_not_hold_answers, Clocks)
    assert "'00:00' in 'dials/no_0000.png'" in time.message
    assert len(found(names_of_rows_do_not_hold_answers, PlainClocks)) == 1
    assert len(found(names_of_rows_do_not_hold_answers, Levels)) == 1
    (finding,) = found(names_of_rows_do_not_hold_answers, Leaves)
    assert "'rust' in 'field/rust_100.png'" in finding.message
    assert len(found(names_of_rows_do_not_hold_answers, TwoLeaves)) == 1
    assert found(names_of_rows_do_not_hold_answers, NumberedLeaves) == []


@pytest.mark.parametrize("write", [
    lambda n, rng: (f"Ticket {TEAMS[(n + 1) % 4][:3].upper()}-{410 + n}: text {n} of a customer", TEAMS[n % 4]),
    lambda n, rng: (f"What does the code of ticket {TEAMS[n % 4][:3].upper()}-{410 + n} say?", TEAMS[n % 4]),
    lambda n, rng: (f"What is the last part of order-{n}-{n * 7}?", str(n * 7)),
    lambda n, rng: (f"[sum {n}: {product(n + 1)[1]}] {product(n)[0]}", str(product(n)[1])),
    lambda n, rng: (f"(page {n}) Ada paid {n * 7} euros on day {n}. How much did she pay?", str(n * 7)),
])  # fmt: skip
def test_names_that_are_the_task_or_hold_something_else_are_let_alone(write):
    assert messages(names_of_rows_do_not_hold_answers, write) == []


def test_a_hint_on_some_rows_is_found_whichever_rows_have_it():
    for rows in (lambda n: n % 2, lambda n: n % 3 == 0, lambda n: n < 30):

        def write(n, rng, rows=rows):
            asked, answer = product(n)
            return (f"The next answer will be {answer}. {asked}" if rows(n) else asked), str(answer)

        (message,) = messages(answers_are_not_in_most_prompts, write)
        assert "behind" in message or "in the prompt of" in message


def test_facts_that_stand_in_two_places_are_the_task():
    def write(n, rng):
        sold = rng.randint(10, 99)
        return (f"We sold {sold} pens. How many?" if n % 2 else f"Pens: {sold} were sold. How many?"), str(sold)

    assert messages(answers_are_not_in_most_prompts, write) == []


def test_the_words_that_prompts_share_end_before_an_answer():
    def write(n, rng):
        first, second = f"08:00:{n + 10}", f"08:{n + 11}:{n + 13}"
        return f"Which was slow?\n{first} {9 - n % 6} s\n{second} 4.5 s", second if n % 6 else first

    assert messages(answers_are_not_in_most_prompts, write) == []


def test_the_question_as_an_example_is_found_behind_its_label_and_in_turns():
    def labelled(n, rng):
        shown = [product(n), product(n + 1)]
        text = "\n".join(f"Q: {asked}\nA: {answer}" for asked, answer in shown)
        return f"{text}\nQ: {product(n)[0]}\nA:", str(product(n)[1])

    def other(n, rng):
        shown = [product(n + 2), product(n + 1)]
        text = "\n".join(f"Q: {asked}\nA: {answer}" for asked, answer in shown)
        return f"{text}\nQ: {product(n)[0]}\nA:", str(product(n)[1])

    assert "40 of 40" in messages(examples_are_of_other_rows, labelled)[0]
    assert messages(examples_are_of_other_rows, other) == []


def test_one_prompt_with_two_golds_is_played():
    def write(n, rng):
        return product(n - 1 if n % 5 == 4 else n)[0], str(product(n)[1])

    (message,) = messages(a_prompt_has_one_gold, write)
    assert "same prompt" in message
    assert messages(a_prompt_has_one_gold, lambda n, rng: (product(n % 20)[0], str(product(n % 20)[1]))) == []
