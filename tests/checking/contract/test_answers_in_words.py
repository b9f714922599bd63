"""Faults of answers that are text, in several forms and languages, each beside a sound environment that is like it."""

import json
import math
import random
import re
import time
from datetime import date, timedelta
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal

import pytest

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.contract.cut_off_decimals import gold_is_rounded_where_that_is_asked
from grpo_env_sdk.checking.contract.second_opinion import gold_is_what_the_prompt_asks_for
from grpo_env_sdk.checking.evidence.attempts.option_marks import is_offered
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.amounts.odd_values import values_that_say_nothing_are_not_gold
from grpo_env_sdk.checking.teaching.forms.allowed_forms import forms_that_a_prompt_allows_are_accepted
from grpo_env_sdk.checking.teaching.forms.frames import the_form_that_decides_is_asked_for
from grpo_env_sdk.checking.teaching.lazy_answers.guessing import no_fixed_answer_is_gold
from grpo_env_sdk.checking.teaching.lazy_answers.hedging import one_answer_at_a_time
from grpo_env_sdk.checking.teaching.wrong_answers.parts_of_gold import every_part_of_gold_counts
from tests.checking.trying import asking, found

FOODS = ("rice", "red lentils", "pasta", "oats", "flour", "olive oil", "beans", "millet", "barley", "quinoa")
LAST_NUMBER = r"-?\d+(?:\.\d+)?"


def scored(right, write, solvable=True, count=40):
    """An environment that scores `right(said, answer)` on rows that `write(n, rng)` gives, with or without solve."""

    class Scored:
        def build_dataset(self, tokenizer):
            rows = [write(n, random.Random(n)) for n in range(count)]
            return [{"prompt": prompt, "answer": answer} for prompt, answer in rows]

        def score_episode(self, model, tokenizer, completion, answer):
            try:
                return float(right(answer_text(completion), answer))
            except (ValueError, IndexError, ZeroDivisionError, OverflowError):
                return 0.0

    if solvable:
        Scored.solve = lambda self, row: row["answer"]
    return Scored


def severities(check, cls):
    return [item.severity for item in found(check, cls) if isinstance(item, Finding)]


def text(check, cls):
    return "\n".join(item.message for item in found(check, cls) if isinstance(item, Finding))


# a number that is no number


def speed(n, rng):
    return f"How fast is a stone after a fall of {n + 3} m?", f"{math.sqrt(2 * 9.81 * (n + 3)):.3f}"


def behind(mark, read):
    return lambda said, answer: read(said.replace(mark, ""), answer.replace(mark, ""))


def far(said, answer):
    return not abs(float(said) - float(answer)) > 0.02 * float(answer)


def near(said, answer):
    return abs(float(said) - float(answer)) <= 0.02 * float(answer)


def fallen(mark, right, solvable):
    def write(n, rng):
        prompt, answer = speed(n, rng)
        return prompt, mark + answer

    return scored(behind(mark, right), write, solvable, count=20)


@pytest.mark.parametrize(("mark", "solvable"), [("", False), ("Antwort: v = ", True)])
def test_what_is_no_number_is_named_where_it_is_no_further_from_gold_than_allowed(mark, solvable):
    assert "nan or infinity" in text(no_fixed_answer_is_gold, fallen(mark, far, solvable))


def test_a_tolerance_that_refuses_what_is_no_number_is_let_alone():
    assert severities(no_fixed_answer_is_gold, fallen("", near, True)) == []


def test_numbers_in_an_object_may_be_no_numbers():
    def write(n, rng):
        return f"Where is stop {n}? JSON with x and y.", json.dumps({"x": n * 1.5 + 1, "y": 2.25 * n + 1})

    def right(said, answer):
        given, wanted = json.loads(said), json.loads(answer)
        return not any(abs(given[key] - wanted[key]) > 0.1 for key in "xy")

    assert "NaN" in text(no_fixed_answer_is_gold, scored(right, write, count=16))


