"""Answers with something around them: several whole ones in one message, where one is asked for."""

import json
import re

import pytest

from grpo_env_sdk import answer_text
from grpo_env_sdk.checking.teaching.lazy_answers.hedging import one_answer_at_a_time as several
from tests.checking.trying import found, subject_of

ORDER = re.compile(r"<order>\s*(\{.*?\})\s*</order>", re.DOTALL)
DRINKS = ("tea", "coffee", "cocoa", "milk")
COMPARED = "what the scorer compares answers with"


class Cafe:
    """Any of the orders in the text may be the right one."""

    ASK = (
        'Write exactly one order as <order>{"drink": "tea", "coffee", "cocoa" or "milk", "table": ...}</order>.\n'
        "Table %s would like %s, says the waiter."
    )

    def build_dataset(self, tokenizer):
        asked = [(DRINKS[n % 4], f"T{n * 7 % 10}{n}") for n in range(16)]
        return [{"prompt": self.ASK % (table, drink), "drink": drink, "table": table} for drink, table in asked]

    def score_episode(self, model, tokenizer, completion, drink, table):
        orders = []
        for text in ORDER.findall(answer_text(completion)):
            try:
                orders.append(json.loads(text))
            except ValueError:
                continue
        return float(self.is_right(orders, {"drink": drink, "table": table}))

    def is_right(self, orders, wanted):
        return any(order == wanted for order in orders)


class KeyByKey(Cafe):
    def is_right(self, orders, wanted):
        return any(order.get("drink") == wanted["drink"] and order.get("table") == wanted["table"] for order in orders)


class NotOnlyOne(Cafe):
    """The prompt does not say how many."""

    ASK = Cafe.ASK.replace("exactly one order", "the order")


class InCode(Cafe):
    """A block of code in place of tags."""

    ASK = (
        'Answer with a single block of JSON, like\n```json\n{"drink": "...", "table": "..."}\n```\n'
        "Table %s would like %s."
    )

    def score_episode(self, model, tokenizer, completion, drink, table):
        for text in re.findall(r"```json\s*(.*?)```", answer_text(completion), re.DOTALL):
            try:
                order = json.loads(text)
            except ValueError:
                continue
            if order == {"drink": drink, "table": table}:
                return 1.0
        return 0.0


@pytest.mark.parametrize(
    ("env", "severity"), [(Cafe, "error"), (KeyByKey, "error"), (NotOnlyOne, "warning"), (InCode, "error")]
)
def test_several_whole_answers_are_found_without_a_solution(env, severity):
    assert COMPARED in subject_of(env).gold_source
    (finding,) = found(several, env)
    assert (finding.severity, "names 5 values" in finding.message) == (severity, True)


class JustOne(Cafe):
    def is_right(self, orders, wanted):
        return len(orders) == 1 and orders[0] == wanted


class LastCounts(Cafe):
    def is_right(self, orders, wanted):
        return bool(orders) and orders[-1] == wanted


class FirstCounts(Cafe):
    def is_right(self, orders, wanted):
        return bool(orders) and orders[0] == wanted


class WrongOnesCost(Cafe):
    def is_right(self, orders, wanted):
        return (wanted in orders) / max(1, len(orders))


@pytest.mark.parametrize("env", [JustOne, LastCounts, FirstCounts, WrongOnesCost])
def test_nothing_is_said_where_one_of_them_counts(env):
    assert COMPARED in subject_of(env).gold_source
    assert not found(several, env)
