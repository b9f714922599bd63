"""Whether what follows from gold's acts, such as the cell of a check, may be written directly instead."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grpo_env_sdk.checking.evidence.golds import Gold, play_answers, play_compared, won_of
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, properties_of, required_of
from grpo_env_sdk.checking.evidence.prompts.json_data import read_json
from grpo_env_sdk.checking.evidence.prompts.tool_names import may_only_look, only_looks
from grpo_env_sdk.checking.evidence.shown_texts import prompt_and_tools
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import (
    FEWEST_ROWS,
    acts_of,
    as_good_on_most,
    paid,
    seldom_won,
    some_golds,
)
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Message, canonical_json

MOST_ROWS, MOST_KEYS, MOST_CHARS, MOSTLY = 10, 4, 200, 0.6
"""On how many rows it is tried, how many results are written on each, how long a shown one is, and the share of the
rows that have one."""
NONSENSE = {"string": "lorem", "integer": -987, "number": -987.5}
_LINE = regex(r"^\W*([\w./ -]{1,40}?)\s*[:=]\s*(\S.*)$", re.MULTILINE)
_FOLLOWS = regex(
    r"\bformulas?\b|\b(?:comput|calculat)(?:ed|es)\b|\bderived\b|\bfollows? from\b|\bcompares\b|\bautomatic\w*|"
    r"\bworked out\b",
    re.IGNORECASE,
)
"""What prompts and descriptions say of what follows from something else."""
Shown = dict[str, str]


@dataclass(frozen=True, slots=True)
class Written:
    """A call that writes what gold's acts result in, to the place that shows it; and one that writes nonsense there."""

    gold: Gold
    writer: str
    key: str
    value: Any
    call: Message
    nonsense: Message

    def turns(self, call: Message) -> tuple[int, Completion]:
        """The row, and the call alone."""
        return self.gold.row, [call, {"role": "assistant", "content": self.gold.text or "Done."}]


def written_results(subject: Subject) -> Iterator[Finding]:
    """The finding that a result which gold never writes is written directly, and scores as much as gold."""
    writers = [tool for tool in subject.tools if _is_writer(subject, tool)]
    looks = [tool for tool in subject.tools if not required_of(tool) and only_looks(tool)]
    known = [gold for gold in some_golds(subject)[:MOST_ROWS] if _FOLLOWS.search(prompt_and_tools(subject, gold.row))]
    if not writers or not looks or len(known) < FEWEST_ROWS:
        return
    tried: dict[tuple[str, str, str], list[Written]] = defaultdict(list)
    for gold in known:
        changed = _changed(subject, gold, looks)
        for writer in writers:
            for one, how in _of_row(gold, writer, changed):
                tried[one.writer, _which(one.key, changed), how].append(one)
    for found in tried.values():
        if len({one.gold.row for one in found}) >= max(FEWEST_ROWS, MOSTLY * len(known)) and (
            paid_for := _paid(subject, found)
        ):
            yield paid_for
            return


def _is_writer(subject: Subject, tool: Mapping[str, Any]) -> bool:
    """Whether gold calls a tool that takes a place and what comes there, and nothing else."""
    needed = required_of(tool)
    of_text = [name for name in needed if properties_of(tool)[name].get("type") == "string"]
    called = any(name == name_of(tool) for gold in some_golds(subject) for name, _ in gold.calls)
    return called and len(needed) == 2 and bool(of_text) and not may_only_look(tool) and not only_looks(tool)


def _changed(subject: Subject, gold: Gold, looks: Sequence[Mapping[str, Any]]) -> dict[str, tuple[str, str]]:
    """What looks show of each place before and after gold's acts, where it changes and gold never writes it."""
    acts = [act for act in acts_of(gold) if act.get("tool_calls")]
    asked = [call_message(name_of(look)) for look in looks]
    played = play_answers(subject, [(gold.row, [*asked, *acts, *asked, gold.turns[-1] if gold.text else "Done."])])
    if not played or played[0].error or len(played[0].tool_calls) < len(acts) + 2 * len(asked):
        return {}
    replies = [str(call["content"]) for call in played[0].tool_calls]
    before, after = _shown(replies[: len(asked)]), _shown(replies[len(asked) + len(acts) :][: len(asked)])
    given = canonical_json([arguments for _, arguments in gold.calls])
    return {
        key: (before[key], new)
        for key, new in after.items()
        if key in before and before[key] != new and canonical_json(key) not in given
    }


def _shown(replies: Sequence[str]) -> Shown:
    """The values that replies show, by the names before them: of objects in JSON, else of lines."""
    found: Shown = {}
    for reply in replies:
        read = read_json(reply, dict(_LINE.findall(reply)))
        for key, value in read.items() if isinstance(read, dict) else ():
            if isinstance(value, str | int | float) and len(str(value)) <= MOST_CHARS:
                found[str(key)] = str(value)
    return found


def _of_row(
    gold: Gold, writer: Mapping[str, Any], changed: Mapping[str, tuple[str, str]]
) -> Iterator[tuple[Written, str]]:
    """Calls that write a result to its place, with the parameter of the place and which of its spellings it is."""
    first, second = required_of(writer)
    own = gold.first_given(name_of(writer)) or {}
    for place, content in ((first, second), (second, first)):
        kind = properties_of(writer)[content].get("type")
        if properties_of(writer)[place].get("type") != "string" or kind not in NONSENSE or place not in own:
            continue
        for key, (before, after) in list(changed.items())[:MOST_KEYS]:
            for number, value in enumerate(_values(before, after, kind)):
                if value != own.get(content):
                    calls = [
                        call_message(name_of(writer), **{place: key, content: one}) for one in (value, NONSENSE[kind])
                    ]
                    yield Written(gold, name_of(writer), key, value, *calls), f"{place} {number}"


def _values(before: str, after: str, kind: str) -> list[Any]:
    """What is shown afterwards: its last word, which a formula may be before, and all of it."""
    texts = list(dict.fromkeys([re.split(r"\s|->|=", after)[-1], after]))
    if kind == "string":
        return [text for text in texts if text and text != before]
    numbers = [float(text) for text in texts if re.fullmatch(r"-?\d+(?:\.\d+)?", text)]
    return [int(one) for one in numbers if one.is_integer()] if kind == "integer" else numbers


def _which(key: str, changed: Mapping[str, tuple[str, str]]) -> str:
    """Which of the places that changed it is, as names may differ by row."""
    return str(list(changed).index(key))


def _paid(subject: Subject, found: Sequence[Written]) -> Finding | None:
    by_row = list({one.gold.row: one for one in found}.values())
    won = won_of(subject, played := play_answers(subject, [one.turns(one.call) for one in by_row]))
    if not as_good_on_most(subject, won, len(played)):
        return None
    wrong = play_compared(subject, [one.turns(one.nonsense) for one in by_row])
    if not seldom_won(subject, wrong):
        return None
    one = next(one for one in by_row if one.gold.row == won[0].row_index)
    what = f"{one.writer} that writes {one.value!r} to {one.key!r}, which gold leaves to what it follows from,"
    hint = "Refuse to write what is worked out, or score by what it is worked out from."
    return paid(subject, won, len(played), what, hint)
