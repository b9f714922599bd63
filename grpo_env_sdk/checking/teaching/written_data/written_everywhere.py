"""Whether what the scorer compares with can be written by a tool, where no gold shows where to look."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, permutations
from math import isfinite
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.author_code.code_words import code_words
from grpo_env_sdk.checking.evidence.golds import NEARLY, golds, play_answers, reward_of
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, properties_of, required_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.tool_names import only_looks
from grpo_env_sdk.checking.evidence.quoted_answers import quoted, reward_with_parts
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import called_together
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, Message, canonical_json

MOST_ROWS, FEWEST_ROWS, MOST_PLACES, MOST_COPIED, TASTED = 8, 4, 24, 5, 2
"""On how many rows, on how few it counts, to how many places is written, and between how many is copied."""
WRITTEN = ("lorem", "0", "{}")
END = "Done."
_PLACE = regex(r"[\w/.~-]*[^\W\d][\w/.~-]*")


@dataclass(frozen=True, slots=True)
class Writer:
    """A tool that takes two texts: a place and what comes there, or two places."""

    tool: str
    place: str
    content: str

    def calls(self, pairs: Sequence[tuple[str, str]]) -> list[str | Message]:
        """One message that writes to each place, and the end."""
        made = (call_message(self.tool, **{self.place: place, self.content: text}) for place, text in pairs)
        return [called_together(made), END]


@check("G610", kinds=("tools",), needs=("calls",))
def the_scorers_own_places_cannot_be_written(subject: Subject) -> Iterator[Finding]:
    """The same text written to every place that the scorer's code names, or copied between them, is not right."""
    if golds(subject) or not isfinite(subject.traits.reward_range[1]):
        return  # G520 looks along gold
    rows = subject.sample(MOST_ROWS)
    places = _places(subject)
    for writer in _writers(subject) if len(places) > 1 else ():
        for pairs in _tries(places):
            if not all(_wins(subject, writer, row, pairs) for row in rows[:TASTED]):
                continue
            least = _least(subject, writer, rows[0], pairs)
            secret = [place for place, _ in least if not _is_shown(subject, rows[0], place)]
            won = [one for row in rows if (one := _wins(subject, writer, row, least))]
            if secret and len(won) >= max(min(FEWEST_ROWS, len(rows)), 0.75 * len(rows)):
                yield _finding(writer, least, secret, won, len(rows))
                return


def _writers(subject: Subject) -> Iterator[Writer]:
    """The tools that take two texts, in both orders."""
    for tool in subject.tools:
        needed = required_of(tool)
        texts = [name for name in needed if _is_text(properties_of(tool).get(name, {}))]
        if len(texts) == len(needed) == 2 and not only_looks(tool):
            yield from (Writer(name_of(tool), *order) for order in (texts, texts[::-1]))


def _is_text(schema: dict[str, Any]) -> bool:
    return schema.get("type") == "string" and "enum" not in schema


def _places(subject: Subject) -> list[str]:
    """The names in the environment's code that may be places, those of the scorer first."""
    names = {*map(name_of, subject.tools), *(key for tool in subject.tools for key in properties_of(tool))}
    words = code_words(subject.loaded.env, subject.rows.columns).texts
    return [word for word in words if _PLACE.fullmatch(word) and word not in names][:MOST_PLACES]


def _tries(places: Sequence[str]) -> Iterator[list[tuple[str, str]]]:
    """One text in every place; then what is in one place in another one, as a copy does it."""
    yield from ([(place, text) for place in places] for text in WRITTEN)
    yield from ([pair] for pair in islice(permutations(places[:MOST_COPIED], 2), 20))


def _wins(subject: Subject, writer: Writer, row: int, pairs: Sequence[tuple[str, str]]) -> Episode | None:
    """The episode, if it scores the top and silence does not."""
    tried: list[tuple[int, Completion]] = [(row, writer.calls(pairs)), (row, END)]
    played = play_answers(subject, tried)
    top = subject.traits.reward_range[1] - NEARLY
    won = len(played) == 2 and reward_of(played[0]) >= top > reward_of(played[1])
    return played[0] if won and not played[0].error else None


def _least(subject: Subject, writer: Writer, row: int, pairs: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """The places without which it does not win."""
    kept = list(pairs)
    for pair in pairs:
        fewer = [one for one in kept if one != pair]
        if fewer and _wins(subject, writer, row, fewer):
            kept = fewer
    return kept


def _is_shown(subject: Subject, row: int, place: str) -> bool:
    """Whether the prompt or a schema names a place."""
    said = f"{prompt_text(subject, row)} {canonical_json(subject.tools_of(row))}"
    return re.search(rf"(?<![\w./-]){re.escape(place)}(?![\w/-])", said) is not None


def _finding(
    writer: Writer, least: Sequence[tuple[str, str]], secret: Sequence[str], won: Sequence[Episode], of: int
) -> Finding:
    shown = " and ".join(
        f"{writer.tool}({writer.place}={place!r}, {writer.content}={text!r})" for place, text in least[:3]
    )
    return Finding(
        f"{shown} scores {won[0].reward:g} on {len(won)} of {of} rows: a tool can write to {quoted(secret[0])}, which "
        "the scorer reads, and which neither the prompt nor a schema names.",
        "Compare with the row, or with what no tool can write, rename or copy, and not with what is kept beside it.",
        won[0].row_index, own_turns(won[0].completion), reward_with_parts(won[0]),
        f"less than {won[0].reward:g}",
    )  # fmt: skip
