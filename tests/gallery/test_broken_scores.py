"""The mistakes of the group score, each proven by hand."""

import math
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.gallery.playing import class_of, mean, opened, play, play_gold, rows_of


def score(name, row, completion, env=None):
    return (env or class_of(name)()).score_episode(None, None, completion, **row)


def seconds_for(function, *args):
    started = time.perf_counter()
    function(*args)
    return time.perf_counter() - started


def test_one_name_of_361_has_a_letter_that_the_table_lacks():
    rows, env = rows_of("accented_names"), class_of("accented_names")()
    failing = []
    for index, row in enumerate(rows):
        try:
            assert score("accented_names", {"name": row["name"]}, env.solve(row), env) == 1.0
        except UnicodeEncodeError:
            failing.append(index)
    assert failing == [217]
    assert len(rows) == 361


def test_no_words_give_nan():
    row = {"answer": ["rum", "mint"]}
    assert math.isnan(score("precision_of_nothing", row, " , "))
    assert score("precision_of_nothing", row, "beer") == 0.0
    assert score("precision_of_nothing", row, "rum, mint") == 1.0
    assert play("precision_of_nothing", 0, "").error.type == "ScoreError"


def test_a_long_answer_falls_below_the_declared_range():
    assert play("long_winded", 0, "Lyon").reward == 0.0
    assert play("long_winded", 0, "Lyon " * 400).reward < -1


def test_the_second_time_is_paid_less():
    env = class_of("novelty_bonus")()
    assert [score("novelty_bonus", {"n": 40}, "15+25", env) for _ in range(2)] == [1.0, 0.8]


def test_the_clock_lowers_the_reward():
    env, row = class_of("clock_bonus")(), {"answer": "3"}
    first = score("clock_bonus", row, "3", env)
    env.started -= 600  # as ten minutes later
    assert score("clock_bonus", row, "3", env) == pytest.approx(first - 0.05, abs=0.001)


def test_the_reward_of_one_answer_is_noisy():
    assert len({play("tie_breaking_noise", 0, "tenalp").reward for _ in range(3)}) == 3


def test_scoring_empties_the_list_in_the_row():
    row = {"members": ["solid", "liquid", "gas"]}
    assert [score("pops_the_answers", row, "solid\nliquid\ngas") for _ in range(2)] == [1.0, 0.0]


@pytest.mark.slow
def test_threads_read_what_another_one_wrote():
    env, rows = class_of("shared_scratch_file")(), rows_of("shared_scratch_file") * 8

    def gold(row):
        return score("shared_scratch_file", {"name": row["name"], "value": row["value"]}, env.solve(row), env)

    with ThreadPoolExecutor(16) as pool:
        assert sum(pool.map(gold, rows)) < len(rows)
    assert sum(map(gold, rows)) == len(rows)


def test_each_letter_doubles_what_the_pattern_needs():
    right, answer = class_of("address_pattern")().right, "ada.hill@books.com"
    assert seconds_for(right, "a" * 21, answer) > 8 * seconds_for(right, "a" * 15, answer)


def test_bad_json_ends_the_process():
    with pytest.raises(SystemExit):
        score("exits_on_bad_json", {"item": "pen", "count": 2}, "two pens")


def test_an_async_generator_is_no_score():
    assert play("streaming_judge", 0, "1 2 3").error.stage == "score"
    assert not hasattr(score("streaming_judge", {"n": 3}, "1 2 3"), "__await__")


def test_training_rows_are_scored_by_the_answers_of_the_test_rows():
    loaded = opened("answers_of_the_last_split")
    loaded.rows("train")
    row = rows_of("answers_of_the_last_split", "train")[0]
    assert loaded.env.score_episode(None, None, loaded.env.solve(row), row["place"]) == 1.0
    loaded.rows("test")
    assert loaded.env.score_episode(None, None, loaded.env.solve(row), row["place"]) == 0.0


def test_one_grade_is_text():
    assert score("grade_as_text", {"label": "comment"}, "reject") == "0.2"
    assert {type(score("grade_as_text", {"label": "approve"}, said)) for said in ("approve", "reject", "x")} == {float}
    assert "'0.2'" in play("grade_as_text", 4, "reject").error.message


def test_json_that_is_a_list_raises():
    assert play("json_is_a_dict", 0, "no JSON").reward == 0.0
    assert "no attribute 'get'" in play("json_is_a_dict", 0, '["Ada", 21]').error.message


def test_the_answer_is_evaluated_however_long_it_takes():
    env, row = class_of("evaluates_answers")(), {"numbers": [2, 3, 4], "target": 10}
    assert score("evaluates_answers", row, "2*3+4", env) == 1.0
    short = seconds_for(lambda: score("evaluates_answers", row, "9**9**3", env))
    assert seconds_for(lambda: score("evaluates_answers", row, "9**9**6", env)) > 5 * short


def test_long_words_are_worth_more_than_one():
    assert [round(play_gold("step_rewards_add_up", n).reward, 3) for n in (0, 1, 8)] == [0.6, 1.0, 1.6]
    assert mean("step_rewards_add_up", "x") == 0.0
