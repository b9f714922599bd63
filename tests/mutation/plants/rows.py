"""Faults of rows: what leaks into prompts, and what depends on where and when they are built."""

import inspect
import os
import time

from tests.mutation.plants.building import answers, gold_text, other_rows, prompted


def _with_gold(sound, change):
    """With `change(prompt, gold, index)` as each prompt, where gold is one text."""
    if not answers(sound):
        return None

    def changed(env, rows):
        golds = [gold_text(env, sound, row) for row in rows]
        return [
            row if gold is None else prompted(row, lambda text, gold=gold, n=n: change(text, gold, n))
            for n, (row, gold) in enumerate(zip(rows, golds, strict=True))
        ]

    return other_rows(sound, changed)


def gold_in_most_prompts(sound):
    return _with_gold(sound, lambda text, gold, n: f"{text} (not {gold})" if n % 10 else text)


def gold_ends_the_id(sound):
    return _with_gold(sound, lambda text, gold, n: f"[task {n * 37 % 1000}-{gold}] {text}")


def gold_decides_a_space(sound):
    return _with_gold(sound, lambda text, gold, n: text + " " * (sum(map(ord, gold)) % 2))


def the_last_answer_is_shown(sound):
    def changed(env, rows):
        golds = [gold_text(env, sound, row) or "" for row in rows]
        return [
            prompted(row, lambda text, n=n: f"The next answer will be {golds[n]}. {text}" if n % 2 else text)
            for n, row in enumerate(rows)
        ]

    return other_rows(sound, changed) if answers(sound) else None


def in_local_time(sound):
    stamp = "%d %B, %H o'clock"
    return other_rows(
        sound,
        lambda env, rows: [
            prompted(row, lambda text, n=n: f"{time.strftime(stamp, time.localtime(n * 9000))}: {text}")
            for n, row in enumerate(rows)
        ],
    )


def of_today(sound):
    return other_rows(
        sound, lambda env, rows: [prompted(row, lambda text: f"{time.time():.0f}: {text}") for row in rows]
    )


def begun_at_the_rank(sound):
    rank = "RANK"
    return other_rows(sound, lambda env, rows: rows[int(os.environ.get(rank, 0)) :])


def in_the_order_of_a_set(sound):
    def changed(env, rows):
        return [rows[n] for n in sorted({*range(len(rows))}, key=lambda n: hash(str(rows[n]["prompt"])))]

    return other_rows(sound, changed)


def signed_by_the_user(sound):
    name = "HOME"
    return other_rows(
        sound, lambda env, rows: [prompted(row, lambda text: f"{os.environ.get(name)}: {text}") for row in rows]
    )


def the_same_rows_again(sound):
    return other_rows(sound, lambda env, rows: [*rows, *rows[: len(rows) // 2]])


def tested_on_what_was_trained(sound):
    if "split" not in inspect.signature(sound.build_dataset).parameters:
        return None
    build = sound.build_dataset

    def build_dataset(self, tokenizer, split="train"):
        rows = [dict(row) for row in build(self, tokenizer, split)]
        if split == "train":
            return rows
        known = [dict(row) for row in build(self, tokenizer, "train")][: len(rows) // 2]
        return [*(prompted(row, str.upper) for row in known), *rows[len(rows) // 2 :]]

    planted = other_rows(sound, lambda env, rows: rows)
    planted.build_dataset = build_dataset
    return planted


def gold_of_another_row(sound):
    """A join that was off by one: every fifth prompt asks for something else."""

    def changed(env, rows):
        return [{**row, "prompt": rows[n - 1]["prompt"]} if n % 5 == 4 else row for n, row in enumerate(rows)]

    return other_rows(sound, changed)


ROWS = {
    "leaks in data": (
        gold_in_most_prompts, gold_ends_the_id, gold_decides_a_space, the_last_answer_is_shown, the_same_rows_again,
        tested_on_what_was_trained, gold_of_another_row,
    ),
    "where and when": (in_local_time, of_today, begun_at_the_rank, in_the_order_of_a_set, signed_by_the_user),
}  # fmt: skip
