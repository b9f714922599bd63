"""Whether the ids of calls matter, which servers number and draw in several ways."""

from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import replace
from itertools import takewhile

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import Gold, as_good_as_gold, golds, play_answers, scored_by_row
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import are_most, some_golds
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.types import Message

MOST_ROWS = 8
_IDS = {"numbered anew in each message": "call_{place}", "drawn at random": "chatcmpl-tool-{number:016x}"}
_EQUAL = {"that are all the same": "call_0"}
"""What servers do too that number calls badly; where no result has to be matched, it need not matter."""


@check("E332", needs=("acts",))
def ids_of_calls_do_not_matter(subject: Subject) -> Iterator[Finding]:
    """Gold scores the same whatever ids its calls have: servers number them anew in each message, or draw them."""
    runs_none = subject.traits.kind == "single-turn"
    calling = [gold for gold in some_golds(subject) if any(turn.get("tool_calls") for turn in gold.turns)][:MOST_ROWS]
    replayed = scored_by_row(play_answers(subject, [(gold.row, gold.turns) for gold in calling]))
    known = [gold for gold in calling if gold.row in replayed and as_good_as_gold(subject, replayed[gold.row])]
    for how, form in (_IDS | _EQUAL if runs_none else _IDS).items():
        played = scored_by_row(play_answers(subject, [(gold.row, _with_ids(gold, form)) for gold in known]))
        lost = [row for row, episode in played.items() if not as_good_as_gold(subject, episode)]
        if are_most(subject, lost, played):
            episode = played[lost[0]]
            yield Finding(
                f"Gold whose calls have ids {how} scores {episode.reward:g} instead of "
                f"{golds(subject)[lost[0]].reward:g}, on {len(lost)} of {len(played)} rows.",
                "Keep calls in a list, and not by their ids: no result has to be matched with them."
                if runs_none
                else "Match results and calls by their order within a message: ids are unique in one message only, and "
                "may be anything.",
                lost[0], own_turns(episode.completion), episode.reward, golds(subject)[lost[0]].reward,
            )  # fmt: skip
            return
    if subject.traits.kind == "multi-turn":
        yield from _lost_by_equal_ids(subject, known)


def _lost_by_equal_ids(subject: Subject, known: Sequence[Gold]) -> Iterator[Finding]:
    """The finding that of calls in one message with the same id not all are carried out, nor answered."""
    joined = [replace(gold, turns=turns) for gold in known if (turns := _in_one_message(gold))]
    forms = (next(iter(_IDS.values())), *_EQUAL.values())
    apart, equal = (
        scored_by_row(play_answers(subject, [(gold.row, _with_ids(gold, form)) for gold in joined])) for form in forms
    )
    lost = [
        row for row, one in equal.items()
        if row in apart and as_good_as_gold(subject, apart[row]) and not as_good_as_gold(subject, one)
        and len(one.tool_calls) < len(apart[row].tool_calls)
    ]  # fmt: skip
    if are_most(subject, lost, equal):
        episode = equal[lost[0]]
        yield Finding(
            f"Only {len(episode.tool_calls)} of {len(apart[lost[0]].tool_calls)} calls are carried out where those of "
            f"one message have the same id: gold scores {episode.reward:g} instead of {apart[lost[0]].reward:g}, on "
            f"{len(lost)} rows.",
            "Carry calls out in their order, or answer each that has the id of another with an error: some servers "
            "give all calls one id, and so do models that write them.",
            lost[0], own_turns(episode.completion), episode.reward, apart[lost[0]].reward, severity="warning",
        )  # fmt: skip


def _in_one_message(gold: Gold) -> list[Message]:
    """Gold with all calls of its first messages, one after another, in one; empty where it has one such message."""
    calling = list(takewhile(lambda turn: turn.get("tool_calls"), gold.turns))
    if len(calling) < 2:
        return [] if not calling or len(calling[0]["tool_calls"]) < 2 else gold.turns
    calls = [call for turn in calling for call in turn["tool_calls"]]
    return [{**calling[0], "tool_calls": calls}, *gold.turns[len(calling) :]]


def _with_ids(gold: Gold, form: str) -> list[Message]:
    """Gold with other ids of its calls."""
    turns = deepcopy(gold.turns)
    for number, turn in enumerate(turns):
        for place, call in enumerate(turn.get("tool_calls") or ()):
            call["id"] = form.format(place=place, number=(number * 97 + place + 1) * 0x9E3779B97F4A7C15 % 2**64)
    return turns
