"""Whether all numbers that a tool shows may be written over with 0, after which the answer is 0."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations, product
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.guesses import form_of_golds
from grpo_env_sdk.checking.evidence.golds import (
    gold_name,
    golds,
    less_than_gold,
    play_answers,
    play_compared,
    rows_tried,
    won_of,
)
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, properties_of, required_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.json_data import Path, leaves, read_json
from grpo_env_sdk.checking.evidence.prompts.tool_names import may_only_look
from grpo_env_sdk.checking.evidence.quoted_answers import reward_with_parts
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import as_good_on_most, called_together, seldom_won
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import assistant_message, call_message
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, Message

TASTED, MOST_ROWS, FEWEST_RECORDS, MOST_RECORDS = 3, 12, 2, 60
_NOTHING = regex(
    r"(?<![\d.,])0(?![\d.,]*\d)|\b(?:zero\w*|reset\w*|clear\w*|empt\w+|null\w*|delet\w+|write off|"
    r"pa(?:y|id)s? off|settle\w*|none left|used up|sold out|any (?:amounts?|numbers?)|as you (?:like|wish))\b",
    re.IGNORECASE,
)
"""What a prompt says where to write 0 may be right."""
_NUMBER = regex(r"\d+(?:\.\d+)?")


@check("G695", kinds=("tools",), needs=("calls",))
def zeros_in_all_records_are_not_gold(subject: Subject) -> Iterator[Finding]:
    """Writing 0 over every number that a tool shows, and answering 0, scores less than gold."""
    rows = [row for row in rows_tried(subject)[:MOST_ROWS] if not _may_be_nothing(subject, row)]
    if subject.traits.tools_of_rows or len({prompt_text(subject, row) for row in rows}) < len(rows):
        return
    readers = [tool for tool in subject.tools if may_only_look(tool) and not required_of(tool)]
    for reader, writer in product(readers, subject.tools):
        for key, number in _parameters(writer):
            tried = _tried(subject, rows[:TASTED], name_of(reader), name_of(writer), key, number)
            if len(tried) < TASTED or len(won_of(subject, play_answers(subject, list(tried.items())))) < TASTED:
                continue
            tried = _tried(subject, rows, name_of(reader), name_of(writer), key, number)
            won = won_of(subject, played := play_answers(subject, list(tried.items())))
            plain = [(row, [turns[-1]]) for row, turns in tried.items()]
            if as_good_on_most(subject, won, len(played)) and seldom_won(subject, play_compared(subject, plain)):
                yield _finding(subject, reader, writer, won[0], len(won), len(played))
                return


def _may_be_nothing(subject: Subject, row: int) -> bool:
    """Whether gold answers 0, or the prompt speaks of what leaves nothing."""
    gold = golds(subject).get(row)
    answers_zero = gold is not None and {float(number) for number in _NUMBER.findall(gold.text)} == {0.0}
    return answers_zero or _NOTHING.search(prompt_text(subject, row)) is not None


def _parameters(tool: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The parameters of a tool that writes a number under a key."""
    kinds = {name: properties_of(tool).get(name, {}).get("type") for name in required_of(tool)}
    if len(kinds) == 2:
        yield from (
            (key, number) for key, number in permutations(kinds)
            if kinds[key] in ("string", "integer") and kinds[number] in ("integer", "number")
        )  # fmt: skip


def _tried(
    subject: Subject, rows: Sequence[int], reader: str, writer: str, key: str, number: str
) -> dict[int, list[Message]]:
    """By row a look, 0 written under every key that it shows, and 0 as the answer, in the form of gold."""
    before, after = form_of_golds(subject)
    looks = play_answers(subject, [(row, [call_message(reader), ""]) for row in rows])
    found = {}
    for row, episode in zip(rows, looks, strict=False):
        keys = _keys(str(episode.tool_calls[0]["content"]), key, number) if episode.tool_calls else []
        calls = [(writer, {key: one, number: 0}) for one in keys]
        if FEWEST_RECORDS <= len(keys) <= MOST_RECORDS and not _are_of_gold(subject, row, calls):
            zeros = called_together(call_message(tool, **given) for tool, given in calls)
            found[row] = [zeros, assistant_message(f"{before}0{after}")]
    return found


def _are_of_gold(subject: Subject, row: int, calls: Sequence[tuple[str, dict[str, Any]]]) -> bool:
    """Whether gold makes all these calls."""
    gold = golds(subject).get(row)
    return gold is not None and all(call in gold.calls for call in calls)


def _keys(reply: str, key: str, number: str) -> list[Any]:
    """The keys of the records that a reply shows with a number, by the names of the parameters."""
    records: dict[Path, dict[str | int, Any]] = defaultdict(dict)
    for path, value in leaves(read_json(reply, {})):
        if path:
            records[path[:-1]][path[-1]] = value
    named = [
        one[_field(one, key)] for one in records.values()
        if _field(one, key) != _field(one, number) and _is_number(one.get(_field(one, number)))
        and isinstance(one.get(_field(one, key)), str | int)
    ]  # fmt: skip
    listed = [name for one in records.values() if all(map(_is_number, one.values())) for name in one]
    return list(dict.fromkeys(named or [name for name in listed if isinstance(name, str)]))


def _field(record: Mapping[str | int, Any], parameter: str) -> str:
    """The field of a record that a parameter is named after: `id` for `entry_id`."""
    return next((str(name) for name in record if f"_{parameter}".endswith(f"_{name}")), "")


def _is_number(value: Any) -> bool:
    return type(value) in (int, float)


def _finding(
    subject: Subject, reader: dict[str, Any], writer: dict[str, Any], episode: Episode, won: int, of: int
) -> Finding:
    return Finding(
        f"With 0 written by {name_of(writer)} over every number that {name_of(reader)} shows, the answer 0 scores as "
        f"much as {gold_name(subject)} on {won} of {of} rows, though no prompt asks for it: row {episode.row_index} "
        f"earns {episode.reward:g}.",
        "Work out what is right from the row, and not from what the episode left of its data; compare all records.",
        episode.row_index, own_turns(episode.completion), reward_with_parts(episode), less_than_gold(subject, episode),
    )  # fmt: skip
