"""Whether the same answer gets the same score: again, in another order, on another instance, in another process."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.answers import (
    BEST_FOUND,
    CALLS_OF_ROW,
    GOLD,
    GOLD_OF_ANOTHER,
    TRIED,
    VALUE,
    VALUE_OF_ANOTHER,
    Answer,
    answers_tried,
    differing,
    end_of,
    play,
    result_of,
)
from grpo_env_sdk.checking.evidence.attempts.unsteady import unsteady
from grpo_env_sdk.checking.evidence.fresh_instances import built, fresh_instance, splits_of
from grpo_env_sdk.checking.evidence.processes.asked_files import versions_of
from grpo_env_sdk.checking.evidence.processes.other_process import PlayedElsewhere, play_in_other_process
from grpo_env_sdk.checking.evidence.processes.python_child import IMPORTABLE
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.findings.finding import NOT_YOURS, STATELESS, Finding, Undecided
from grpo_env_sdk.checking.score.told_elsewhere import OTHER, SORTED, WHOLE_KEY, place_of, told_elsewhere
from grpo_env_sdk.envs.loaded_env import LoadedEnv
from grpo_env_sdk.isolation.author_code.author_globals import author_globals, growing
from grpo_env_sdk.plain_text import joined
from grpo_env_sdk.types import Episode

MOST_AGAIN = {"quick": 100, "default": 400, "thorough": 4_000}
MOST_IN_OTHER_PROCESS = {"quick": 100, "default": 300, "thorough": 2_000}
"""The answers that are played again here, and in another process."""
_SEEDED = f"Draw from random.Random with a seed from the row; keep clocks and counters out of the score. {NOT_YOURS}"
_FROM_CONSTRUCTOR = (
    "Create everything that scoring needs in the constructor, only from its arguments; keep nothing of earlier "
    "answers, or by a key that holds the whole prompt or id of the row, and the whole answer."
)
FEWEST_KEPT = 20
"""So many entries make a dict of numbers a cache rather than a table of prices."""
AGAIN = 6
"""So often a score has to rise or fall before that is no chance."""
_TELLING = (GOLD, "a value of", BEST_FOUND, CALLS_OF_ROW)
_ELSEWHERE = ("score", "elsewhere")
Pair = tuple[Answer, Episode, Episode]


@check("S210", share=3)
def a_score_is_the_same_again(subject: Subject) -> Iterator[Finding]:
    """The same answer to the same row gets the same score each time."""
    found = unsteady(subject)
    if found:
        answer, values = found[0]
        grown = _grown_with(subject, answer)
        random = not grown and _is_random(subject, answer, values)
        why = "at random" if random else f"depending on {grown or 'the answers before it'}"
        yield Finding(
            f"The same answer ({answer.what}) scored {_values_text(values)}, {why}.",
            _SEEDED if random else STATELESS, answer.row, answer.completion, values, "one score",
        )  # fmt: skip


@check("S211", share=3)
def a_score_is_the_same_in_another_order(subject: Subject) -> Iterator[Finding]:
    """The score of an answer does not depend on the answers scored before it."""
    if unsteady(subject):
        return  # S210 reports it
    first = _telling(answers_tried(subject), MOST_AGAIN[subject.effort])
    yield from _first(
        differing(first, play(subject, [answer for answer, _ in reversed(first)])),
        "when the answers were scored in reverse order", STATELESS,
    )  # fmt: skip


@check("S212", share=2)
def a_score_is_the_same_on_another_instance(subject: Subject) -> Iterator[Finding]:
    """A new instance gives every answer the same score, in whatever order it scores them."""
    if unsteady(subject):
        return
    first = _telling(answers_tried(subject), MOST_AGAIN[subject.effort])
    for part in splits_of(subject):
        if not subject.time_left:
            return
        loaded, rows = fresh_instance(subject, part)
        there = set(rows.indices)
        tried = [answer for answer, _ in first if answer.row in there]
        turned = _on_instance(subject, loaded, _backwards(tried))
        differ = differing(first, turned)
        steady = [pair for pair in differ if not _differs_here(subject, pair)]
        if not steady:
            continue
        where = "on a new instance" + (f" that built only the split {part!r}" if part != "all" else "")
        if differing(turned, _on_instance(subject, built(subject, part)[0], tried)):
            where += " that scored the wrong answers first, in reverse order"
            yield from _first(steady, where, WHOLE_KEY + _kept_by(subject))
        else:
            yield from _first(steady, where, _FROM_CONSTRUCTOR)
        return


def _on_instance(subject: Subject, loaded: LoadedEnv, answers: Sequence[Answer]) -> list[tuple[Answer, Episode]]:
    """Each answer with its episode on another instance, which has the rows of this one."""
    other = independent_copy(subject, loaded)
    other.once("rows", lambda: subject.rows)
    return play(other, answers)


def _elsewhere(subject: Subject) -> tuple[list[tuple[Answer, Episode]], PlayedElsewhere]:
    """Answers that were tried here, and the process that plays them too."""
    scored = [(answer, episode) for answer, episode in answers_tried(subject) if not episode.error]
    first = _telling(scored, MOST_IN_OTHER_PROCESS[subject.effort])
    return first, PlayedElsewhere(subject, _backwards([answer for answer, _ in first]))


def _backwards(answers: Sequence[Answer]) -> list[Answer]:
    """The answers in reverse order after the wrong ones of other rows: what one leaves in a cache shows in the next."""
    right: dict[int, list[Completion]] = defaultdict(list)
    for answer in answers:
        if answer.what in (GOLD, VALUE):
            right[answer.row].append(answer.completion)
    others = [answer for answer in answers if answer.what in (GOLD_OF_ANOTHER, VALUE_OF_ANOTHER)]
    wrong = [answer for answer in others if answer.completion not in right[answer.row]]
    first = set(map(id, wrong))
    return [*wrong, *(answer for answer in reversed(answers) if id(answer) not in first)]


def _start_elsewhere(subject: Subject) -> None:
    if subject.recall(TRIED) is not None:
        subject.once(_ELSEWHERE, lambda: _elsewhere(subject))


@check("S213", share=4, effort="default", ahead=_start_elsewhere)
def a_score_is_the_same_in_another_process(subject: Subject) -> Iterator[Finding | Undecided]:
    """Another process, with other surroundings and in another order, scores and answers the same turns the same."""
    if unsteady(subject):
        return
    subject.note_stage("another process")
    first, elsewhere = subject.once(_ELSEWHERE, lambda: _elsewhere(subject))
    there = elsewhere.episodes()
    if there is None or differing(first, there):  # alone, as processes at the same time may disturb each other
        there = play_in_other_process(subject, elsewhere.answers)
    if there is None:
        yield Undecided(f"Another process could not play the episodes{elsewhere.failure}.", IMPORTABLE)
        return
    differ = [pair for pair in differing(first, there) if not _differs_here(subject, pair)]
    if differ and not differing(first, play_in_other_process(subject, elsewhere.answers[::-1]) or there):
        where = "in a new process that scored the answers in reverse order"
        yield from _first(differ, where, WHOLE_KEY + _kept_by(subject))
    else:
        yield from _first(differ, place_of(subject, *differ[0][:2]) if differ else OTHER, SORTED)
        if not differ:
            yield from told_elsewhere(subject, first, there)
            yield from _with_files(subject, first, elsewhere) if elsewhere.asked else ()


def _with_files(subject: Subject, first: list[tuple[Answer, Episode]], elsewhere: PlayedElsewhere) -> Iterator[Finding]:
    """What scores otherwise where the files exist that the code looked up, and did not find, in this folder."""
    for files in versions_of(elsewhere.asked, subject.settings.origin):
        there = play_in_other_process(subject, elsewhere.answers, files) or []
        if differ := [pair for pair in differing(first, there) if not _differs_here(subject, pair)]:
            yield from _first(differ, f"where {joined(elsewhere.asked)} is in the working directory or HOME", SORTED)
            return


def _telling(tried: list[tuple[Answer, Episode]], most: int) -> list[tuple[Answer, Episode]]:
    """So many of the answers, of gold, its variants and what stands in for it rather than odd texts, in their order."""
    places = range(len(tried))
    chosen = sorted(places, key=lambda place: not tried[place][0].what.startswith(_TELLING))[:most]
    return [tried[place] for place in sorted(chosen)]


def independent_copy(subject: Subject, loaded: LoadedEnv | None = None) -> Subject:
    """The same environment on a new instance, without anything cached; what runs share is that of the first."""
    other = Subject(subject.spec, subject.settings, subject.note_stage)
    other.limits = subject.limits
    other.once("loaded", lambda: subject.loaded.sharing(loaded or subject.another()))
    other.once("held", lambda: None)
    other.begin("", subject.time_left)
    return other


def _is_random(subject: Subject, answer: Answer, values: list[float | str | None]) -> bool:
    """Whether two new instances disagree too, so that the cause is chance and not state."""
    answers = [answer] * (2 * len(values))
    runs = [[result_of(episode) for _, episode in play(independent_copy(subject), answers)] for _ in range(2)]
    return runs[0] != runs[1] or len(set(map(str, runs[0]))) == 1


def _kept_by(subject: Subject) -> str:
    """The dicts of the author's modules that keep numbers, as the end of a hint: probably caches of scores."""
    dicts = {name: held for name, (_, held) in author_globals(_package(subject)).items() if isinstance(held, dict)}
    kept = [
        name for name, held in dicts.items()
        if len(held) >= FEWEST_KEPT and all(isinstance(one, int | float) for one in held.values())
    ]  # fmt: skip
    return f" Look at {joined(kept)}, which may keep scores by too coarse a key." if kept else ""


