import hashlib
import inspect
import json
import os
import random
import subprocess
import sys

import pytest

from grpo_env_hotel import HotelEnv
from grpo_env_hotel.requests import Request
from grpo_env_hotel.rows import make_rows
from grpo_env_hotel.world import DIFFICULTIES, make_world

DIGEST = """
import hashlib, json, random
from grpo_env_hotel.rows import make_rows
random.seed(7)
rows = [make_rows(difficulty, "test", 0) for difficulty in ("easy", "normal", "hard")]
print(hashlib.sha256(json.dumps(rows).encode()).hexdigest())
"""


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_there_are_2000_rows_to_train_on_and_500_held_out(difficulty, rows_of):
    train, test = (rows_of(difficulty, split) for split in ("train", "test"))
    assert inspect.signature(HotelEnv.build_dataset).parameters["split"].default == "train"
    assert (len(train), len(test)) == (2000, 500)
    assert {tuple(row) for row in train} == {tuple(row) for row in test}


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_no_request_prompt_or_world_of_one_split_is_in_the_other(difficulty, rows_of):
    train, test = (rows_of(difficulty, split) for split in ("train", "test"))
    for content in (
        lambda row: row["prompt"][-1]["content"],
        lambda row: row["world_seed"],
        Request.from_row,
    ):
        assert not set(map(content, train)) & set(map(content, test))


def test_rows_are_the_same_in_another_process_whatever_its_hash_seed(rows_of):
    shown = subprocess.run(
        [sys.executable, "-c", DIGEST],
        env={**os.environ, "PYTHONHASHSEED": "123", "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    random.seed(8)
    here = json.dumps([rows_of(difficulty) for difficulty in DIFFICULTIES])
    assert shown.stdout.strip() == hashlib.sha256(here.encode()).hexdigest()


def test_another_seed_asks_for_other_things(rows_of):
    first, second = rows_of("easy"), make_rows("easy", "test", seed=1)
    assert sum(a == b for a, b in zip(first, second, strict=True)) == 0


@pytest.mark.parametrize(("difficulty", "kinds"), [("easy", 1), ("normal", 2), ("hard", 3)])
def test_every_kind_of_request_is_common_enough_to_be_learnt(difficulty, kinds, rows_of):
    told = [row["kind"] for row in rows_of(difficulty, "train")]
    assert len(set(told)) == kinds
    assert min(map(told.count, set(told))) > 300


def test_an_easy_world_has_short_lists_and_nothing_sold_out(rows_of):
    for row in rows_of("easy"):
        hotels = make_world(row["world_seed"], "easy").in_city(row["city"])
        assert 3 <= len(hotels) <= 4
        assert all(hotel.rooms for hotel in hotels)


def test_the_prompt_says_all_that_is_asked_and_no_hotel(rows_of):
    for row in rows_of("hard"):
        said = row["prompt"][-1]["content"]
        asked = [
            row[name] for name in ("city", "other_city", "nights", "max_price", "min_stars", "max_distance")
        ]
        assert all(str(value) in said for value in [*asked, *row["amenities"]] if value is not None)
        assert not any(hotel in said for hotel in make_world(row["world_seed"], "hard").hotels)


def test_an_unknown_difficulty_is_told_with_those_that_exist():
    with pytest.raises(ValueError, match="'impossible'; it can be easy, normal, hard"):
        HotelEnv("impossible")
