"""Answers with fields, as an object in JSON or as lines with labels: each field with its most frequent value."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from grpo_env_sdk.checking.evidence.prompts.json_data import read_json
from grpo_env_sdk.late_patterns import regex

FEWEST_ANSWERS, FEWEST_FIELDS = 3, 2
_LINE = regex(r"(?m)^([^:=\n]{1,40}[:=] ?)(.*)$")


def usual_fields(texts: Sequence[str]) -> Iterator[str]:
    """The answer that has the most frequent value in each field, where all answers have the same fields."""
    if len(texts) < FEWEST_ANSWERS:
        return
    objects = [_object(text) for text in texts]
    if all(objects):
        yield from _usual([{key: json.dumps(value) for key, value in one.items()} for one in objects], _as_json)
    lines = [dict(_LINE.findall(text)) for text in texts]
    if all(len(one) == text.count("\n") + 1 for one, text in zip(lines, texts, strict=True)):
        yield from _usual(lines, lambda one: "\n".join(label + value for label, value in one.items()))


def _object(text: str) -> dict[str, Any]:
    value = read_json(re.sub(r"^```\w*\n|\n```$", "", text.strip()))
    return value if isinstance(value, dict) else {}


def _as_json(one: dict[str, str]) -> str:
    return json.dumps({key: json.loads(value) for key, value in one.items()}, ensure_ascii=False)


def _usual(answers: Sequence[dict[str, str]], written: Any) -> Iterator[str]:
    keys = list(answers[0])
    if len(keys) >= FEWEST_FIELDS and all(set(one) == set(keys) for one in answers):
        yield written({key: Counter(one[key] for one in answers).most_common(1)[0][0] for key in keys})