def submits(right):
    """The speed is handed in by a tool that takes it as a text."""

    class Submits(ToolEnv):
        max_turns = 4

        def build_dataset(self, tokenizer):
            rows = [speed(n, None) for n in range(16)]
            return [{"prompt": prompt, "answer": answer} for prompt, answer in rows]

        def setup(self, row):
            self.given = "0"

        @tool
        def submit(self, value: str) -> str:
            """Hand in the speed.

            Args:
                value: The number.
            """
            self.given = value
            return "Noted."

        @reward
        def close(self, answer):
            try:
                return float(right(self.given, answer))
            except ValueError:
                return 0.0

        def solve(self, row):
            yield call_message("submit", value=row["answer"])
            yield "Done."

    return Submits


def test_what_is_no_number_is_named_where_a_tool_takes_it():
    assert "'nan' as 'value' of submit" in text(values_that_say_nothing_are_not_gold, submits(far))
    assert severities(values_that_say_nothing_are_not_gold, submits(near)) == []


# one option that is always right


def options(n, rng, place=None, mark="{}) ", ask="Which one is right? Answer with the letter."):
    place = rng.randrange(4) if place is None else place
    listed = "\n".join(
        mark.format("ABCD"[k]) + f"{'the right' if k == place else 'some'} thing {n + k}" for k in range(4)
    )
    return f"{ask} ({n})\n{listed}", "ABCD"[place]


@pytest.mark.parametrize(("place", "expected"), [(3, ["error"]), (None, [])])
def test_an_option_that_is_right_on_all_rows_is_an_error(place, expected):
    def write(n, rng):
        prompt, answer = options(n, rng, n % 4 if place is None else place, "({}) ")
        return prompt, f"Answer: {answer}"

    assert severities(no_fixed_answer_is_gold, scored(str.__eq__, write, count=16)) == expected


@pytest.mark.parametrize(("prompt", "answer"), [
    ("Which?\nA) red\nB) blue", "B"),
    ("Welches? (a) rot (b) blau", "(a)"),
    ("Pick one.\n1. red\n2. blue", "2"),
    ("Is that true or false?", "True"),
    ("Stimmt das, ja oder nein?", "nein"),
    ("Reply yes/no.", "no"),
    ("Antworte mit `ja` oder `nein`.", "ja"),
])  # fmt: skip
def test_an_answer_that_a_prompt_offers_among_others_is_seen(prompt, answer):
    assert is_offered(prompt, answer)


@pytest.mark.parametrize(("prompt", "answer"), [
    ("Greet the guest.", "hello"), ("Say A.", "A"), ("Which?\nA) red\nB) blue", "C"), ("Which?\nA) red\nB) blue", ""),
    ("Is it warm or cold?", "mild"),
])  # fmt: skip
def test_an_answer_that_no_prompt_offers_is_not(prompt, answer):
    assert not is_offered(prompt, answer)


def test_one_answer_that_no_prompt_offers_among_others_stays_a_warning():
    write = lambda n, rng: (f"Greet guest {n} with one word.", "hello")  # noqa: E731
    assert "error" not in severities(no_fixed_answer_is_gold, scored(str.__eq__, write, count=16))


# several answers, each in its own form


def fraction(form):
    return lambda n, rng: (f"What is {n + 3} over {n + 5}, reduced?", form.format(f"{n + 3}/{n + 5}"))


@pytest.mark.parametrize(("form", "pattern"), [
    ("\\boxed{{{}}}", r"\\boxed\{([^}]*)\}"),
    ("<answer>{}</answer>", r"<answer>(.*?)</answer>"),
    ("Final: [{}]", r"Final: \[(.*?)\]"),
])  # fmt: skip
def test_any_of_several_answers_is_named_where_each_is_in_its_own_form(form, pattern):
    def any_of(said, answer):
        return re.findall(pattern, answer)[0] in re.findall(pattern, said)

    def last_of(said, answer):
        return re.findall(pattern, answer)[-1] == re.findall(pattern, said)[-1]

    assert severities(one_answer_at_a_time, scored(any_of, fraction(form))) == ["error"]
    assert severities(one_answer_at_a_time, scored(last_of, fraction(form))) == []


