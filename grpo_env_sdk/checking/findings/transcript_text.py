"""An answer of several turns as readable text: messages in quotes, tool calls as calls."""

import json
from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any

from grpo_env_sdk.data.messages import call_text, raw_text
from grpo_env_sdk.types import Message


def is_transcript(value: Any) -> bool:
    """Whether a value is a list of chat messages."""
    return isinstance(value, list) and bool(value) and all(isinstance(one, Mapping) and "role" in one for one in value)


def turns_text(turns: Iterable[str | Message]) -> str:
    """`book(hotel="H12"), then "Booked."`: the assistant's turns in order."""
    texts = [_turn(turn) for turn in turns if isinstance(turn, str) or turn.get("role", "assistant") == "assistant"]
    runs = ((text, len(list(group))) for text, group in groupby(texts))
    return ", then ".join(text if count == 1 else f"{text} {count} times" for text, count in runs) or "nothing"


def _turn(turn: str | Message) -> str:
    text = turn if isinstance(turn, str) else raw_text([{**turn, "role": "assistant", "tool_calls": None}])
    calls = [] if isinstance(turn, str) else [call_text(call) for call in turn.get("tool_calls") or []]
    return " and ".join([*([json.dumps(text, ensure_ascii=False)] if text or not calls else []), *calls])
