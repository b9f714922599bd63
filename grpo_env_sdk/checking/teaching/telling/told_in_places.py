"""Whether a table, file or page that tools list, and that gold never opens, holds the answer of the row."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grpo_env_sdk.checking.evidence.golds import golds, less_than_gold, play_answers, won_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.quoted_answers import quoted, reward_with_parts
from grpo_env_sdk.checking.evidence.secret_words import ByRow, answers, mates_of, words_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS, as_good_on_most
from grpo_env_sdk.checking.evidence.tool_use.exploring import KEPT_FOR_THE_SCORER, Exploration, Opened, explore
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.types import canonical_json

TASTED, MOST_ROWS, DIFFERENT, MOSTLY = 5, 10, 3, 0.7
"""On how many rows places are opened at first and at most, how many answers differ, and the share of rows told."""

MANY = 10
"""Among how many others of its form a word tells nothing."""


@dataclass(frozen=True, slots=True)
class Door:
    """A place that holds the answer of a row."""

    row: int
    place: Opened
    word: str
    named: bool
    """Whether it is named after what scorers compare with."""


def told_in_places(subject: Subject) -> Iterator[Finding]:
    """The finding that a place that gold never opens holds the answer, by its name or alone of its form."""
    own = {row: words for row, words in answers(subject).items() if words}
    if len(own) < FEWEST_ROWS or len({frozenset(words) for words in own.values()}) < DIFFERENT:
        return
    rows = list(own)[:MOST_ROWS]
    doors = _doors(subject, own, rows[:TASTED])
    if len(doors) >= MOSTLY * len(rows[:TASTED]):
        doors = _doors(subject, own, rows)
    by_tool: dict[tuple[str, bool], list[Door]] = defaultdict(list)
    for door in doors:
        by_tool[door.place.tool, door.named].append(door)
    for (_, named), found in by_tool.items():
        if len(found) >= max(FEWEST_ROWS, MOSTLY * len(rows)) and len({door.word for door in found}) >= DIFFERENT:
            yield from told_at(subject, found, len(rows), named)


def _doors(subject: Subject, own: ByRow, rows: list[int]) -> list[Door]:
    """The first such place of each row."""
    explored = explore(subject, rows)
    return [door for row, seen in explored.items() if (door := next(_of_row(subject, own, row, seen), None))]


def _of_row(subject: Subject, own: ByRow, row: int, seen: Exploration) -> Iterator[Door]:
    of_gold = {canonical_json([name, given]) for name, given in golds(subject)[row].calls}
    others = [words - own[row] for other, words in own.items() if other != row]
    own_calls = [one for one in seen.opened if canonical_json([one.tool, one.arguments]) in of_gold]
    for one in (one for one in seen.opened if not one.refused and one not in own_calls):
        words, given = words_of(one.reply), words_of(canonical_json(one.arguments))
        if sum(bool(words & other) for other in others) * 3 > len(others):
            continue  # a list of what is right on any row
        for word in sorted(own[row] & words - given, key=len, reverse=True):
            named = KEPT_FOR_THE_SCORER.search(canonical_json(one.arguments)) or _marked(word, one.reply)
            if named or (not mates_of(word, words) and _nowhere_else(word, one, seen, own_calls)):
                yield Door(row, one, word, bool(named))


def _marked(word: str, reply: str) -> bool:
    """Whether the word stands behind a name of what scorers compare with."""
    before = re.search(rf"(\w+)\W{{1,5}}{re.escape(word)}(?!\w)", reply, re.IGNORECASE)
    return before is not None and KEPT_FOR_THE_SCORER.search(before[1]) is not None


def _nowhere_else(word: str, place: Opened, seen: Exploration, own: Sequence[Opened]) -> bool:
    """Whether gold has to work the word out: no other place shows it but among many, apart from gold's queries."""
    asked = [one for one in own if one.is_query]
    shown = [one.reply for one in seen.opened if one != place and one not in asked]
    of_texts = [words for text in shown if word in (words := words_of(text))]
    return all(len(mates_of(word, words)) >= MANY for words in of_texts)


def told_at(subject: Subject, found: list[Door], of: int, named: bool) -> Iterator[Finding]:
    """The finding, where what is said after looking there is as good as gold."""
    again = [
        (door.row, [call_message(door.place.tool, **door.place.arguments), *golds(subject)[door.row].turns[-1:]])
        for door in found
    ]
    played = play_answers(subject, again)
    won = won_of(subject, played)
    if not as_good_on_most(subject, won, len(played)):
        return
    door = next(door for door in found if door.row == won[0].row_index)
    yield Finding(
        f"{_shown(door)} holds the answer, which gold finds in another way, on {len(found)} of {of} rows: "
        f"{quoted(door.word)} in {quoted(_around(door), 100)}, and saying it then scores {won[0].reward:g}, as gold "
        "does.",
        "Keep what the scorer compares with out of everything that a tool can open.",
        door.row, own_turns(won[0].completion), reward_with_parts(won[0]), less_than_gold(subject, won[0]),
        severity="error" if named else "warning",
    )  # fmt: skip


def _shown(door: Door) -> str:
    given = ", ".join(f"{key}={value!r}" for key, value in door.place.arguments.items())
    return f"{door.place.tool}({given})"


def _around(door: Door) -> str:
    where = door.place.reply.casefold().find(door.word)
    return door.place.reply[max(0, where - 40) : where + len(door.word) + 40]
