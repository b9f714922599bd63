import hashlib
import json
import os
import random
import subprocess
import sys

import pytest

from grpo_env_tickets import TicketsEnv
from grpo_env_tickets.cases import Case, outcomes
from grpo_env_tickets.rows import make_rows
from grpo_env_tickets.store import DIFFICULTIES

DIGEST = """
import hashlib, json, random
from grpo_env_tickets.rows import make_rows
random.seed(7)
print(hashlib.sha256(json.dumps(make_rows("hard", "test", 0)).encode()).hexdigest())
"""


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_there_are_1000_rows_to_train_on_and_250_held_out_and_a_dataset_gives_them_back(difficulty, rows_of):
    env = TicketsEnv(difficulty)
    assert env.build_dataset(None, split="test") == rows_of(difficulty)
    assert (len(rows_of(difficulty, "train")), len(rows_of(difficulty))) == (1000, 250)


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_no_shop_of_one_split_is_in_the_other(difficulty, rows_of):
    train, test = ({row["store_seed"] for row in rows_of(difficulty, split)} for split in ("train", "test"))
    assert not train & test


def test_rows_are_the_same_in_another_process_whatever_its_hash_seed(rows_of):
    told = subprocess.run(
        [sys.executable, "-c", DIGEST],
        env={**os.environ, "PYTHONHASHSEED": "123", "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    random.seed(8)
    assert told.stdout.strip() == hashlib.sha256(json.dumps(rows_of("hard")).encode()).hexdigest()


def test_another_seed_has_other_cases(rows_of):
    other = {row["store_seed"] for row in make_rows("easy", "test", seed=1)}
    assert not other & {row["store_seed"] for row in rows_of("easy")}


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_every_outcome_is_there_as_often_as_it_should(difficulty, rows_of):
    kinds, rows = outcomes(difficulty), rows_of(difficulty, "train")
    for outcome in set(kinds):
        found = sum(row["outcome"] == outcome for row in rows)
        assert abs(found / len(rows) - kinds.count(outcome) / len(kinds)) < 0.01


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_the_outcome_of_a_row_is_what_the_rules_ask_for(difficulty, rows_of):
    for row in rows_of(difficulty):
        right = Case.from_row(row).right
        assert row["outcome"] == {"refuse": right.arguments.get("reason"), "escalate": "escalate"}.get(
            right.tool, "act"
        )


def test_some_customers_change_their_mind_and_sometimes_that_changes_what_is_right(rows_of):
    cases = [Case.from_row(row) for row in rows_of("hard")]
    changed = [case for case in cases if len(case.wishes) == 2]
    assert 0.3 < len(changed) / len(cases) < 0.7
    assert all(case.wishes[0] != case.wishes[1] for case in changed)


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_what_is_wanted_can_be_found_from_what_is_said(difficulty, rows_of):
    for row in rows_of(difficulty):
        case, store = Case.from_row(row), Case.from_row(row).store()
        said = " ".join([case.opening, *case.lines])
        order = store.orders[case.wishes[-1].order]
        named = [item for one in store.orders_of(case.email) for item in one.items if item.product in said]
        assert case.email in said
        assert order.id in said or {item.id for item in named} <= {item.id for item in order.items}
        assert all(part in said for part in (case.wishes[-1].size, case.wishes[-1].city))


def test_an_unknown_difficulty_is_told_with_those_that_exist():
    with pytest.raises(ValueError, match="'impossible'; it can be easy, normal, hard"):
        TicketsEnv("impossible")