def _package(subject: Subject) -> str:
    return subject.spec.entry_point.partition(":")[0].partition(".")[0]


def _grown_with(subject: Subject, answer: Answer) -> str:
    """The list, dict or set of the author's modules that has more entries after each score, if the score follows it."""
    seen, results = [], []
    for _ in range(AGAIN):
        results += [result_of(episode) for _, episode in play(subject, [answer])]
        seen.append(author_globals(_package(subject)))
    values = [value for value in results if isinstance(value, float)]
    steady = len(values) == AGAIN and (values == sorted(set(values)) or values[::-1] == sorted(set(values)))
    grown = growing(seen, 1) if steady else []
    return f"{grown[0][0]}, which has more entries after each score" if grown else ""


def _differs_here(subject: Subject, pair: Pair) -> bool:
    """Whether the answer gets another result here too by now, so that the place is not the cause."""
    return bool(differing([pair[:2]], play(subject, [pair[0]])))


def _first(differ: list[Pair], where: str, hint: str) -> Iterator[Finding]:
    if differ:
        answer, one, other = differ[0]
        count = f" ({len(differ)} answers differ)" if len(differ) > 1 else ""
        before, after = (_values_text([result_of(episode)]) for episode in (one, other))
        yield Finding(
            f"The same answer ({answer.what}) scored {before}, and {after} {where}{count}.",
            hint, answer.row, answer.completion, end_of(other), end_of(one),
        )  # fmt: skip


def _values_text(values: list[float | str | None]) -> str:
    names = list(dict.fromkeys(f"{value:.6g}" if isinstance(value, float) else str(value) for value in values))
    return joined(names)
