"""Whether episodes that are played or scored at the same time change each other's results."""

from collections.abc import Iterator
from contextlib import nullcontext
from functools import partial
from inspect import iscoroutinefunction
from itertools import zip_longest

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.answers import Answer, answers_tried, end_of, equal, result_of, timed_out
from grpo_env_sdk.checking.evidence.attempts.unsteady import unsteady
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding, Undecided
from grpo_env_sdk.checking.score.thread_interleaving import Interruption, code_of
from grpo_env_sdk.envs.episode_books import books_of
from grpo_env_sdk.envs.traits import toolbox_of
from grpo_env_sdk.plain_text import counted
from grpo_env_sdk.rewards.scorer import Scorer
from grpo_env_sdk.types import Episode

MOST_LINES = {"quick": 60, "default": 150, "thorough": 3_000}
PAIRS = 3
AT_ONCE = 8
_PAIRED = 3
"""How many answers are also given at once with the best alone."""
_SLOW_SECONDS = 0.02
_LOCAL = "Keep the state of scoring in local variables, or set parallel = False on the class."
_OWN_STATE = (
    "Keep the state of an episode in self, set in reset: not on the class, in the module or in a default argument."
)


@check("S220", kinds=("single-turn",), share=3)
def parallel_scoring_is_safe(subject: Subject) -> Iterator[Finding | Undecided]:
    """If scoring runs in parallel, scoring one answer does not change the score of another."""
    if not subject.traits.parallel:
        return
    if _is_async(subject):
        yield from _disturbed_at_once(subject, _LOCAL)
    else:
        claimed = hasattr(subject.loaded.env, "parallel")
        why = "the class sets parallel = True" if claimed else "rewards are scored in parallel"
        yield from disturbed(subject, f"in the middle of scoring ({why})", _LOCAL)