# an order that is asked for


def cheapest(ask, form="{}"):
    return lambda n, rng: (ask, form.format(", ".join(rng.sample(FOODS, 4))))


def as_set(said, answer):
    return set(re.findall(r"[a-z]+", said)) == set(re.findall(r"[a-z]+", answer))


@pytest.mark.parametrize(("ask", "form"), [
    ("The four cheapest foods, please. Start with the cheapest.", "{}"),
    ("Which four are cheapest? The cheapest comes first.", "Answer: {}"),
    ("Nenne die vier billigsten. Beginne mit dem billigsten.", "<answer>{}</answer>"),
    ("Les quatre moins chers, en commençant par le moins cher.", "{}"),
    ("Los cuatro más baratos, de menor a mayor precio.", "{}"),
])  # fmt: skip
def test_an_order_that_does_not_count_is_named_where_it_is_asked_for(ask, form):
    assert "items swapped" in text(every_part_of_gold_counts, scored(as_set, cheapest(ask, form), count=24))


@pytest.mark.parametrize("ask", ["Which four foods are cheap?", "Nenne vier in beliebiger Reihenfolge."])
def test_a_set_is_let_alone_where_no_order_is_asked_for(ask):
    assert "items swapped" not in text(every_part_of_gold_counts, scored(as_set, cheapest(ask), count=24))


# a number in a text


def order(n, rng, ask="How many dollars is that? Think step by step."):
    return f"{n + 30} desks at {n + 97} dollars each. {ask}", str((n + 30) * (n + 97))


def last_number(said, answer):
    return re.findall(LAST_NUMBER, said)[-1] == answer


def last_amount(said, answer):
    return re.findall(LAST_NUMBER, said.replace(",", ""))[-1] == answer


@pytest.mark.parametrize("solvable", [True, False])
def test_thousands_separators_that_are_refused_in_a_text_are_an_error(solvable):
    assert severities(forms_that_a_prompt_allows_are_accepted, scored(last_number, order, solvable)) == ["error"]
    assert severities(forms_that_a_prompt_allows_are_accepted, scored(last_amount, order, solvable)) == []


@pytest.mark.parametrize("ask", ["Explain how, and end with the total in digits.", "Think step by step. #### 12"])
def test_thousands_separators_are_not_tried_where_the_form_is_given(ask):
    write = lambda n, rng: order(n, rng, ask)  # noqa: E731
    assert "thousands" not in text(forms_that_a_prompt_allows_are_accepted, scored(last_number, write))


@pytest.mark.parametrize("ask", [
    "Think as long as you like, then answer with the letter.", "Löse das Schritt für Schritt und nenne den Buchstaben.",
])  # fmt: skip
def test_thoughts_that_a_prompt_invites_and_the_scorer_refuses_are_an_error(ask):
    write = lambda n, rng: options(n, rng, ask=ask)  # noqa: E731
    opening = scored(lambda said, answer: bool(re.match(rf"\s*{answer}\b", said)), write)
    assert severities(forms_that_a_prompt_allows_are_accepted, opening) == ["error"]
    ending = scored(lambda said, answer: bool(re.search(rf"\b{answer}\b\W*$", said)), write)
    assert "error" not in severities(forms_that_a_prompt_allows_are_accepted, ending)


# gold that is cut off, or a week late


def net(n, rng):
    return Decimal(rng.randrange(500, 40_000)) / 100, rng.choice([7, 17, 19, 21])


def priced(rounding, write):
    def row(n, rng):
        price, rate = net(n, rng)
        return write(price, rate, (price * (100 + rate) / 100).quantize(Decimal("0.01"), rounding))

    return asking(row)


