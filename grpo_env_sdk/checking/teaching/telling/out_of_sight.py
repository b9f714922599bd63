"""Whether what gold says was in sight, where a `view` of the class decides what a model reads."""

import json
import re
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import Gold, gold_episodes, golds, less_than_gold, play_all, won_of
from grpo_env_sdk.checking.evidence.playing.tool_parameters import properties_of
from grpo_env_sdk.checking.evidence.playing.turns import functions_of, own_turns
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.secret_words import says, words_of
from grpo_env_sdk.checking.evidence.shown_texts import texts_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import called_together
from grpo_env_sdk.checking.evidence.tool_use.exploring import explore
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import call_message, places_of_turns
from grpo_env_sdk.data.viewed import messages_read
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Message, canonical_json

FEWEST_ROWS, SHARE, MOST_PLAYED, FEWEST_CHARS = 2, 0.1, 8, 2
"""On how many rows, and what share of them, gold has to say what was out of sight; how many of them are played."""
_PAGES = regex(r"offset|start|page|from|line|skip|chunk|part|section|cursor|limit|length|max", re.IGNORECASE)
"""Parameters with which the rest of a text may be read."""


@dataclass(frozen=True, slots=True)
class Unseen:
    """A word of gold that a reply had, and that no view has shown."""

    gold: Gold
    turn: int
    word: str

    def without(self) -> list[Message]:
        """Gold with another word of this form in its place."""
        turns = deepcopy(self.gold.turns)
        other = re.sub(r"\d", lambda one: str((int(one[0]) + 3) % 10), self.word)
        other = other if other != self.word else f"{self.word}x"
        turn = json.dumps(turns[self.turn], ensure_ascii=False)
        turns[self.turn] = json.loads(re.sub(rf"(?<!\w){re.escape(self.word)}(?!\w)", other, turn, flags=re.IGNORECASE))
        return turns


@check("G606", kinds=("tools", "multi-turn"), needs=("gold",))
def what_gold_says_was_in_sight(subject: Subject) -> Iterator[Finding]:
    """What gold takes from a reply is in what `view` shows of it."""
    if not subject.traits.has_view:
        return
    unseen = [one for gold in golds(subject).values() if (one := _unseen(subject, gold))]
    if len(unseen) < max(FEWEST_ROWS, SHARE * len(golds(subject))):
        return
    tried = _nowhere(subject, unseen[:MOST_PLAYED])
    other = play_all(subject, [(one.gold.row, one.without()) for one in tried])
    if not other or len(tried) < FEWEST_ROWS or 2 * len(won_of(subject, other)) > len(other):
        return
    one = tried[0]
    yield Finding(
        f"On {len(unseen)} of {len(golds(subject))} rows gold says what the view cuts off: {quoted(one.word)} in row "
        f"{one.gold.row} is in a reply, and in nothing that a model is shown of it. With another value it scores "
        f"{other[0].reward:g}.",
        "Let the view keep more, let a tool read the rest of a text, or ask for what is in sight.",
        one.gold.row, own_turns(other[0].completion), other[0].reward, less_than_gold(subject, other[0]),
        severity="warning" if _may_read_on(subject) else None,
    )  # fmt: skip


def _unseen(subject: Subject, gold: Gold) -> Unseen | None:
    """The first word of gold that a reply had before, and no view."""
    episode = gold_episodes(subject)[gold.row]
    own = places_of_turns(episode.messages)
    seen: set[str] = words_of(canonical_json(subject.tools))
    for turn, (place, read) in enumerate(zip(own, messages_read(episode), strict=False)):
        seen |= {word for text in texts_of(read) for word in words_of(text)}
        had = {word for text in texts_of(episode.messages[:place]) for word in words_of(text)}
        said = sorted(_said(episode.messages[place]) & had - seen)
        if long := [word for word in said if len(word) >= FEWEST_CHARS]:
            return Unseen(gold, turn, long[0])
    return None


def _said(message: Message) -> set[str]:
    """The words of what a message says and of what it calls with."""
    calls = [function["arguments"] for function in functions_of([message])]
    return words_of(" ".join([str(message.get("content") or ""), *map(canonical_json, calls)]))


def _nowhere(subject: Subject, unseen: Sequence[Unseen]) -> list[Unseen]:
    """Those that are not in sight either when everything is opened that the tools list."""
    explored = explore(subject, [one.gold.row for one in unseen])
    answers: list[tuple[int, list[Message | str]]] = []
    for row, seen in explored.items():
        if seen.opened:
            answers.append((row, [called_together(call_message(one.tool, **one.arguments) for one in seen.opened), ""]))
    shown: dict[int, str] = {}
    for episode in play_all(subject, answers) if subject.traits.kind == "tools" else ():
        shown[episode.row_index] = "\n".join(text for read in messages_read(episode) for text in texts_of(read))
    return [one for one in unseen if not says(shown.get(one.gold.row, ""), one.word)]


def _may_read_on(subject: Subject) -> bool:
    return any(_PAGES.search(name) for tool in subject.tools for name in properties_of(tool))
