"""Ready rewards that compare an answer with a column, and the tricks that do not pay."""

import math
import subprocess
import sys
import threading
import time

import pytest

from grpo_env_sdk import answer_tag
from grpo_env_sdk.data.messages import assistant_message, call_message, raw_text
from grpo_env_sdk.errors import ConfigError
from grpo_env_sdk.rewards import contains, exact_match, json_fields, matches, math_accuracy, number_match
from grpo_env_sdk.rewards.answers import last_number
from grpo_env_sdk.types import Episode


def chat(*texts):
    """A chat in which the assistant says each text, answered in between."""
    said = [{"role": "assistant", "content": text} for text in texts]
    return [message for one in said for message in (one, {"role": "user", "content": "7"})][:-1]


@pytest.mark.parametrize(
    ("completion", "answer", "score"),
    [
        ("Lyon", "Lyon", 1),
        ("  Lyon \n", "Lyon", 1),
        ("New\n York", "New York", 1),
        ("<think>Paris? no, Lyon</think>Lyon", "Lyon", 1),
        ("thoughts begun in the prompt</think>\n\nLyon", "Lyon", 1),
        (chat("Paris", "Lyon"), "Lyon", 1),
        ("4", 4, 1),
        ("Lyon", ["Paris", "Lyon"], 1),
        ("lyon", "Lyon", 0),
        ("Lyon.", "Lyon", 0),
        ("Lyon Paris Nice", "Lyon", 0),
        ("<think>Lyon</think>Paris", "Lyon", 0),
        ("<think>Lyon</think>", "Lyon", 0),
        ("<think>Lyon", "Lyon", 0),
        (chat("Lyon", "Paris"), "Lyon", 0),
        ("", "Lyon", 0),
        ("", "", 0),
        ("", [], 0),
        (chat(), "Lyon", 0),
    ],
)
def test_exact_match(completion, answer, score):
    assert exact_match()(completion, answer) == score


def test_exact_match_may_ignore_case():
    assert exact_match(ignore_case=True)("LYON", "Lyon") == 1
    assert exact_match(ignore_case=True)("STRASSE", "Straße") == 1


@pytest.mark.parametrize(
    ("completion", "answer", "score"),
    [
        ("It is Lyon.", "Lyon", 1),
        ("It is (Lyon)", "Lyon", 1),
        ("costs $5", "$5", 1),
        ("C++ it is", "C++", 1),
        ("It is Paris or Nice", ["Nice", "Lyon"], 1),
        ("Lyonnais", "Lyon", 0),
        ("15", "5", 0),
        ("<think>Lyon</think>No idea", "Lyon", 0),
        ("anything", "", 0),
        ("", "Lyon", 0),
    ],
)
def test_contains(completion, answer, score):
    assert contains()(completion, answer) == score


@pytest.mark.parametrize(
    ("completion", "answer", "score"),
    [
        ("42", "42", 1),
        ("The answer is 42.", 42, 1),
        ("42.0", "42", 1),
        ("1,234", "1234", 1),
        ("1 + 1 = 2, so 42", "reasons #### 42", 1),
        ("$42", "42", 1),
        ("42%", "42", 1),
        ("**42**", "42", 1),
        ("\\boxed{42}", "42", 1),
        ("-3", "-3", 1),
        ("\u22123", "-3", 1),
        ("<think>41</think>42", "42", 1),
        (chat("41", "42"), "42", 1),
        ("0.3333333", 1 / 3, 1),
        ("42", "no number", None),
        ("41", "42", 0),
        ("-42", "42", 0),
        ("42 41", "42", 0),
        (" ".join(map(str, range(1000))), "42", 0),
        (", ".join(map(str, range(1000))), "42", 0),
        ("42 is wrong, 7 is right", "42", 0),
        ("<think>42</think>I do not know", "42", 0),
        ("no number", "42", 0),
        ("", "42", 0),
        ("e5", "5", 0),
        ("knight to e5", "5", 0),
        ("1e999", "42", 0),
        ("0", "0.0000001", 0),
        ("0.0000001", "0", 1),
        ("0.333", 1 / 3, 0),
    ],
)
def test_number_match(completion, answer, score):
    assert number_match()(completion, answer) == score


def test_number_match_has_a_tolerance():
    assert number_match(tolerance=0.01)("99.5", 100) == 1
    assert number_match(tolerance=0.001)("99.5", 100) == 0


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1,234.5", 1234.5),
        ("12,345,678", 12345678),
        ("1\u202f234", 1234),
        ("1\u00a0234", 1234),
        ("1\u2009234\u2009567", 1234567),
        ("1 234", 234),
        ("2e6", 2e6),
        ("1.5E-3", 0.0015),
        (".5", 0.5),
        ("3.", 3),
        ("10-4", 4),
        ("10 - 4 = +6", 6),
        ("x2", None),
        ("5th", None),
        ("1/2", 2),
        ("\u0663", 3),
        ("\u00b2", None),
        ("e5", None),
        ("E10", None),
        ("", None),
    ],
)
def test_the_last_number_of_a_text(text, number):
    assert last_number(text) == number


def test_a_number_beyond_floats_is_infinite():
    assert math.isinf(last_number("9" * 400))


