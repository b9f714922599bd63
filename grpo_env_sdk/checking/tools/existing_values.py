"""The values that exist for a parameter where no gold gives one: what prompts, columns and other calls show."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from grpo_env_sdk.checking.evidence.golds import NEARLY
from grpo_env_sdk.checking.evidence.playing.tool_parameters import properties_of
from grpo_env_sdk.checking.evidence.prompts.input_echo import without_echo
from grpo_env_sdk.checking.evidence.prompts.likely_values import FIRST_NUMBERS
from grpo_env_sdk.checking.evidence.prompts.tool_names import only_looks
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.stand_ins.likely_acts import things_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.calls import TriedCall, words_of
from grpo_env_sdk.late_patterns import regex

MOST_WORDS, MOST_CHARS = 80, 40
_NOTHING = regex(
    r"\[\s*\]|\{\s*\}|:\s*null\b|^\W*(?:null|none)?\W*$|\b(?:no|not|none|nothing|never|empty|without|zero)\b",
    re.IGNORECASE,
)
"""What a reply says that has found nothing, or has not done what was asked."""


def called_in_earnest(subject: Subject, tool: Mapping[str, Any], bases: Sequence[TriedCall]) -> list[TriedCall]:
    """The calls that found or earned something, without which no value has been tried; those of gold always."""
    looks = only_looks(tool)
    return [base for base in bases if base.by_gold or (_found(base) if looks else _earned(subject, base))]


def existing_values(subject: Subject, tool: Mapping[str, Any], parameter: str, base: TriedCall) -> Iterator[Any]:
    """The listed values of a parameter, or else the words and numbers that its row shows."""
    schema = properties_of(tool).get(parameter, {})
    kind = schema.get("type")
    if isinstance(schema.get("enum"), list):
        yield from schema["enum"]
    elif kind == "boolean":
        yield from (True, False)
    elif kind in ("integer", "number"):
        yield from dict.fromkeys([*map(int, islice(_numbers(subject, base), MOST_WORDS)), *FIRST_NUMBERS])
    elif kind == "string":
        yield from islice(dict.fromkeys(_words(subject, base)), MOST_WORDS)


def _found(base: TriedCall) -> bool:
    """Whether a look showed something that it was not given."""
    return not _NOTHING.search(without_echo(base.content, base.outcome["arguments"]))


def _earned(subject: Subject, base: TriedCall) -> bool:
    """Whether the episode of a call earned more than silence, so that a wrong value could cost something."""
    silent = subject.answer(base.episode.row_index, "")
    return (base.episode.reward or 0.0) > (silent.reward or 0.0) + NEARLY


def _words(subject: Subject, base: TriedCall) -> Iterator[str]:
    prompt = prompt_text(subject, base.episode.row_index)
    shown = [str(call["content"]) for call in base.episode.tool_calls]
    for text in [*things_of([prompt, *shown]), *re.findall(r"\w[\w-]*", prompt), *_columns(subject, base)]:
        if 1 < len(text) <= MOST_CHARS:
            yield text


def _columns(subject: Subject, base: TriedCall) -> list[str]:
    return words_of(subject, base.episode.row_index)[0]


def _numbers(subject: Subject, base: TriedCall) -> Iterator[str]:
    for text in [prompt_text(subject, base.episode.row_index), *_columns(subject, base)]:
        yield from re.findall(r"(?<![\w.])\d{1,6}(?![\w.]*\d)", text)
