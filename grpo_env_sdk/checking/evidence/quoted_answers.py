"""Answers as messages of findings show them: on one line, shortened."""

import re
import unicodedata
from typing import Any

from grpo_env_sdk.checking.evidence.subject import Completion
from grpo_env_sdk.checking.findings.transcript_text import turns_text
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode

A_THOUGHT = "Let me see what is asked."
"""The thoughts of all gold answers, where a scorer needs some."""
_OUR_THOUGHT = regex(rf"\A<think>\s*{re.escape(A_THOUGHT)}\s*</think>\s*(?=\S)")


def quoted(value: Any, most: int = 60) -> str:
    """A text as a message shows it: on one line, shortened, without thoughts that stand before all answers."""
    return repr(_cut(_OUR_THOUGHT.sub("", str(value)), most))


def both_quoted(one: str, other: str) -> tuple[str, str]:
    """Two different texts as a message shows them, with what is not seen where that is the difference."""
    shown = quoted(one), quoted(other)
    alike = unicodedata.normalize("NFC", one) == unicodedata.normalize("NFC", other)
    if one == other or (shown[0] != shown[1] and not alike):
        return shown
    place = next((n for n, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), 0)
    first = max(0, min(place - 40, len(one) - 60, len(other) - 60))
    parts = _part(one, first), _part(other, first)
    return (_spelled(parts[0]), _spelled(parts[1])) if alike else (repr(parts[0]), repr(parts[1]))


def answer_shown(answer: Completion, most: int = 60) -> str:
    """An answer as a message shows it: a text in quotes, or its turns."""
    return quoted(answer, most) if isinstance(answer, str) else _cut(turns_text(answer), 2 * most)


def reward_with_parts(episode: Episode) -> object:
    """The reward, with its parts if it has some, so that the faulty part is visible."""
    return {"reward": episode.reward, **episode.rewards} if episode.rewards else episode.reward


def _spelled(text: str) -> str:
    """A text with its letters as code points, and whether their accents are in them or stand apart."""
    return f"{text!a} ({'' if unicodedata.is_normalized('NFC', text) else 'de'}composed)"


def _part(text: str, first: int, most: int = 60) -> str:
    last = first + most
    return f"{'...' if first else ''}{text[first:last]}{'...' if len(text) > last else ''}"


def _cut(value: str, most: int) -> str:
    text = " ".join(value.split())
    return text if len(text) <= most else f"{text[:most]}..."
