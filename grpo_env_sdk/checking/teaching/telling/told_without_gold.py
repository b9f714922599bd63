"""What replies tell where only the best episodes found stand in for gold, which take values that no reply has shown."""

import re
from collections.abc import Iterator
from dataclasses import replace
from string import ascii_lowercase

from grpo_env_sdk.checking.evidence.golds import golds, less_than_gold, play_answers, won_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.quoted_answers import quoted, reward_with_parts
from grpo_env_sdk.checking.evidence.secret_words import answers, words_of
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS, as_good_on_most
from grpo_env_sdk.checking.evidence.tool_use.exploring import KEPT_FOR_THE_SCORER, Opened, explore
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.telling.told_by_wrong_calls import told_by_wrong_calls
from grpo_env_sdk.checking.teaching.telling.told_on_retry import right_choice_told
from grpo_env_sdk.data.messages import call_message, places_of_turns
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, Message

MOST_ROWS, PAYS = 8, 0.5
_SIGNS = {"letter": f"eaoirtnslu{ascii_lowercase}", "digit": "1234567890"}
"""The moves of games whose prompts speak of letters or digits, the frequent ones first."""
_HIDDEN = regex(r"(?:^|[/\\])\.\w")
"""The names of files that are not to be seen."""


def told_without_gold(subject: Subject) -> Iterator[Finding]:
    """The finding that a wrong call, a repeated guess or a hidden file that tools list tells what is right."""
    if subject.traits.user != "none":
        return
    yield from told_by_wrong_calls(subject)
    yield from (replace(one, severity="warning") for one in right_choice_told(subject))  # it may be how to find out
    rows = [row for row, words in answers(subject).items() if words][:MOST_ROWS]
    if len(rows) < FEWEST_ROWS:
        return
    if subject.traits.kind == "multi-turn":
        yield from _told_in_a_game(subject, rows)
    else:
        yield from _told_in_hidden_files(subject, rows)


def _told_in_a_game(subject: Subject, rows: list[int]) -> Iterator[Finding]:
    """The finding that the reply to a letter or digit that was said before has the whole answer."""
    of_rows = answers(subject)
    tried: list[tuple[int, Completion]] = [
        (row, _twice(signs, subject.traits.max_turns))
        for row in rows
        for asked, signs in _SIGNS.items()
        if re.search(rf"\b{asked}s?\b", prompt_text(subject, row), re.IGNORECASE)
    ]
    told = {one.row_index: found for one in play_answers(subject, tried) if (found := _told(one, of_rows))}
    again: list[tuple[int, Completion]] = [
        (row, [*before, *golds(subject)[row].turns[-1:]]) for row, (before, _, _) in told.items()
    ]
    won = [one for one in won_of(subject, play_answers(subject, again)) if not one.error]
    if len(told) < max(FEWEST_ROWS, PAYS * len(rows)) or len(won) < FEWEST_ROWS:
        return
    before, word, reply = told[won[0].row_index]
    yield Finding(
        f"The reply to {quoted(before[-1])}, said again, tells the answer on {len(told)} of {len(rows)} rows: "
        f"{quoted(word)} in {quoted(reply, 100)}, and saying it then scores {won[0].reward:g}.",
        "Show to a guess that is repeated what is shown to any other, and never what has to be found out.",
        won[0].row_index, own_turns(won[0].completion), reward_with_parts(won[0]), less_than_gold(subject, won[0]),
    )  # fmt: skip


def _twice(signs: str, most: int) -> list[str | Message]:
    """Each sign twice, one after the other, and one message left for the answer."""
    twice: list[str | Message] = [sign for sign in dict.fromkeys(signs) for _ in range(2)]
    return twice[: most - 1]


def _told(episode: Episode, of_rows: dict[int, set[str]]) -> tuple[list[str], str, str] | None:
    """What was said until a reply, after which the episode went on, has the answer; the word and the reply."""
    said: list[str] = []
    last = max(places_of_turns(episode.completion), default=0)
    for message in episode.completion[:last]:
        if message["role"] == "assistant":
            said.append(str(message.get("content") or ""))
            continue
        reply = str(message.get("content") or "")
        for word in of_rows[episode.row_index] & words_of(reply):
            if len(word) > 1 and word not in said:
                return said, word, reply
    return None


def _told_in_hidden_files(subject: Subject, rows: list[int]) -> Iterator[Finding]:
    """The finding that a file named as one that is not to be seen, which tools list and open, has the answer."""
    found: dict[int, tuple[Opened, str]] = {}
    for row, seen in explore(subject, rows).items():
        for one in (one for one in seen.opened if not one.refused and _is_hidden(one)):
            hits = answers(subject)[row] & words_of(one.reply)
            found |= {row: (one, sorted(hits)[0])} if hits else {}
    again: list[tuple[int, Completion]] = [
        (row, [call_message(one.tool, **one.arguments), *golds(subject)[row].turns[-1:]])
        for row, (one, _) in found.items()
    ]
    won = won_of(subject, play_answers(subject, again))
    if len({word for _, word in found.values()}) < 3 or not as_good_on_most(subject, won, len(rows)):
        return
    one, word = found[won[0].row_index]
    name = quoted(next(iter(one.arguments.values())))
    yield Finding(
        f"{one.tool} opens {name}, which a tool lists and which has the answer, on {len(found)} of {len(rows)} rows: "
        f"{quoted(word)} in {quoted(one.reply, 100)}, and saying it then scores {won[0].reward:g}.",
        "Keep what the scorer compares with, and the row itself, out of everything that a tool can open.",
        won[0].row_index, own_turns(won[0].completion), reward_with_parts(won[0]), less_than_gold(subject, won[0]),
    )  # fmt: skip


def _is_hidden(place: Opened) -> bool:
    """Whether its name begins with a dot, or says that it is kept for the scorer."""
    names = [str(value) for value in place.arguments.values()]
    return any(_HIDDEN.search(name) or KEPT_FOR_THE_SCORER.search(name) for name in names)
