"""The mistakes of the groups teaching and signal, each proven by an answer that is paid, or is not."""

from collections import Counter

import pytest

from grpo_env_sdk import call_message
from tests.gallery.playing import class_of, gold_rewards, mean, opened, play, rows_of

ANYTHING = "The quick brown fox jumps over the lazy dog."


@pytest.mark.parametrize(
    ("name", "said", "paid"),
    [
        ("trailing_comma", (ANYTHING,), 1.0),
        ("any_label_listed", ("refunds delivery account repairs",), 1.0),
        ("any_number_listed", (" ".join(str(n) for n in range(101)),), 1.0),
        ("small_numbers", (" ".join(str(n) for n in range(101)),), 1.0),
        ("silence_pays", ("",), 0.75),
        ("short_is_better", ("",), 2 / 3),
        ("only_false_positives", ("",), 1.0),
        ("form_always_pays", ("no JSON at all",), 0.5),
        ("words_counted", ("five words about anything else",), 1.0),
        ("typo_behind_default", ("iron",), 0.0),
        ("always_the_second", ("B",), 1.0),
        ("empty_tags", ("<think></think><answer></answer>",), 0.7),
        ("nine_tenths_for_nothing", (ANYTHING,), 0.9),
        ("mostly_other", ("ok",), 56 / 59),
        ("mostly_praise", ("good",), 34 / 40),
    ],
)
def test_one_answer_is_paid_on_every_row(name, said, paid):
    assert mean(name, *said) == pytest.approx(paid)


def test_a_text_that_says_nothing_of_the_topic_earns_as_much_as_gold():
    assert mean("trailing_comma", gold=True) == mean("trailing_comma", ANYTHING) == 1.0
    assert mean("trailing_comma", "") == 0.0


def test_doing_nothing_pays_on_the_days_without_a_free_hour():
    idle, all_day = mean("nothing_fits", "There is none."), len(rows_of("nothing_fits"))
    none_free = [row for row in rows_of("nothing_fits") if max(row["free"]) < row["earliest"]]
    assert idle == pytest.approx(len(none_free) / all_day)
    assert 0.25 < idle < 0.6


def test_the_prompt_shows_the_answer_of_its_own_row():
    assert all(f"is {row['answer']}." in row["prompt"] for row in rows_of("example_is_the_task"))


def test_any_guess_is_told_the_answer():
    result = play("check_tells_the_answer", 3, call_message("check", result=0)).tool_calls[0]["content"]
    assert f'"expected": {rows_of("check_tells_the_answer")[3]["answer"]}' in result


def test_gold_fails_where_the_total_ends_in_a_zero():
    earned = zip(rows_of("trailing_zero"), gold_rewards("trailing_zero"), strict=True)
    rewards = {row["answer"]: reward for row, reward in earned}
    assert {reward for answer, reward in rewards.items() if len(answer.partition(".")[2]) == 1} == {0.0}
    assert {reward for answer, reward in rewards.items() if len(answer.partition(".")[2]) == 2} == {1.0}


def test_naming_the_page_as_the_prompt_does_is_never_paid():
    assert mean("source_with_suffix", gold=True) == 0.5
    assert "holidays.md" not in rows_of("source_with_suffix")[0]["prompt"]


def test_no_prompt_and_no_other_number_gives_the_number_of_the_parcel():
    rows = rows_of("number_never_told")
    assert not any(row["number"] in row["prompt"] for row in rows)
    assert play("number_never_told", 0, call_message("track", number=rows[1]["number"]), "delivered").reward == 0
    assert mean("number_never_told", gold=True) == 1


def test_gold_of_a_misspelt_parameter_is_worth_nothing():
    assert mean("typo_behind_default", gold=True) == 0.0


def test_only_rows_of_six_links_need_more_turns_than_there_are():
    earned = zip(rows_of("too_few_turns"), gold_rewards("too_few_turns"), strict=True)
    rewards = {len(row["boxes"]): reward for row, reward in earned}
    assert rewards == {1: 1.0, 2: 1.0, 3: 1.0, 4: 1.0, 5: 1.0, 6: 0.0}


@pytest.mark.parametrize("near", ["Orange ", "orange", "Orange.", "It is Orange"])
def test_a_right_colour_in_other_letters_is_wrong(near):
    assert (play("strict_spelling", 0, "Orange").reward, play("strict_spelling", 0, near).reward) == (1.0, 0.0)


def test_another_unit_is_paid():
    assert rows_of("unit_ignored")[0]["answer"] == "12 km"
    assert [play("unit_ignored", 0, said).reward for said in ("12 km", "12 miles", "12 mm", "13 km")] == [1, 1, 1, 0]


def test_twelve_hours_off_is_paid_in_full_and_four_not_at_all():
    answer = rows_of("half_a_day_off")[0]["answer"]
    rewards = [play("half_a_day_off", 0, str((answer + off) % 24)).reward for off in (0, 1, 4, 12)]
    assert rewards == [1.0, 0.75, 0.0, 1.0]


def test_the_first_multiple_alone_is_paid_in_full():
    row = rows_of("precision_only")[0]
    assert [play("precision_only", 0, said).reward for said in (str(row["multiples"][0]), "1", "1, 28")] == [
        1.0,
        0.0,
        0.5,
    ]


def test_the_letter_of_another_customer_is_nearly_right():
    letters = [row["letter"] for row in rows_of("boilerplate")]
    assert mean("boilerplate", letters[20]) > 0.9
    assert mean("boilerplate", ANYTHING) < 0.5


def test_options_stand_in_one_order():
    assert Counter(row["answer"] for row in rows_of("always_the_second")) == {"B": 10}


def test_all_but_one_of_forty_in_order_is_worth_nothing():
    numbers = rows_of("all_or_nothing")[0]["answer"].split()
    numbers[0], numbers[1] = numbers[1], numbers[0]
    assert play("all_or_nothing", 0, " ".join(numbers)).reward == 0.0


def test_four_of_five_words_are_worth_nothing():
    answer = rows_of("whole_division")[0]["answer"]
    assert play("whole_division", 0, " ".join([*answer[:4], "nada"])).reward == 0.0
    assert play("whole_division", 0, " ".join(answer)).reward == 1.0


def test_the_part_for_form_never_moves():
    env = class_of("form_always_pays")()
    assert {env.valid_json(said) for said in ("", "{", "[]", '{"celsius": 3}')} == {True}
    assert opened("form_always_pays").traits.reward_range == (0.0, 1.0)


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("pays_itself", (call_message("send", to="Ann", amount=-1000), "Done.")),
        ("counted_at_the_end", (call_message("query", sql="delete from bikes"), "0")),
        ("nearly_the_year", ("In 1070.",)),
    ],
)
def test_what_is_wrong_is_paid_like_gold(name, wrong):
    assert play(name, 0, *wrong).reward == 1.0


@pytest.mark.parametrize(
    ("name", "right"),
    [("tags_refused", "<answer>{capital}</answer>"), ("unmentioned_hashes", "{answer} euro left.")],
)
def test_a_right_answer_is_refused_for_its_form(name, right):
    assert play(name, 0, right.format(**rows_of(name)[0])).reward == 0.0
