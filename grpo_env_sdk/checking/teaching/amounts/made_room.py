"""Whether an act that should give nothing makes room: a call that is refused without it is carried out after it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from grpo_env_sdk.checking.evidence.golds import as_good_as_gold, play_answers, was_scored
from grpo_env_sdk.checking.evidence.playing.turns import calls_in, functions_of
from grpo_env_sdk.checking.evidence.shown_texts import replies_to_gold
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import (
    FEWEST_ROWS,
    Act,
    Turns,
    acts_of,
    called_together,
    carried_out,
    is_amount,
    paid,
)
from grpo_env_sdk.checking.evidence.tool_use.calls import known_values
from grpo_env_sdk.checking.evidence.tool_use.listed_beside import listed_beside
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.findings.transcript_text import turns_text
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.types import Episode, Message

TASTED, MOST_EXTRA, MOST_OTHERS, TIMES, MOSTLY = 3, 8, 16, (100, 10, 3), 0.75
"""On how many rows it is tried first, how many acts are tried on each, for how many other values, how much more of a
number gold's call is tried with, and on what share of the rows it counts."""
Before = tuple[Turns, Turns]
"""What comes before calls: what may give something, and what should give no more than that."""
Extras = Callable[[Act], Sequence[Before]]


@dataclass(frozen=True, slots=True)
class _Room:
    """What made room, the call that is carried out then, and gold after it."""

    before: Before
    possible: Message
    episode: Episode


def made_room(subject: Subject, acts: Sequence[Act], extras: Extras, hint: str) -> Finding | None:
    """The finding that gold after such an act is gold, while a call that is refused without it is carried out.

    It is an error where another way, which is not as good without it, is then as good as gold, and else a warning.
    """
    rooms = [room for act in acts[:TASTED] if (room := _room(subject, act, extras(act)))]
    if len(rooms) < min(2, len(acts)):
        return None
    rooms += [room for act in acts[TASTED:] if (room := _room(subject, act, extras(act)))]
    if len(rooms) < max(FEWEST_ROWS, MOSTLY * len(acts)):
        return None
    by_row = {act.gold.row: act for act in acts}
    ways = [way for room in rooms if (way := _way(subject, by_row[room.episode.row_index], room))]
    if len(ways) >= FEWEST_ROWS:
        return paid(
            subject, ways, len(acts),
            f"Another way than gold, for which {turns_text(_of_row(rooms, ways[0]).before[1])} before it makes room,",
            hint,
        )  # fmt: skip
    room = rooms[0]
    what = f"Gold after {turns_text(room.before[1])}, which lets {turns_text([room.possible])} be carried out,"
    return replace(paid(subject, [one.episode for one in rooms], len(acts), what, hint), severity="warning")


def _of_row(rooms: Sequence[_Room], way: Episode) -> _Room:
    return next(one for one in rooms if one.episode.row_index == way.row_index)


def _room(subject: Subject, act: Act, extras: Sequence[Before]) -> _Room | None:
    """The first act that makes a call possible that is refused without it, and after which gold is gold."""
    more = [act.again(**{key: value * by}) for by in TIMES for key, value in act.arguments.items() if is_amount(value)]
    more = more or _others(subject, act)
    for before in extras[:MOST_EXTRA] if more else ():
        usual, now = (_carried_out(subject, act, turns, more) for turns in before)
        possible = [call for call, was, done in zip(more, usual, now, strict=False) if done and not was]
        for episode in play_answers(subject, [(act.gold.row, [*before[1], *acts_of(act.gold)])]) if possible else ():
            if was_scored(episode) and as_good_as_gold(subject, episode):
                return _Room(before, possible[0], episode)
    return None


def _others(subject: Subject, act: Act) -> list[Message]:
    """The same call with other values of its first argument."""
    key, value = next(iter(act.arguments.items()), ("", None))
    return [act.again(**{key: other}) for other in _other_values(subject, act, key, value)][:MOST_OTHERS]


def _other_values(subject: Subject, act: Act, key: str, value: Any) -> list[Any]:
    """The values that replies to gold list with one of its own, and those of gold on any row."""
    shown = listed_beside(value, replies_to_gold(subject, act.gold.row)) if isinstance(value, str | int) else ()
    others = [*dict.fromkeys(shown), *known_values(subject).get((act.name, key), [])]
    return [one for place, one in enumerate(others) if one != value and one not in others[:place]]


def _carried_out(subject: Subject, act: Act, before: Turns, calls: Sequence[Message]) -> list[bool]:
    """Of calls in one message, after others, whether each was carried out."""
    answers: list[tuple[int, Completion]] = [(act.gold.row, [*before, called_together(calls), *act.end])]
    played = play_answers(subject, answers)
    return [carried_out(subject, call) for one in played for call in one.tool_calls[calls_in(before) :]]


def _way(subject: Subject, act: Act, room: _Room) -> Episode | None:
    """An episode as good as gold with another value in a call of gold, which is not as good without the act before."""
    ways = list(islice(_ways(subject, act), MOST_OTHERS))
    with_room = play_answers(subject, [(act.gold.row, [*room.before[1], *way]) for way in ways])
    for way, episode in zip(ways, with_room, strict=False):
        if was_scored(episode) and as_good_as_gold(subject, episode):
            alone = play_answers(subject, [(act.gold.row, [*room.before[0], *way])])
            if alone and not as_good_as_gold(subject, alone[0]):
                return episode
    return None


def _ways(subject: Subject, act: Act) -> Iterator[Turns]:
    """Gold with another text in one of its calls of this tool."""
    turns = acts_of(act.gold)
    for place, turn in enumerate(turns):
        for function in functions_of([turn]):
            given = function["arguments"] if function["name"] == act.name else {}
            for key, value in given.items() if isinstance(given, dict) else ():
                others = _other_values(subject, act, key, value) if isinstance(value, str) else []
                calls = [call_message(act.name, **{**given, key: other}) for other in others]
                yield from ([*turns[:place], call, *turns[place + 1 :]] for call in calls)
