"""Rows of `test` that are rows of `train` but for a number or id, which decides nothing."""

import random

from grpo_env_sdk import SingleTurnEnv, answer_text, reward
from grpo_env_sdk.checking.contract.leaks import test_rows_are_not_training_rows_in_other_words as apart
from grpo_env_sdk.checking.contract.masked_twins import masked_twins
from tests.checking.trying import found
from tests.gallery.broken.new_ticket_numbers import Zones

READERS = ["students", "parents", "teachers", "sailors", "bakers"]


def rows_of(seed, count, write):
    rng = random.Random(seed)
    return [write(rng) for _ in range(count)]


def split(write):
    """The texts of both splits, and gold by row."""
    rows = rows_of(1, 60, write) + rows_of(2, 20, write)
    texts = dict(enumerate(prompt for prompt, _ in rows))
    train = {row: texts[row] for row in range(60)}
    test = {row: texts[row] for row in range(60, 80) if texts[row] not in train.values()}
    return train, test, dict(enumerate(str(gold) for _, gold in rows))


def by_id(rng):
    """Whatever the number of the question, it is the same."""
    one, other = rng.randint(1, 9), rng.randint(2, 5)
    return f"What is {one} times {other}? (X-{rng.randint(100, 999)})", one * other


def by_reader(rng):
    """What the scorer does not read, but the task is about."""
    words = rng.randint(20, 60)
    return f"Write {words} words for {rng.choice(READERS)}.", words


def by_sum(rng):
    """Every number matters."""
    one, other, third = (rng.randint(1, 9) for _ in range(3))
    return f"What is {one} + {other} + {third}?", one + other + third


def by_threshold(rng):
    """The number decides, although few answers are possible."""
    weight, most = rng.randint(1, 60), rng.choice([20, 30, 40])
    return f"A parcel of {weight} kg: does it go by van (above {most} kg)?", "yes" if weight > most else "no"


def by_sort_alone(rng):
    """So few answers that equal ones say nothing."""
    return f"Parcel {rng.randint(1000, 9999)}: is it wood?", "no"


def test_rows_that_differ_in_a_number_that_never_decides_are_twins():
    train, test, gold = split(by_id)
    assert len(masked_twins(train, test, gold)) >= 10


def test_rows_whose_numbers_matter_are_no_twins():
    for write in (by_sum, by_threshold, by_sort_alone, by_reader):
        assert masked_twins(*split(write)) == []
    train, test, _ = split(by_id)
    assert masked_twins(train, test, {}) == []  # nothing is known of what is right


class TakesTurns(SingleTurnEnv):
    """Sound: the number of the ticket decides what is taken off."""

    def build_dataset(self, tokenizer, split="train"):
        rows = Zones.build_dataset(self, tokenizer, split)
        return [{**row, "crowns": row["crowns"] - int(row["prompt"].split("ticket ")[1][4])} for row in rows]

    @reward
    def right(self, completion, crowns):
        return answer_text(completion).strip() == str(crowns)

    def solve(self, row):
        return str(row["crowns"])


class FromTheMessages(Zones):
    """Sound: the scorer reads in the messages how often the fare is to be written."""

    def build_dataset(self, tokenizer, split="train"):
        rows = Zones.build_dataset(self, tokenizer, split)
        return [{**row, "prompt": row["prompt"].replace("Only the number.", "Write it on as many lines as the ticket's "
                "second digit says.")} for row in rows]  # fmt: skip

    @reward
    def right(self, completion, messages, crowns):
        return answer_text(completion) == "\n".join([str(crowns)] * self.lines(messages[0]["content"]))

    def lines(self, prompt):
        return 1 + int(prompt.split("ticket ")[1][1])

    def solve(self, row):
        return "\n".join([str(row["crowns"])] * self.lines(str(row["prompt"])))


class FromWholeRows(FromTheMessages):
    """Sound: the scorer reads it in the row, and no gold is known."""

    solve = None

    @reward
    def right(self, completion, row):
        return answer_text(completion) == "\n".join([str(row["crowns"])] * self.lines(str(row["prompt"])))


def test_a_number_that_decides_tells_rows_apart():
    (finding,) = found(apart, Zones)
    assert (finding.severity, "decides on no row" in finding.message) == ("error", True)
    for cls in (TakesTurns, FromTheMessages, FromWholeRows):
        assert found(apart, cls) == []