@pytest.mark.parametrize("text", ["1" * 200_000 + "x", "1," * 100_000, "-" * 200_000, "1e" * 100_000, "1." * 100_000])
def test_long_nonsense_is_read_quickly(text):
    began = time.perf_counter()
    last_number(text)
    assert time.perf_counter() - began < 5


@pytest.mark.parametrize(
    ("reward", "completion", "score"),
    [
        (matches(r"\d+"), "42", 1),
        (matches(r"\d+"), "it is 42", 0),
        (matches(r"\d+", whole=False), "it is 42", 1),
        (matches("a.b"), "a\nb", 1),
        (matches(r"\d+"), "<think>hm</think> 42 ", 1),
        (matches(r"\d+"), "<think>42</think>no", 0),
        (matches(r"\d+"), "", 0),
    ],
)
def test_matches(reward, completion, score):
    assert reward(completion) == score


@pytest.mark.parametrize("ready", [exact_match(), contains(), number_match(), json_fields(), math_accuracy()])
def test_the_answer_is_the_last_message_where_a_text_completion_holds_every_turn(ready):
    said = '{"n": 1}' if ready.name == "json_fields" else "42"
    messages = [call_message("look", n=7), {"role": "tool", "content": "8"}, {"role": "assistant", "content": said}]
    messages[:1] = [assistant_message(messages[0])]
    episode = Episode(env="x", row={}, seed=0, messages=messages, opening=0, stop_reason="terminated")
    offered = {"completion": raw_text(messages), "answer": {"n": 1} if ready.name == "json_fields" else "42"}
    assert ready.call({**offered, "episode": episode}) == 1


def test_a_pattern_that_is_none_is_told():
    with pytest.raises(
        ConfigError, match=r"'\(' is not a regular expression: missing \), .*\. Correct it, or use contains"
    ):
        matches("(")


@pytest.mark.parametrize("ready", [exact_match, contains, number_match, math_accuracy])
def test_a_row_without_an_answer_is_not_scored(ready):
    assert ready()("None", None) is None


@pytest.mark.parametrize("ready", [exact_match, contains])
def test_none_among_the_answers_allows_none(ready):
    assert (ready()("None", ["Lyon", None]), ready()("Lyon", ["Lyon", None])) == (0, 1)


@pytest.mark.parametrize("ready", [exact_match, contains, number_match])
def test_the_column_the_weight_and_the_name_can_be_said(ready):
    reward = ready("solution", weight=2, name="mine")
    reward.check(["solution"])
    assert (reward.weight, reward.name) == (2, "mine")
    assert reward.call({"completion": "42", "solution": "42", "answer": "7"}) == 1


@pytest.mark.parametrize(
    ("completion", "answer", "score"),
    [
        ("4", "4", 1),
        ("\\boxed{4}", 4, 1),
        ("The answer is $\\frac{1}{2}$.", "0.5", 1),
        ("$x^2 + 2x + 1$", "(x+1)^2", 1),
        ("<think>5</think>4", "4", 1),
        ([{"role": "assistant", "content": "\\boxed{4}"}], "4", 1),
        ("4", "", None),
        ("5", "4", 0),
        ("<think>4</think>5", "4", 0),
        ("\\boxed{1} \\boxed{2} \\boxed{3} \\boxed{4}", "4", 0),
        ("\\boxed{4}, \\boxed{5}", "4", 0),
        ("$1, 2, 3, 4, 5$", "4", 0),
        ("{1, 2, 4, 3}", "4", 0),
        ("x = y", "4", 0),
        ("I do not know", "4", 0),
        ("\\frac{", "4", 0),
        ("", "4", 0),
    ],
)
def test_math_accuracy(completion, answer, score):
    assert math_accuracy()(completion, answer) == score


def test_math_accuracy_works_outside_the_main_thread():
    found = []
    thread = threading.Thread(target=lambda: found.append(math_accuracy()("\\boxed{4}", "4")))
    thread.start()
    thread.join()
    assert found == [1.0]


def test_math_accuracy_prints_nothing():
    program = "from grpo_env_sdk.rewards import math_accuracy; print(math_accuracy()('4', '4'))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("1.0\n", "")


def test_math_accuracy_takes_another_column():
    reward = math_accuracy("solution", weight=2)
    assert reward.call({"completion": "4", "solution": "4"}) == 1


@pytest.mark.parametrize(("completion", "found"), [
    ("<guess> 7 </guess>", "7"), ("<guess>1</guess> no, <guess>7</guess>!", "7"), ("<guess>7</guess></guess>", "7"),
    ("<guess><guess>7</guess>", "7"), ("<guess></guess>", ""), ("<guess>7", None), ("7", None),
    ("<think><guess>1</guess></think>7", None), ({"role": "assistant", "content": "<guess>7</guess>"}, "7"),
    ([{"role": "assistant", "content": "<guess>1</guess>"}, {"role": "assistant", "content": "7"}], None),
])  # fmt: skip
def test_the_last_tag_of_the_answer(completion, found):
    assert answer_tag(completion, "guess") == found
    for ready in (exact_match, contains, number_match):
        assert ready(tag="guess")(completion, 7) == (found == "7")
