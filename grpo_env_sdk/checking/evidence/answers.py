"""The answers that the checks of scoring try, and what each came to."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import TypeVar

from grpo_env_sdk.checking.evidence.answer_templates import ANSWER_TEMPLATES
from grpo_env_sdk.checking.evidence.growth import explosive
from grpo_env_sdk.checking.evidence.odd_texts import ODD_TEXTS
from grpo_env_sdk.checking.evidence.process_state import process_state
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.errors import GrpoEnvError
from grpo_env_sdk.types import Episode, Message

T = TypeVar("T")

ODD_ROWS = 2
"""Rows that are given every odd text; the others get some of them in turn."""
MOST_ROWS = {"quick": 100, "default": 1_000, "thorough": 10_000}
GOLD_ROWS = {"quick": 15, "default": 60, "thorough": 500}
MOST_TURNS = 200
STATE = ("process", "state")
"""Where the state of this process is kept, as it was before the first episode."""
_TOLERANCE = 1e-9
_TOGETHER = 32
"""So many answers are given one after another before the time is looked at."""


@dataclass(frozen=True, slots=True)
class Said:
    """One answer to one row, and what a finding calls it."""

    row: int
    what: str
    completion: Completion


def answers_tried(subject: Subject) -> list[tuple[Said, Episode]]:
    """What was tried on many rows, and the episode of each; shared by the checks of a process."""
    return subject.once(("score", "tried"), lambda: _tried(subject))


def play(subject: Subject, said: Sequence[Said]) -> list[tuple[Said, Episode]]:
    """Each answer with its episode, as far as the time goes, one after another: others check what goes on at once."""
    if subject.traits.instances != "shared" or subject.traits.parallel:
        parts = [said[start : start + _TOGETHER] for start in range(0, len(said), _TOGETHER)]
        return [pair for part in _in_time(subject, parts) for pair in _one_by_one(subject, part)]
    episodes = subject.answers((item.row, item.completion) for item in said)
    return list(zip(said, episodes, strict=False))


def _one_by_one(subject: Subject, said: Sequence[Said]) -> list[tuple[Said, Episode]]:
    episodes = subject.answers(((item.row, item.completion) for item in said), at_once=1)
    return list(zip(said, episodes, strict=False))


def worth(episode: Episode) -> float | str | None:
    """What an episode came to: its reward, or the error that it ended with."""
    return episode.error.type if episode.error else episode.reward


def timed_out(episode: Episode) -> bool:
    """Whether a call took too long, its own or one that held up the process."""
    return episode.error is not None and episode.error.type in ("DeadlineError", "TimeoutError")


def equal(one: float | str | None, other: float | str | None) -> bool:
    """Whether two episodes are worth the same, sums in another order aside."""
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) <= _TOLERANCE * max(1.0, abs(one), abs(other))
    return one == other


def differing(
    one: Sequence[tuple[Said, Episode]], other: Sequence[tuple[Said, Episode]]
) -> list[tuple[Said, Episode, Episode]]:
    """The answers that are worth something else the second time; a call that hung tells nothing."""
    before = {id(said): episode for said, episode in one}
    both = [(said, before[id(said)], again) for said, again in other if id(said) in before]
    return [
        (said, first, again) for said, first, again in both
        if not equal(worth(first), worth(again)) and not (timed_out(first) or timed_out(again))
    ]  # fmt: skip


def _tried(subject: Subject) -> list[tuple[Said, Episode]]:
    """The gold answers of some rows; odd texts in full on a few rows, and some of them in turn on every row."""
    subject.once(STATE, process_state)
    subject.limits = replace(subject.limits, turns=MOST_TURNS)  # one that never ends would take all the time
    rows = subject.sample(MOST_ROWS[subject.effort])
    near = rows[:: max(1, len(rows) // GOLD_ROWS[subject.effort])]
    golds = {row: gold for row in _in_time(subject, near) if (gold := _gold(subject, row)) is not None}
    courses: dict[int, Completion] = {row: gold.completion for row, gold in golds.items()}
    tried = [(Said(row, "the gold answer", courses[row]), gold) for row, gold in golds.items()]
    tried += _random_calls(subject, near)
    odd = list(ODD_TEXTS.items())
    in_full = [*odd, *_in_the_form_of(list(courses.values()), odd)]
    few = [_after(row, what, text, courses.get(row)) for row in near[:ODD_ROWS] for what, text in in_full]
    many = _around_gold(courses) + [
        _after(row, what, text, courses.get(row) if place % 2 else None)
        for place, row in enumerate(rows)
        for what, text in (odd[0], odd[1 + place % (len(odd) - 1)])
    ]
    subject.random.shuffle(many)
    longest = min((length for length, *_ in explosive(subject).values()), default=None)
    short = [said for said in [*few, *many] if longest is None or len(str(said.completion)) < longest]
    return tried + play(subject, short)


def _in_the_form_of(courses: list[Completion], odd: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The odd texts in what all gold answers begin and end with, such as tags, as a scorer may look at nothing else."""
    turns = [own_turns(course)[-1] for course in courses]
    texts = [text for turn in turns if isinstance(text := turn if isinstance(turn, str) else turn.get("content"), str)]
    before, after = _form_of(texts)
    if len(set(texts)) < 3 or not before + after:
        return []
    return [(f"{what}, written as gold is", f"{before}{text}{after}") for what, text in odd]


