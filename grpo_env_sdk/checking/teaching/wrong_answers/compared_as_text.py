"""Whether gold is the first or last of numbers, times, dates or versions by their letters and not by their values."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import Gold, gold_episodes, golds, play_all, too_good, won_of
from grpo_env_sdk.checking.evidence.prompts.json_data import NO_JSON, read_json
from grpo_env_sdk.checking.evidence.prompts.ordered_values import KINDS, key_of, kind_of, values_in
from grpo_env_sdk.checking.evidence.prompts.orders_of_texts import asks_for_texts
from grpo_env_sdk.checking.evidence.prompts.second_opinions import numbers_in
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.secret_words import says
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, texts_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.wrong_answers.compared_totals import Chosen, ends_as_text
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Message, canonical_json

FEWEST_ROWS, FEWEST_WRONG, MOSTLY, HALF, MOST_PLAYED, MOST_CHARS = 8, 2, 0.9, 0.5, 8, 60
MOST_ROWS = {"quick": 30, "default": 40, "thorough": 200}
FEWEST_WORDS = 4
"""A text of fewer with a number may be a name, as `Room 12` is."""
_ASKED = regex(
    r"\b(?:earliest|soonest|first|oldest|cheapest|lowest|smallest|least|fewest|shortest|minimum|min|lightest|nearest|"
    r"latest|last|newest|most|highest|largest|biggest|greatest|maximum|max|longest|heaviest|fastest|slowest|quickest|"
    r"best|top|before|after|next)\b",
    re.IGNORECASE,
)
_BETWEEN = regex(r"(?::\s|,\s|\||;|\t|\s[-\u2013\u2014]\s|\s{2,}|\s\(|\)\s)")
_MARKED = regex(r"(?s).*(?:<\w+>|\\boxed\{)([^<>{}]+)(?:</\w+>|\})\W*")
"""What stands around an answer, as in `<answer>10:00</answer>`."""
Records = Sequence[Mapping[Any, str]]


@dataclass(frozen=True, slots=True)
class Choice:
    """What gold chose on a row, in its last call or in its last text."""

    gold: Gold
    value: str
    texts: list[str]

    def other(self, value: str) -> list[Message]:
        """Gold with another choice, in whatever it says or calls with."""
        return [_replaced(turn, self.value, value) for turn in deepcopy(self.gold.turns)]


@dataclass(frozen=True, slots=True)
class Compared:
    """The first or last of some values on one row, by letters and by value."""

    choice: Choice
    kind: str
    as_text: str
    as_value: str


@check("G609", needs=("gold",))
def values_are_not_compared_as_texts(subject: Subject) -> Iterator[Finding]:
    """Gold is the first or last of several values by what they are, and not by how they are spelled."""
    known = list(golds(subject).values())[: MOST_ROWS[subject.effort]]
    prompts = {gold.row: prompt_text(subject, gold.row) for gold in known}
    asked = [one for one in known if _ASKED.search(prompts[one.row]) and not asks_for_texts(prompts[one.row])]
    if len(asked) < max(FEWEST_ROWS, MOSTLY * len(known)):
        return
    for choices in _choices(subject, asked).values():
        for way, rows in _ways(choices).items():
            wrong = [one for one in rows if one.as_text != one.as_value]
            agreed = all(one.as_text == one.choice.value for one in rows)
            if agreed and len(rows) >= max(FEWEST_ROWS, HALF * len(choices)) and len(wrong) >= FEWEST_WRONG:
                found = list(_finding_if_refused(subject, way, wrong, len(rows)))
                yield from found
                if found:
                    return
        if totals := list(_totals(subject, choices)):
            yield from totals
            return


def _totals(subject: Subject, choices: Sequence[Choice]) -> Iterator[Finding]:
    """The finding that gold is the first or last of totals, such as of a fare and its bags, by their letters."""
    rows = {
        Chosen(records, numbers_in(prompt_text(subject, one.gold.row)), one.value): one
        for one in choices
        if (records := next(_records(one.texts), None))
    }
    if found := ends_as_text(list(rows)):
        way, ends = found
        wrong = [Compared(rows[row], "", row.value, value) for row, value in ends if value != row.value]
        yield from _finding_if_refused(subject, way, wrong, len(ends)) if len(wrong) >= FEWEST_WRONG else ()


def _finding_if_refused(subject: Subject, way: str, wrong: Sequence[Compared], of: int) -> Iterator[Finding]:
    """The finding, if the choice by value is refused on these rows."""
    some = wrong[:MOST_PLAYED]
    played = play_all(subject, [(one.choice.gold.row, one.choice.other(one.as_value)) for one in some])
    if won_of(subject, played) or any(episode.error for episode in played):
        return
    one, episode = some[0], played[0]
    yield Finding(
        f"Gold compares {way} as texts, in which '10' comes before '9': on {len(wrong)} of {of} rows it is wrong. "
        f"In row {episode.row_index} {quoted(one.as_value)} scores {episode.reward:g}, and gold is "
        f"{quoted(one.as_text)}.",
        "Compare numbers, times, dates or tuples of numbers: min(slots, key=minutes), and not min(slots).",
        *too_good(subject, episode),
    )  # fmt: skip


def _choices(subject: Subject, known: Sequence[Gold]) -> dict[tuple[str, ...], list[Choice]]:
    """What gold chose, by the parameter of its last call, or in its text: on all rows, and where the same is asked."""
    found: dict[tuple[str, ...], list[Choice]] = defaultdict(list)
    for gold in known:
        given = gold.calls[-1][1] if gold.calls else {}
        asked = sorted({word.casefold() for word in _ASKED.findall(prompt_text(subject, gold.row))})
        for name, value in [*given.items(), ("", _said(gold.text))]:
            if isinstance(value, str | int | float) and 0 < len(str(value)) <= MOST_CHARS:
                choice = Choice(gold, str(value), _shown_before(subject, gold, str(value)))
                found[(name,)].append(choice)
                found[(name, *asked)].append(choice)
    return {key: found[key] for key in sorted(found, key=len)}


def _said(text: str) -> str:
    """What a text chooses: what stands between tags, or its only time, date, version or number."""
    marked = _MARKED.fullmatch(text)
    said = marked[1].strip() if marked else text.strip()
    if kind_of(said):
        return said
    kinds = [kind for kind in KINDS if kind != "months" and (kind != "numbers" or len(said.split()) >= FEWEST_WORDS)]
    values = next((found for kind in kinds if (found := _values([said], kind))), [])
    return values[0] if len(values) == 1 else said


def _shown_before(subject: Subject, gold: Gold, value: str) -> list[str]:
    """The replies before gold first says a value, or the prompt where there are none."""
    replies = []
    for message in gold_episodes(subject)[gold.row].completion:
        if message["role"] == "assistant" and says(canonical_json(message), value):
            break
        replies += texts_of([message])
    return replies or [prompt_text(subject, gold.row)]


def _ways(choices: Sequence[Choice]) -> dict[str, list[Compared]]:
    """By what may have been compared, the first and last of it on each row."""
    found: dict[str, list[Compared]] = defaultdict(list)
    every = _every(choices)
    for choice in choices:
        for what, pairs in dict(_listed(choice, every)).items():
            kinds = {kind_of(raw) for raw, _ in pairs}
            kind = kinds.pop() if len(kinds) == 1 else ""
            if not kind:
                continue
            keys = {raw: key_of(raw, kind) or () for raw, _ in pairs}
            answer = dict(reversed(pairs))
            for end, pick in (("first", min), ("last", max)):
                best = {answer[raw] for raw, key in keys.items() if key == pick(keys.values())}
                as_value = choice.value if choice.value in best else sorted(best)[0]
                found[f"{what} (the {end})"].append(Compared(choice, kind, answer[pick(keys)], as_value))
    return found


def _every(choices: Sequence[Choice]) -> Mapping[str, Sequence[str]]:
    """By kind, all values that replies show or gold chooses on any row."""
    kinds = {kind for one in choices if (kind := kind_of(one.value))}
    named = {kind: [value for one in choices for value in [*_values(one.texts, kind), one.value]] for kind in kinds}
    return {kind: [value for value in dict.fromkeys(values) if key_of(value, kind)] for kind, values in named.items()}


def _listed(choice: Choice, every: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """What may have been compared on a row: values that are shown, values that are not, and fields of records."""
    kind = kind_of(choice.value)
    if kind:
        shown = _values(choice.texts, kind)
        yield f"the {kind} that are shown", [(value, value) for value in shown]
        yield f"the {kind} that every list shows", [(value, value) for value in _shared(choice.texts, kind)]
        yield f"the {kind} that are not taken", [(value, value) for value in every[kind] if value not in shown]
    for records in _records(choice.texts):
        own = next((key for one in records for key, value in one.items() if value == choice.value), None)
        if own is None or not all(own in one for one in records):
            continue
        for key in records[0]:
            if key != own and all(key in one for one in records):
                name = f"the field {key!r}" if isinstance(key, str) else f"what is number {key + 1} in each line"
                yield name, [(one[key], one[own]) for one in records]


def _values(texts: Sequence[str], kind: str) -> list[str]:
    return list(dict.fromkeys(value for text in texts for value in values_in(text, kind)))


def _shared(texts: Sequence[str], kind: str) -> list[str]:
    """The values that all lists have: those of several replies, or of several lines or lists of one."""
    whole = [found for text in texts if (found := _values([text], kind))]
    for lists in (whole, [found for text in texts for found in _lists_in(text, kind)]):
        common = [value for value in (lists or [[]])[0] if all(value in one for one in lists)]
        if len(lists) > 1 and common:
            return common
    return []


def _lists_in(text: str, kind: str) -> list[list[str]]:
    """The values of each part of a text: of the lists in its JSON, or of its lines and clauses that have several."""
    data = read_json(text, NO_JSON)
    if data is not NO_JSON:
        held = list(data.values()) if isinstance(data, dict) else data
        return [_values([json.dumps(one)], kind) for one in held if one] if isinstance(held, list) else []
    parts = [_values([part], kind) for part in re.split(r"[\n;]|\.\s", text)]
    return [found for found in parts if len(found) > 1]


def _records(texts: Sequence[str]) -> Iterator[Records]:
    """The lists of records in texts: JSON, or lines of fields."""
    lines: dict[int, list[dict[Any, str]]] = defaultdict(list)
    for text in texts:
        data = read_json(text, NO_JSON)
        if data is not NO_JSON:
            yield from _of_json(data)
            continue
        for line in text.splitlines():
            fields = [part.strip(" .-*()") for part in _BETWEEN.split(line)]
            lines[len(fields)].append(dict(enumerate(fields)))
    yield from (found for size, found in lines.items() if size > 1 and len(found) > 1)


def _of_json(data: Any) -> Iterator[Records]:
    if isinstance(data, dict):
        for value in data.values():
            yield from _of_json(value)
        if data and all(isinstance(value, dict) for value in data.values()):
            data = [{"": key, **value} for key, value in data.items()]
        elif len(data) > 1 and all(isinstance(value, str | int | float) for value in data.values()):
            data = [{"name": key, "value": value} for key, value in data.items()]
    if isinstance(data, list) and len(data) > 1 and all(isinstance(item, dict) for item in data):
        yield [
            {key: str(value) for key, value in item.items() if isinstance(value, str | int | float)} for item in data
        ]


def _replaced(value: Any, old: str, new: str) -> Any:
    """A value with one text instead of another, wherever it stands alone."""
    if isinstance(value, dict):
        return {key: _replaced(item, old, new) for key, item in value.items()}
    if isinstance(value, list):
        return [_replaced(item, old, new) for item in value]
    if isinstance(value, str):
        return re.sub(rf"(?<![\w.:]){re.escape(old)}(?![\w:])", lambda _: new, value)
    return type(value)(new) if type(value) in (int, float) and str(value) == old else value
