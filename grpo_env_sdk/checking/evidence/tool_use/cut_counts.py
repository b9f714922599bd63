"""Counts in the replies to gold's calls that are gold up to a limit, and no more than that limit above it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from grpo_env_sdk.checking.evidence.golds import gold_episodes, golds
from grpo_env_sdk.checking.evidence.prompts.broken_form import COUNTS
from grpo_env_sdk.checking.evidence.prompts.json_data import leaves, read_json, written_path
from grpo_env_sdk.checking.evidence.secret_words import has_word
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import canonical_json

FEWEST_CUT, FEWEST_WHOLE, FEWEST_ABOVE, LEAST = 3, 2, 2, 3
"""On how many rows a count is less than gold, how many lower ones are gold, how many values gold has above the limit,
and how low a limit may be."""
_NUMBER = regex(r"(?<![\w.,-])\d{1,6}(?![\w.,]*\d)")
_TOLD = regex(
    r"\b(?:limit\w*|pages?|first|at (?:most|least)|up to|max\w*|more|over|latest|newest|oldest|closest|nearest|"
    r"recent\w*|offset|cursor|truncated|shortened|capped|excerpt|preview|sample|not all|part of|top|next)\b|\d ?\+|"
    r"\.\.\.|\u2026",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class CutCount:
    """A count in the replies of a tool, a row in which it is less than gold, and how many rows are like it."""

    name: str
    what: str
    most: int
    row: int
    gold: int
    call: dict[str, Any]
    cut: int
    rows: int


def cut_count(subject: Subject) -> CutCount | None:
    """The count that is gold up to a limit on all rows, where nothing speaks of one."""
    wanted = {row: int(gold.text) for row, gold in golds(subject).items() if re.fullmatch(r"\d{1,6}", gold.text)}
    if len(wanted) < max(len(golds(subject)), FEWEST_CUT + FEWEST_WHOLE):
        return None
    counts = {row: dict(_counts(subject, row)) for row in wanted}
    for key in next(iter(counts.values())):
        found = {row: own[key] for row, own in counts.items() if key in own}
        most = max(found.values())
        cut = [row for row in found if wanted[row] > most]
        whole = {wanted[row] for row in found if wanted[row] < most}
        if len(found) < len(wanted) or most < LEAST or any(found[row] != min(wanted[row], most) for row in found):
            continue
        if len(cut) < FEWEST_CUT or len({wanted[row] for row in cut}) < FEWEST_ABOVE or len(whole) < FEWEST_WHOLE:
            continue
        more = all({wanted[row], wanted[row] - most} & {*counts[row].values()} for row in cut)
        if not more and not any(_is_told(subject, row, most, wanted[row]) for row in cut):
            name, what = key
            call = next(one for one in gold_episodes(subject)[cut[0]].tool_calls if one["name"] == name)
            given = {"name": name, "arguments": call["arguments"]}
            return CutCount(name, what, most, cut[0], wanted[cut[0]], given, len(cut), len(found))
    return None


def _counts(subject: Subject, row: int) -> Iterator[tuple[tuple[str, str], int]]:
    """The numbers, and the lengths of lists, in the replies to gold's calls; of tools that it calls once."""
    calls = gold_episodes(subject)[row].tool_calls
    names = [call["name"] for call in calls]
    for call in calls:
        if names.count(call["name"]) > 1 or call["error"] is not None:
            continue
        text = str(call["content"])
        data = read_json(text)
        if data is None:
            lines = [line for line in text.splitlines() if line.strip()]
            numbers = _NUMBER.findall(text) if len(lines) < LEAST else []
            yield from (((call["name"], f"The number {place}"), int(one)) for place, one in enumerate(numbers, 1))
            yield (call["name"], "The number of lines"), len(lines)
            continue
        for path, value in leaves(data):
            if isinstance(value, int) and not isinstance(value, bool) and not any(isinstance(one, int) for one in path):
                yield (call["name"], f"`{written_path(path) or 'the number'}`"), value
        held = {"the list": data} if isinstance(data, list) else data if isinstance(data, dict) else {}
        for name, value in held.items():
            if isinstance(value, list):
                yield (call["name"], f"The length of {name!r}"), len(value)


def _is_told(subject: Subject, row: int, most: int, gold: int) -> bool:
    """Whether prompt, tools or replies speak of a part, the prompt or the tools name the limit, or the prompt gold."""
    prompt, tools = prompt_text(subject, row), canonical_json(subject.tools_of(row))
    replies = " ".join(str(call["content"]) for call in gold_episodes(subject)[row].tool_calls)
    if _TOLD.search(f"{prompt}\n{tools}\n{replies}") or has_word(prompt, str(gold)):
        return True
    words = [str(most), *(word for word, count in COUNTS.items() if count == most)]
    return any(has_word(f"{prompt} {tools}".casefold(), word) for word in words)