def _form_of(texts: list[str]) -> tuple[str, str]:
    """What stands before and after every answer: a form that many use, or else signs that all texts have in common."""
    for shell in ANSWER_TEMPLATES[1:]:
        before, after = shell.format("\0").split("\0")
        if all(text.startswith(before) and text.endswith(after) for text in texts):
            return before, after
    before = _common_start(texts)
    after = _common_start([text[len(before) :][::-1] for text in texts])[::-1]
    return ("", "") if (before + after).isalnum() else (before, after)


def _common_start(texts: list[str]) -> str:
    alike = takewhile(lambda letters: len(set(letters)) == 1, zip(*texts, strict=False))
    return "".join(letters[0] for letters in alike)


def _around_gold(courses: dict[int, Completion]) -> list[Said]:
    """The gold of another row, and the right one with words around it, with case and spaces changed, and twice."""
    said = []
    for (row, course), other in zip(courses.items(), [*list(courses.values())[1:], *courses.values()], strict=False):
        if other is not course:
            said.append(Said(row, "the gold answer of another row", other))
        *turns, last = own_turns(course)
        text = last if isinstance(last, str) else last.get("content")
        if isinstance(text, str) and text:
            near = {"with words around it": f"I think it is {text}, because.", "in capitals": f" {text.upper()} ",
                    "twice": f"{text}\n{text}", "cut in half": text[: len(text) // 2]}  # fmt: skip
            said += [Said(row, f"the gold answer {how}", [*turns, told]) for how, told in near.items()]
    return said


def _random_calls(subject: Subject, rows: Sequence[int]) -> list[tuple[Said, Episode]]:
    """Episodes of random tool calls."""
    if not subject.tools:
        return []
    episodes = [subject.play(row, "random") for row in _in_time(subject, rows)]
    return [(Said(episode.row_index, "random tool calls", episode.completion), episode) for episode in episodes]


def _after(row: int, what: str, text: str, course: Completion | None) -> Said:
    """The text alone, or as the last turn of a course, whose earlier turns stay."""
    turns = [] if course is None else own_turns(course)
    if len(turns) < 2:
        return Said(row, what, text)
    return Said(row, f"{what} at the end of the gold course", [*turns[:-1], text])


def own_turns(course: Completion) -> list[str | Message]:
    """The assistant's turns of a completion."""
    if isinstance(course, str):
        return [course]
    return [turn for turn in course if isinstance(turn, str) or turn.get("role") == "assistant"]


def _gold(subject: Subject, row: int) -> Episode | None:
    try:
        episode = subject.gold(row)
    except GrpoEnvError:  # the finding of another check
        return None
    return episode if episode and episode.completion and episode.error is None else None


def _in_time(subject: Subject, items: Iterable[T]) -> Iterator[T]:
    """The items, until three quarters of this check's time are spent."""
    until = subject.time_left / 4
    for item in items:
        if subject.time_left < until:
            return
        yield item
