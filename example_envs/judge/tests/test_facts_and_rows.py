import json

import pytest

from grpo_env_judge import JudgeEnv
from grpo_env_judge.facts import DAYS, Facts
from grpo_env_judge.rows import make_rows
from grpo_env_judge.wording import asked, notice


@pytest.mark.parametrize(
    ("change", "share"),
    [
        (("Friday", "Friday"), 1.0),
        (("Friday", "friday"), 1.0),
        (("Friday", "Monday"), 0.8),
        (("Friday", "Friday, not Monday,"), 0.8),
        (("Friday", ", ".join(DAYS)), 0.8),
        (("room 7", "room 77"), 0.8),
        (("18:30", "18:30 or 19:30"), 0.8),
        (("9 euros", "9 dollars"), 0.8),
        (("book club", "club"), 0.8),
    ],
)
def test_a_fact_is_told_where_nothing_else_of_its_kind_is(facts, change, share):
    assert facts.share_told(notice(facts).replace(*change)) == share


def test_every_fact_of_every_row_is_told_by_the_gold_notice():
    for row in make_rows("test", 0):
        assert Facts.from_row(row).share_told(JudgeEnv().solve(row)) == 1.0


def test_the_prompt_tells_two_facts_that_changed_and_what_held_before():
    for row in make_rows("test", 0):
        lines = row["prompt"][1]["content"].splitlines()
        assert [line.partition(": ")[0] for line in lines] == ["event", "day", "time", "place", "price"]
        assert [line.endswith(row[line.partition(":")[0]]) for line in lines] == [True] * 5
        assert sum(", now " in line for line in lines) == 2
        assert Facts.from_row(row).share_told(row["prompt"][1]["content"]) == 0.6


def test_no_facts_of_one_split_are_in_the_other():
    train, test = (make_rows(split, 0) for split in ("train", "test"))
    assert (len(train), len(test)) == (2000, 500)
    assert not {Facts.from_row(row) for row in train} & {Facts.from_row(row) for row in test}


def test_rows_depend_on_the_seed_alone():
    assert json.dumps(make_rows("test", 0)) == json.dumps(make_rows("test", 0))
    assert make_rows("test", 0) != make_rows("test", 1)


def test_the_lines_of_a_prompt(facts):
    assert asked(facts, {"day": "Monday"}).splitlines()[:2] == ["event: book club", "day: Monday, now Friday"]


@pytest.mark.parametrize(
    ("config", "told"),
    [
        ({"base_url": "http://127.0.0.1:1/v1"}, "needs both"),
        ({"model": "any"}, "needs both"),
        ({"base_url": "127.0.0.1:1", "model": "any"}, "'127.0.0.1:1' is not an http address"),
        ({"base_url": "http://[", "model": "any"}, "is not an http address"),
        ({"base_url": "http://me:secret@host/v1", "model": "any"}, "contains a login or a query"),
        ({"base_url": "http://host/v1?key=secret", "model": "any"}, "environment variable: key_variable"),
        ({"base_url": "http://host/v1", "model": "any", "key_variable": "NO_SUCH"}, "variable is not set"),
        ({"base_url": "http://host/v1", "model": "any", "seconds": 0}, "seconds is 0"),
        ({"base_url": "http://host/v1", "model": "any", "attempts": 0}, "attempts is 0"),
    ],
)
def test_config_that_cannot_work_is_told_at_once_and_without_secrets(config, told):
    with pytest.raises(ValueError, match=told) as raised:
        JudgeEnv(**config)
    assert "secret" not in str(raised.value)
