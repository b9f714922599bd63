"""Whether gold's calls are accepted with an optional argument given as what it is by default, or without it."""

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from typing import Any

from grpo_env_sdk.checking.evidence.golds import Gold, play_scored, reward_of
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, properties_of, required_of
from grpo_env_sdk.checking.evidence.playing.turns import functions_of, own_turns
from grpo_env_sdk.checking.evidence.quoted_answers import quoted, reward_with_parts
from grpo_env_sdk.checking.evidence.secret_words import says
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS, some_golds
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Message, canonical_json

MOST_ROWS = 8
_WORD = r"['\"`]?([\w.-]*\w)['\"`]?"
_DEFAULT = regex(
    rf"\bdefault(?:s)?(?: (?:is|to|value|of))*\s*[:=]?\s*{_WORD}|{_WORD},? (?:by default|is the default)\b|"
    rf"\b(?:usually|normally|else|otherwise) {_WORD}|{_WORD} (?:if|when|unless) (?:left out|omitted|not given|given)\b",
    re.IGNORECASE,
)
_LEFT_OUT = regex(
    r"\b(?:leave (?:it |them )?out|omit|only (?:if|when|where)|unless|no (?:other|further) (?:argument|parameter)s?)\b",
    re.IGNORECASE,
)
_FEW = regex(
    r"\b(?:only|(?:not|n't) (?:give|pass|set|add|fill|send)|(?:fewest|as few|no needless) (?:argument|parameter)s?)\b",
    re.IGNORECASE,
)
"""What is said where arguments are to be left out, and where they may have to be, if the prompt does not name them."""
Changed = Callable[[dict[str, Any]], dict[str, Any] | None]
"""The other arguments of a call; None where it stays as it is."""


def defaults_are_refused(subject: Subject) -> Iterator[Finding]:
    """The finding that gold with a default filled in, or with one that the schema shows left out, scores less."""
    for tool in () if subject.traits.tools_of_rows else subject.tools:
        for parameter, schema in properties_of(tool).items():
            shown = _shown(schema)
            default = _of_code(subject, name_of(tool), parameter) if shown is None else shown
            if parameter in required_of(tool) or not isinstance(default, str | int | float) or default == "":
                continue
            found = _finding_if_refused(subject, tool, parameter, default, _filled(parameter, default), "given as")
            if not found and shown is not None:
                found = _finding_if_refused(
                    subject, tool, parameter, default, _left_out(parameter, default), "left out where it is"
                )
            if found:
                yield found
                return


def _filled(parameter: str, default: Any) -> Changed:
    return lambda given: None if parameter in given else {**given, parameter: default}


def _left_out(parameter: str, default: Any) -> Changed:
    def change(given: dict[str, Any]) -> dict[str, Any] | None:
        return {key: one for key, one in given.items() if key != parameter} if given.get(parameter) == default else None

    return change


def _shown(schema: Mapping[str, Any]) -> Any:
    """The default that a schema has, or that its description names; None where there is none."""
    if schema.get("default") is not None:
        return schema["default"]
    named = _DEFAULT.search(str(schema.get("description") or ""))
    word = next((one for one in named.groups() if one), "") if named else ""
    if "enum" in schema:
        return next((one for one in schema["enum"] if str(one).casefold() == word.casefold()), None)
    return int(word) if schema.get("type") == "integer" and word.isdecimal() else None


def _of_code(subject: Subject, tool: str, parameter: str) -> Any:
    """The default of the method that is the tool; None where there is none."""
    try:
        found = inspect.signature(getattr(subject.loaded.env, tool)).parameters[parameter].default
    except (AttributeError, KeyError, TypeError, ValueError):
        return None
    return None if found is inspect.Parameter.empty else found


def _finding_if_refused(
    subject: Subject, tool: dict[str, Any], parameter: str, default: Any, change: Changed, how: str
) -> Finding | None:
    """The finding, if gold with this change loses half of its reward or more on every row."""
    name = name_of(tool)
    tried = [(gold, turns) for gold in some_golds(subject) if (turns := _with(gold, name, change))][:MOST_ROWS]
    said = [prompt_text(subject, gold.row) for gold, _ in tried]
    named = all(says(one, str(default)) for one in said)
    texts = [*said, canonical_json(tool)]
    if len(tried) < FEWEST_ROWS or any(_LEFT_OUT.search(one) or (not named and _FEW.search(one)) for one in texts):
        return None
    played = play_scored(subject, [(gold.row, turns) for gold, turns in tried])
    low, best = max(0.0, subject.traits.reward_range[0]), {gold.row: gold.reward for gold, _ in tried}
    if len(played) < len(tried) or any(reward_of(one) - low > (best[one.row_index] - low) / 2 for one in played):
        return None
    why = "as the prompt says" if named else "which is its default"
    return Finding(
        f"{parameter!r} of {name} {how} {quoted(default)}, {why}, is refused: it scores {played[0].reward:g}, and gold "
        f"{best[played[0].row_index]:g}, on {len(played)} rows.",
        "Fill in the defaults before calls are compared, or compare what they have done.",
        played[0].row_index, own_turns(played[0].completion), reward_with_parts(played[0]), best[played[0].row_index],
        severity="error" if named else "warning",
    )  # fmt: skip


def _with(gold: Gold, tool: str, change: Changed) -> list[Message]:
    """Gold with its calls of a tool changed; nothing where none of them is."""
    turns, changed = deepcopy(gold.turns), False
    for call in functions_of(turns):
        other = change(call["arguments"]) if call["name"] == tool and isinstance(call["arguments"], dict) else None
        if other is not None:
            call["arguments"], changed = other, True
    return turns if changed else []
