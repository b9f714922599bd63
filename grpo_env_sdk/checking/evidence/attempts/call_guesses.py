"""Fixed calls that may score on any row: one alone, with meaningless arguments, or with a verdict in its text."""

import random
import re
from collections.abc import Sequence
from copy import deepcopy
from string import ascii_lowercase, digits
from typing import Any

from grpo_env_sdk.checking.evidence.attempts.guesses import EVERY_SIGN, MEANINGLESS_CALL, OWN_VERDICT, Guess
from grpo_env_sdk.checking.evidence.attempts.verdicts import VERDICTS
from grpo_env_sdk.checking.evidence.golds import Gold
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, random_arguments, required_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Message, canonical_json

_SIGN = regex(r"\b(?:letter|digit)s?\b", re.IGNORECASE)
_WORDS = ("lorem", "ipsum", "dolor", "amet")
MOST_WORDS = 6
"""The words from which on a text is one that a judge may read."""
_MOST_CALLS = 60


def call_guesses(tools: Sequence[dict[str, Any]], golds: Sequence[Gold]) -> list[Guess]:
    """Each tool called once, without arguments, meaningless ones or those of another row; verdicts in texts."""
    names = [tool["function"]["name"] for tool in tools]
    found = [Guess(f"a call of {name} alone", [call_message(name)]) for name in names]
    found += [
        Guess(MEANINGLESS_CALL, [call_message(name, **random_arguments(tool, random.Random(0), ["lorem"]))])
        for name, tool in zip(names, tools, strict=True)
    ]
    found += [
        Guess(MEANINGLESS_CALL, [call_message(name, **random_arguments(tool, rng, list(_WORDS))) for _ in _WORDS])
        for name, tool in zip(names, tools, strict=True)
        for rng in [random.Random(1)]
    ]
    found += [
        Guess(EVERY_SIGN, [call_message(name_of(tool), **{required_of(tool)[0]: signs})])
        for tool in tools
        if _SIGN.search(canonical_json(tool)) and len(required_of(tool)) == 1
        for signs in (ascii_lowercase, digits)
    ]
    calls: dict[str, Message] = {}
    for turn in (turn for gold in golds[:3] for turn in own_turns(gold.turns)):
        for call in turn.get("tool_calls") or []:
            calls.setdefault(call["function"]["name"], {"role": "assistant", "content": "", "tool_calls": [call]})
    found += [Guess(f"a call of {name} as in another row", [message]) for name, message in calls.items()]
    return [*found, *_judged(golds)]


def written_calls(golds: Sequence[Gold]) -> list[Guess]:
    """The calls of another row in one message, and those of many rows together, where nothing runs them."""
    made = [gold for gold in golds if gold.calls]
    found = [Guess("the calls of another row", gold.turns, True) for gold in made[:6]]
    calls = {canonical_json(call["function"]): call for gold in made for call in gold.turns[-1].get("tool_calls") or ()}
    if len(calls) > 1:
        together: Message = {"role": "assistant", "content": "", "tool_calls": list(calls.values())[:_MOST_CALLS]}
        found.append(Guess("the calls of many rows in one message", [together]))
    return found


def _judged(golds: Sequence[Gold]) -> list[Guess]:
    """The turns of another row's gold with a verdict below each text that a judge may read."""
    for gold in golds[:1]:
        if any(_is_text(value) for value in _texts(gold)):
            return [Guess(OWN_VERDICT, _with_verdict(gold, verdict)) for verdict in VERDICTS]
    return []


def _texts(gold: Gold) -> list[Any]:
    return [gold.text, *(value for _, given in gold.calls for value in given.values())]


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
