"""Games in which given numbers reach a target: how often each of them may be used, and gold without a solution."""

import random
import re
from collections import Counter

import pytest

from grpo_env_sdk import answer_text
from grpo_env_sdk.checking.teaching.wrong_answers.given_numbers import used_otherwise
from grpo_env_sdk.checking.teaching.wrong_answers.parts_of_gold import every_part_of_gold_counts as parts
from tests.checking.trying import found, subject_of

AGAIN, OTHER, FEWER = "added and taken away again", "not given", "without one of the numbers"


class Market:
    """Prices that have to make a sum; how the numbers are counted is what differs."""

    ASK = (
        "Using the numbers [%s], create an equation that equals %d. Use all of the numbers, each exactly once, and the "
        "signs + - * /. Write it in <answer> </answer> tags."
    )

    def build_dataset(self, tokenizer):
        rows = []
        for n in range(24):
            numbers = random.Random(n).sample(range(2, 12), 4)
            one, two, three, four = numbers
            target = one * two + three - four if n % 2 else one + two + three - four
            if target > 0:
                rows.append({"prompt": self.ASK % (", ".join(map(str, sorted(numbers))), target),
                             "numbers": numbers, "goal": target})  # fmt: skip
        return rows

    def score_episode(self, model, tokenizer, completion, numbers, goal):
        said = re.fullmatch(r"<answer>([\d+*/() -]{1,200})</answer>", answer_text(completion).strip())
        if not said or "**" in said[1] or "//" in said[1]:
            return 0.0
        used = [int(number) for number in re.findall(r"\d+", said[1])]
        try:
            return float(self.fits(used, numbers) and abs(eval(said[1]) - goal) < 1e-6)
        except (SyntaxError, ZeroDivisionError, TypeError):
            return 0.0

    def fits(self, used, numbers):
        return all(number in numbers for number in used)


class OthersToo(Market):
    def fits(self, used, numbers):
        return all(used.count(number) == 1 for number in numbers)


class NotAll(Market):
    def fits(self, used, numbers):
        return not Counter(used) - Counter(numbers)


class SameKinds(Market):
    def fits(self, used, numbers):
        return set(used) == set(numbers)


@pytest.mark.parametrize(("env", "said"), [(Market, AGAIN), (OthersToo, OTHER), (NotAll, FEWER), (SameKinds, AGAIN)])
def test_numbers_that_are_used_otherwise_than_asked_are_found_without_a_solution(env, said):
    assert "an expression for the target" in subject_of(env).gold_source
    messages = {one.message: one.severity for one in found(parts, env)}
    assert [severity for message, severity in messages.items() if said in message] == ["error"]


class Exactly(Market):
    def fits(self, used, numbers):
        return sorted(used) == sorted(numbers)


class AtMost(NotAll):
    """Numbers may be left out."""

    ASK = Market.ASK.replace("Use all of the numbers, each exactly once", "Each number can be used at most once")


class AsOften(Market):
    """Numbers may be used again."""

    ASK = Market.ASK.replace("Use all of the numbers, each exactly once", "Use them as often as you like")


@pytest.mark.parametrize("env", [Exactly, AtMost, AsOften])
def test_nothing_is_said_where_numbers_are_used_as_asked(env):
    assert not found(parts, env)


@pytest.mark.parametrize(
    ("text", "prompt"),
    [
        ("2024-03-05", "The numbers 2024, 03 and 05 appear once. Which day is it?"),
        ("3 + 4", "Once upon a time there were 3 bears and 4 bees. How many animals?"),
        ("12 - 5", "Write the difference of the numbers 12 and 7, each once."),
        ("7", "Use each number once: 3, 4."),
        ("3 + 4 = 7", "Use each number once: 3, 4."),
    ],
)
def test_other_answers_are_no_expressions_of_given_numbers(text, prompt):
    assert not list(used_otherwise(text, prompt))
