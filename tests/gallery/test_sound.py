"""What is odd in a sound environment is as the catalogue says, and a right answer is still worth more than others."""

import pytest

from grpo_env_sdk import call_message
from tests.gallery.catalogue import SOUND
from tests.gallery.playing import class_of, mean, opened, play, play_gold, rows_of
from tests.gallery.test_exhibits import WITHOUT_SOLVE

VERSE = "The evening falls\nand someone lights\nthe old {}."


@pytest.mark.parametrize("name", [exhibit.name for exhibit in SOUND if exhibit.name not in WITHOUT_SOLVE])
def test_saying_nothing_earns_less_than_half_of_what_gold_does(name):
    low, high = opened(name).traits.reward_range
    nothing = mean(name, "")
    assert nothing <= (low + high) / 2


@pytest.mark.parametrize(
    ("name", "row", "said", "worth"),
    [
        ("negative_rewards", 0, "unknown", 0.0),
        ("negative_rewards", 0, "1970", -1.0),
        ("float_tolerance", 0, "12.6", 1.0),
        ("float_tolerance", 0, "13", 0.0),
        ("several_right", 0, "4 x 6", 1.0),
        ("several_right", 0, "1x24", 0.0),
        ("no_solution_known", 0, "abcba", 1.0),
        ("no_solution_known", 0, "abcde", 0.0),
        ("with_penalties", 0, "It is a baker, I think. " * 5, -0.5),
        ("reading", 0, "In the cellar.", 1.0),
        ("reading", 0, "the shed", 0.0),
        ("length_counts", 0, "Ada arrives at the station at 7", 1.0),
        ("length_counts", 0, "Ada is going to arrive at the station at about 7 or so", 0.5 + 0.5 * 8 / 13),
        ("length_counts", 0, "Ada arrives", 0.25),
        ("creative_floor", 0, VERSE.format("lantern"), 1.0),
        ("creative_floor", 0, VERSE.format("tree"), 0.25),
        ("seeded_trials", 0, "2*n+2", 0.0),
        ("abstains", 2, "6", 1.0),
        ("abstains", 0, "24", 0.5),
    ],
)
def test_other_answers_are_worth_what_they_should_be(name, row, said, worth):
    assert play(name, row, said).reward == pytest.approx(worth)


def test_partial_credit_grows_with_every_word_in_its_place():
    answer = rows_of("partial_credit")[0]["answer"]
    said = [" ".join([*answer[:n], *["x"] * (4 - n)]) for n in range(5)]
    assert [play("partial_credit", 0, text).reward for text in said] == [0, 0.25, 0.5, 0.75, 1]


@pytest.mark.parametrize(("name", "answers"), [("yes_no", ("yes", "no")), ("two_options", ("A", "B"))])
def test_a_constant_answer_is_right_half_of_the_time(name, answers):
    assert [mean(name, answer) for answer in answers] == [0.5, 0.5]


def test_three_lines_about_anything_are_worth_a_quarter():
    assert mean("creative_floor", VERSE.format("tree")) == 0.25


def test_a_part_abstains_where_there_is_no_unit():
    assert play_gold("abstains", 2).rewards == {"amount": 1.0, "right_unit": None}


def test_no_test_row_is_a_training_row():
    splits = [{row["prompt"] for row in rows_of("own_split", split)} for split in ("train", "test")]
    assert not splits[0] & splits[1]


def test_the_opponent_moves_alike_in_every_episode_of_a_row():
    games = [[message["content"] for message in play("seeded_opponent", 20, "2", "1", "1").messages] for _ in range(2)]
    assert games[0] == games[1]


def test_an_unlisted_name_has_to_be_looked_up():
    assert play("tool_that_fails", 0, "unlisted").reward == 0.0
    looked = play("tool_that_fails", 0, call_message("look_up", name="Person0"), "unlisted")
    assert (looked.reward, looked.tool_calls[0]["error"]) == (1.0, "tool_failed")


def test_sizes_and_shapes_are_what_the_catalogue_says():
    assert len(rows_of("three_rows")) == 3
    assert len(rows_of("long_prompts")[0]["prompt"]) > 10_000
    assert len({row["prompt"] for row in rows_of("one_prompt")}) == 1
    assert len(play("large_observation", 0, call_message("read_page", number=1)).messages[-2]["content"]) > 15_000
    assert opened("stateful_serial").traits.parallel is False
    assert opened("async_judge").traits.parallel is True
    assert opened("hand_written_schema").traits.runs_tools == "call_tool"
    assert not hasattr(class_of("no_solution_known"), "solve")
    assert opened("with_penalties").traits.reward_range == (-0.5, 1.0)