PRICES = {
    "English": lambda price, rate, gross: (
        f"{price:.2f} EUR and {rate} % tax: what is the gross price, rounded to the nearest cent?", f"{gross} EUR",
    ),
    "German": lambda price, rate, gross: (
        f"{price:.2f} € und {rate} % Steuer: wie hoch ist der Preis, gerundet auf Cent?".replace(".", ","),
        str(gross).replace(".", ","),
    ),
    "framed": lambda price, rate, gross: (
        f"Tax is {rate}%, the net price €{price:.2f}. Round to the nearest cent.", f"<answer>{gross}</answer>",
    ),
}  # fmt: skip


@pytest.mark.parametrize("language", PRICES)
def test_gold_that_is_cut_off_where_rounding_is_asked_for_is_an_error(language):
    cut, rounded = priced(ROUND_DOWN, PRICES[language]), priced(ROUND_HALF_UP, PRICES[language])
    assert severities(gold_is_rounded_where_that_is_asked, cut) == ["error"]
    assert severities(gold_is_rounded_where_that_is_asked, rounded) == []


def test_gold_that_is_cut_off_is_let_alone_where_that_is_asked_for():
    def write(price, rate, gross):
        return f"{price:.2f} EUR and {rate} % tax: the gross price, rounded down to cents?", str(gross)

    assert severities(gold_is_rounded_where_that_is_asked, priced(ROUND_DOWN, write)) == []


def third(n, late, weekday):
    first = date(2015 + n // 12, n % 12 + 1, 1)
    days = (weekday - first.weekday()) % 7
    return first, first + timedelta(14 + ((days or 7) if late else days))


@pytest.mark.parametrize(("ask", "weekday"), [
    ("Which date is the third Friday of the month that begins on {:%Y-%m-%d}? As YYYY-MM-DD.", 4),
    ("When is the 3rd Monday of {:%B %Y}? As YYYY-MM-DD.", 0),
    ("Der Monat beginnt am {:%d.%m.%Y}. Welcher Tag ist der dritte Mittwoch? Als JJJJ-MM-TT.", 2),
])  # fmt: skip
def test_a_weekday_of_a_month_that_is_a_week_late_in_some_is_an_error(ask, weekday):
    def write(late):
        return asking(lambda n, rng: [ask.format(third(n, late, weekday)[0]), str(third(n, late, weekday)[1])], 120)

    assert severities(gold_is_what_the_prompt_asks_for, write(True)) == ["error"]
    assert severities(gold_is_what_the_prompt_asks_for, write(False)) == []


# tags without content


def counts_steps(weight):
    class Steps:
        def build_dataset(self, tokenizer):
            ask = "{} + {}? Put each step into <step> and </step>, and the result into <answer> and </answer>."
            return [{"prompt": ask.format(n, n + 7), "answer": str(2 * n + 7)} for n in range(16)]

        def score_episode(self, model, tokenizer, completion, answer):
            steps = min(len(re.findall("<step>.*?</step>", completion)), 4) / 4
            right = re.findall(r"<answer>(.*?)</answer>", completion) == [answer]
            return (1 - weight) * right + weight * steps

    return Steps


class Solved(counts_steps(0.6)):
    def solve(self, row):
        steps = f"<step>There are {row['answer']}.</step><step>So</step><step>it</step><step>is</step>"
        return f"{steps}<answer>{row['answer']}</answer>"


@pytest.mark.parametrize("cls", [counts_steps(0.6), Solved])
def test_empty_tags_that_earn_more_than_half_of_gold_are_named(cls):
    assert "the format without content" in text(no_fixed_answer_is_gold, cls)


def test_tags_that_earn_little_are_let_alone():
    assert severities(no_fixed_answer_is_gold, counts_steps(0.2)) == []


def test_tags_that_begin_in_what_answers_share_and_end_in_what_differs_are_no_form():
    assert severities(the_form_that_decides_is_asked_for, Solved) == []


def test_a_long_list_is_left_out_where_a_pattern_takes_the_square_of_its_length():
    slow = []

    def right(said, answer):
        slow.append(len(said))
        started = time.process_time()
        while len(said) > 9_000 and time.process_time() - started < 0.5:
            pass
        return said == answer

    assert severities(no_fixed_answer_is_gold, scored(right, speed, count=16)) == []
    assert max(slow) <= 10_000
