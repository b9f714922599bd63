"""Fixed calls that may score on any row: one alone, every combination of what gold ever says, a verdict in a text."""

import random
from collections.abc import Sequence
from copy import deepcopy
from itertools import product
from math import prod
from typing import Any

from grpo_env_sdk.checking.evidence.golds import Gold
from grpo_env_sdk.checking.evidence.guesses import CONTENTLESS, VERDICTS, Guess
from grpo_env_sdk.checking.evidence.tool_parameters import random_arguments
from grpo_env_sdk.checking.evidence.turns import own_turns
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.types import Message

MOST_CALLS, MOST_WORDS = 100, 6
"""The most calls in one guess, and the words from which on a text is one that a judge may read."""
Calls = dict[str, dict[str, list[Any]]]


def call_guesses(tools: Sequence[dict[str, Any]], golds: Sequence[Gold]) -> list[Guess]:
    """Each tool called once without a text, without arguments and with those of another row's gold; all together."""
    names = [tool["function"]["name"] for tool in tools]
    found = [Guess(f"a call of {name} alone", [call_message(name)]) for name in names]
    found += [
        Guess(CONTENTLESS[5], [call_message(name, **random_arguments(tool, random.Random(0), ["lorem"]))])
        for name, tool in zip(names, tools, strict=True)
    ]
    calls: dict[str, Message] = {}
    for turn in (turn for gold in golds[:3] for turn in own_turns(gold.turns)):
        for call in turn.get("tool_calls") or []:
            calls.setdefault(call["function"]["name"], {"role": "assistant", "content": "", "tool_calls": [call]})
    found += [Guess(f"a call of {name} as in another row", [message]) for name, message in calls.items()]
    return [*found, *_all_together(golds), *_judged(golds)]


def _all_together(golds: Sequence[Gold]) -> list[Guess]:
    """Every combination of the values that gold gives each tool, in one message, where they are few; lists in one."""
    values = _values(golds)
    whole = {
        name: {key: [_joined(known)] if isinstance(known[0], list) else known for key, known in given.items()}
        for name, given in values.items()
    }
    if not whole or sum(prod(map(len, given.values())) for given in whole.values()) > MOST_CALLS:
        return []
    made = [
        call for name, given in whole.items() for one in product(*given.values())
        for call in call_message(name, **dict(zip(given, one, strict=True)))["tool_calls"]
    ]  # fmt: skip
    end = {"role": "assistant", "content": golds[0].text or "Done."}
    message = {"role": "assistant", "content": "", "tool_calls": deepcopy(made)}
    return [Guess("every call that gold makes on any row", [message, end])]


def _values(golds: Sequence[Gold]) -> Calls:
    """By tool and parameter, the different values of gold's calls."""
    found: Calls = {}
    for gold in golds:
        for call in (call["function"] for turn in gold.turns for call in turn.get("tool_calls") or ()):
            given = found.setdefault(call["name"], {})
            for name, value in call["arguments"].items() if isinstance(call["arguments"], dict) else ():
                known = given.setdefault(name, [])
                if value not in known:
                    known.append(value)
    return found


def _joined(lists: Sequence[Any]) -> list[Any]:
    """The items of all lists, each once."""
    found: list[Any] = []
    for items in lists:
        found += [item for item in items if item not in found] if isinstance(items, list) else []
    return found


def _judged(golds: Sequence[Gold]) -> list[Guess]:
    """The turns of another row's gold with a verdict below each text that a judge may read."""
    for gold in golds[:1]:
        if any(_is_text(value) for value in _texts(gold)):
            return [Guess(CONTENTLESS[4], _with_verdict(gold, verdict)) for verdict in VERDICTS]
    return []


def _texts(gold: Gold) -> list[Any]:
    calls = [call["function"]["arguments"] for turn in gold.turns for call in turn.get("tool_calls") or ()]
    return [gold.text, *(value for given in calls if isinstance(given, dict) for value in given.values())]


def _with_verdict(gold: Gold, verdict: str) -> list[Message]:
    turns = deepcopy(gold.turns)
    for turn in turns:
        if _is_text(turn.get("content")):
            turn["content"] = f"lorem ipsum\n{verdict}"
        for call in turn.get("tool_calls") or ():
            given = call["function"]["arguments"]
            for name, value in given.items() if isinstance(given, dict) else ():
                given[name] = f"lorem ipsum\n{verdict}" if _is_text(value) else value
    return turns


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and len(value.split()) >= MOST_WORDS