@check("S221", kinds=("single-turn",), severity="info", share=0.5)
def slow_scoring_runs_in_parallel(subject: Subject) -> Iterator[Finding]:
    """Slow scoring runs in parallel if it can."""
    if subject.traits.parallel or subject.traits.instances != "shared":
        return
    times = sorted(episode.timings["score"] for _, episode in answers_tried(subject))
    usual = times[len(times) // 2]
    if usual > _SLOW_SECONDS and not list(disturbed(subject, "", "")):
        message = (
            f"Scoring takes {usual:.2g} s per answer, one at a time, although parallel scoring gave the same results."
        )
        yield Finding(message, "Set parallel = True on the class if scoring keeps no state.", subject.chosen[0])


@check("E304", kinds=("tools", "multi-turn"), share=3)
def parallel_episodes_are_safe(subject: Subject) -> Iterator[Finding | Undecided]:
    """An episode is not changed by an episode that another instance plays at the same time."""
    if subject.traits.instances == "shared" or subject.traits.max_live == 1:
        return  # then episodes run one at a time
    found = list(_disturbed_at_once(subject, _OWN_STATE)) if _awaits(subject) else []
    yield from found or disturbed(subject, "in the middle of an episode", _OWN_STATE)


def disturbed(subject: Subject, when: str, hint: str) -> Iterator[Finding | Undecided]:
    """Episodes with another result if a whole other episode runs at one of their lines."""
    cls = type(subject.loaded.env)
    if code_of(cls) is None:
        yield Undecided("The class has no source file, so its lines cannot be interrupted.")
        return
    if unsteady(subject):
        return  # S210 reports it
    for answer, other in _pairs(subject):
        alone, again = subject.answer(answer.row, answer.completion), subject.answer(other.row, other.completion)
        with subject.in_new_threads(), Interruption(cls).watching() as whole:
            subject.answer(answer.row, answer.completion)
        lines = list(range(1, whole.lines + 1))
        subject.random.shuffle(lines)
        for line in lines[: MOST_LINES[subject.effort] // PAIRS]:
            if not subject.time_left:
                return
            meanwhile = partial(subject.answer, other.row, other.completion)
            with subject.in_new_threads(), Interruption(cls, line, meanwhile).watching() as cut:
                episode = subject.answer(answer.row, answer.completion)
            for item, usual, changed in ((answer, alone, episode), (other, again, cut.outcome)):
                if not cut.place or changed is None or same_result(usual, changed):
                    continue
                if _steady(subject, item, usual):
                    others = other if item is answer else answer
                    yield _finding(item, usual, changed, others, f"{when} ({cut.place})", hint)
                    return


def same_result(one: Episode, other: Episode) -> bool:
    """Whether two episodes have the same messages and the same result."""
    if timed_out(one) or timed_out(other):
        return True
    return equal(result_of(one), result_of(other)) and one.messages == other.messages


def _pairs(subject: Subject) -> list[tuple[Answer, Answer]]:
    """Pairs of answers with different rewards, if possible to different rows, the longest first."""
    whole = [(answer, episode) for answer, episode in answers_tried(subject) if not episode.error]
    best = sorted(whole, key=lambda case: (-(case[1].reward or 0.0), -len(case[1].messages)))
    worst = best[::-1]
    pairs = [(best[i][0], worst[i][0]) for i in range(min(PAIRS - 1, len(best)))]
    pairs += [(worst[0][0], best[0][0])] if best else []
    several = [other for other in best if other[0].row != best[0][0].row]
    return [*([(best[0][0], several[0][0])] if several else []), *pairs]


def _steady(subject: Subject, answer: Answer, usual: Episode) -> bool:
    """Whether the answer still gets the usual result when it is played alone."""
    return all(same_result(usual, subject.answer(answer.row, answer.completion)) for _ in range(2))


def _finding(answer: Answer, usual: Episode, changed: Episode, other: Answer, when: str, hint: str) -> Finding:
    message = f"{_change(usual, changed)} when row {other.row} was played {when}."
    return Finding(message, hint, answer.row, answer.completion, end_of(changed), end_of(usual))


def _change(usual: Episode, changed: Episode) -> str:
    if equal(result_of(usual), result_of(changed)):
        return f"The messages of row {usual.row_index} changed"
    return f"Row {usual.row_index} scored {end_of(changed)} instead of {end_of(usual)}"


def _disturbed_at_once(subject: Subject, hint: str) -> Iterator[Finding]:
    for batch in _batches(subject):
        if not subject.time_left:
            return
        alone = [subject.answer(answer.row, answer.completion) for answer in batch]
        for order in (1, -1):  # who comes first decides who is mixed up
            turned = batch[::order]
            at_once = subject.answers((answer.row, answer.completion) for answer in turned)
            for answer, usual, changed in zip(turned, alone[::order], at_once, strict=False):
                if not same_result(usual, changed) and _steady(subject, answer, usual):
                    when = f"together with {counted(len(batch) - 1, 'other')}"
                    yield _finding(answer, usual, changed, answer, when, hint)
                    return


def _batches(subject: Subject) -> list[list[Answer]]:
    """Answers that are given at once, with high and low rewards: only between different scores does a mix-up show.

    First those of one row, best to worst: what another answer is mixed up with has to be right where it is. Then the
    best with one other alone, as a third that comes later would hide what it was mixed up with.
    """
    whole = [(answer, episode.reward or 0.0) for answer, episode in answers_tried(subject) if not episode.error]
    ranked = [answer for answer, _ in sorted(whole, key=lambda pair: -pair[1])]
    half = (len(ranked) + 1) // 2
    tried = [answer for pair in zip_longest(ranked[:half], ranked[half:][::-1]) for answer in pair if answer]
    tried = tried[: MOST_LINES[subject.effort] // 2]
    of_one_row = [answer for answer in ranked if answer.row == ranked[0].row]
    extremes = [*of_one_row[:1], *of_one_row[1:][1 - AT_ONCE :]]
    pairs = [[extremes[0], other] for other in extremes[1:][-_PAIRED:]]
    return [extremes, *pairs, *(tried[start : start + AT_ONCE] for start in range(0, len(tried), AT_ONCE))]


def _awaits(subject: Subject) -> bool:
    """Whether episodes take turns on one event loop, wherever one of them awaits."""
    books, row = books_of(subject.loaded.env), subject.chosen[0]
    if books is not None and books.is_async:
        return True
    with subject.opened(row) if subject.traits.tools_of_rows else nullcontext(subject.loaded.env) as env:
        tools = toolbox_of(env, subject.row(row)).tools.values()
    return any(iscoroutinefunction(tool.function) for tool in tools)


def _is_async(subject: Subject) -> bool:
    """Whether scoring awaits: `score_episode`, or any of the rewards."""
    env = subject.loaded.env
    scoring = [
        getattr(type(env), "score_episode", None),
        *(getattr(one, "function", None) for one in Scorer(env).rubric.rewards),
    ]
    return any(map(iscoroutinefunction, scoring))
