"""The gold solution of a case: look it up, say what will be done, listen, decide."""

import json
from collections.abc import Generator
from typing import Any

from grpo_env_sdk import Message, call_message

from grpo_env_tickets.cases import Case
from grpo_env_tickets.policy import Decision, Wish, decide

CLOSING = "The case is closed."
Play = Generator[Message, list[Message], None]


def play(case: Case) -> Play:
    """The messages of a right solution, each sent after the answer to the one before."""
    right = case.right
    if case.difficulty == "easy":
        yield call_message("get_order", order=case.wishes[-1].order)
    else:
        yield from _listen(case)
    yield call_message(right.tool, **right.arguments)
    yield _say(CLOSING)


def _listen(case: Case) -> Play:
    """Look up the case, and say what will be done until the customer agrees."""
    if case.email not in case.opening:
        yield _say("Which email address did you order with?")
    found = _read((yield call_message("find_customer", email=case.email)))
    first = case.wishes[0]
    for order in [first.order] if first.order in case.opening else found["orders"]:
        read = _read((yield call_message("get_order", order=order)))
        if order == first.order:
            break
    products = {item["item"]: item["product"] for item in read["items"]}
    for wish in case.wishes:
        if wish.size:
            yield call_message("check_stock", product=products[wish.item])
        yield _say(_announced(wish, decide(case.store(), case.email, wish)))


def _announced(wish: Wish, decision: Decision) -> str:
    """What the agent announces."""
    if decision.tool == "refuse":
        return f"I cannot do that for {wish.order}: {decision.arguments['reason']}. Shall we leave it?"
    if decision.tool == "escalate":
        return f"I have to hand {wish.order} to a colleague. Is that all right?"
    told = ", ".join(f"{name} {value}" for name, value in decision.arguments.items())
    return f"I will do this: {decision.tool.replace('_', ' ')}, {told}. Is that right?"


def _say(text: str) -> Message:
    return {"role": "assistant", "content": text}


def _read(observation: list[Message]) -> Any:
    return json.loads(observation[-1]["content"])
