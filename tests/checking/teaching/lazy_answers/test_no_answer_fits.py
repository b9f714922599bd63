"""Rows without a right answer, where all answers that there can be are known."""

import pytest

from grpo_env_sdk.checking.teaching.lazy_answers.no_answer_fits import some_answer_fits_every_row as fits
from tests.checking.trying import asking, found

DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]


def free_hour(least):
    def write(n, rng):
        busy = rng.sample(range(8, 14), rng.randint(3, 6 - least))
        listed = ", ".join(f"{hour}:00" for hour in busy)
        return f"{n}. Busy at {listed}; work ends at 14:00. At which full hour from 8:00 is there time?", tuple(busy)

    def score_episode(self, model, tokenizer, completion, wanted):
        hour = completion.removesuffix(":00")
        return float(hour.isdecimal() and 8 <= int(hour) < 14 and int(hour) not in wanted)

    return type("FreeHour", (asking(write),), {"score_episode": score_episode, "solve": None})


def free_day(says_none):
    def write(n, rng):
        taken = rng.sample(DAYS, rng.choice([4, 5, 6, 7]))
        return f"{n}. The hall is taken on {', '.join(taken)}. On which day is it free?", tuple(taken)

    def score_episode(self, model, tokenizer, completion, wanted):
        left = [day for day in DAYS if day not in wanted]
        return float(completion in left or (says_none and not left and completion == "none"))

    return type("FreeDay", (asking(write),), {"score_episode": score_episode, "solve": None})


@pytest.mark.parametrize("cls", [free_hour(0), free_day(False)])
def test_rows_on_which_no_answer_scores_are_named(cls):
    (finding,) = found(fits, cls)
    assert "no answer scores" in finding.message


@pytest.mark.parametrize("cls", [free_hour(1), free_day(True), asking(lambda n, rng: (f"Which day follows {n}?", "x"))])
def test_rows_with_an_answer_and_others_are_let_alone(cls):
    assert found(fits, cls) == []
