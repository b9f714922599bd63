"""Scoring at once: two episodes that are scored at the same time do not disturb each other."""

import inspect
from collections.abc import Iterator
from functools import partial

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.answers import Said, answers_tried, equal, timed_out, worth
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.unsteady import unsteady
from grpo_env_sdk.checking.findings.finding import Finding, Undecided
from grpo_env_sdk.checking.score.thread_interleaving import Interruption
from grpo_env_sdk.types import Episode

MOST_LINES = {"quick": 60, "default": 300, "thorough": 3_000}
PAIRS = 3
AT_ONCE = 8
_SLOW_SECONDS = 0.02
_LOCAL = "Keep what one scoring needs in local variables, or write parallel = False in the class."
_OWN_STATE = (
    "Keep the state of an episode in self, set in reset: not on the class, in the module or in a default argument."
)


@check("S220", kinds=("single-turn",), share=3)
def scoring_at_once_is_safe(subject: Subject) -> Iterator[Finding | Undecided]:
    """Where scoring runs in parallel, an answer that is scored meanwhile changes nothing."""
    if not subject.traits.parallel:
        return
    if _is_async(subject):
        yield from _disturbed_at_once(subject)
    else:
        claimed = hasattr(subject.loaded.env, "parallel")
        says = "its class says parallel = True" if claimed else "rewards are scored in parallel"
        yield from disturbed(subject, f"in the middle of scoring ({says})", _LOCAL)


@check("S221", kinds=("single-turn",), severity="info", share=0.5)
def slow_scoring_runs_at_once(subject: Subject) -> Iterator[Finding]:
    """Scoring that takes long runs in parallel where it could."""
    if subject.traits.parallel or subject.traits.instances != "shared":
        return
    times = sorted(episode.timings["score"] for _, episode in answers_tried(subject))
    usual = times[len(times) // 2]
    if usual > _SLOW_SECONDS and not list(disturbed(subject, "", "")):
        message = f"Scoring takes {usual:.2g} s an answer, one after another, and nothing that was tried disturbs it."
        yield Finding(
            message, "Write parallel = True in the class if it keeps no state while it scores.", subject.chosen[0]
        )


@check("E304", kinds=("tools", "multi-turn"), share=3)
def episodes_at_once_are_safe(subject: Subject) -> Iterator[Finding | Undecided]:
    """An episode that another instance plays meanwhile changes nothing."""
    if subject.traits.instances == "shared":
        return  # then whole episodes run one after another
    yield from disturbed(subject, "in the middle of an episode", _OWN_STATE)


def disturbed(subject: Subject, when: str, hint: str) -> Iterator[Finding | Undecided]:
    """An episode that comes to another end where another is played whole at one of its lines, whichever it is."""
    cls = type(subject.loaded.env)
    try:
        inspect.getfile(cls)
    except (TypeError, OSError):
        yield Undecided("The source of the class is no file, so its lines cannot be told apart.")
        return
    if unsteady(subject):
        return  # told already
    for said, other in _couples(subject):
        alone, again = subject.answer(said.row, said.completion), subject.answer(other.row, other.completion)
        with Interruption(cls).watching() as whole:
            subject.answer(said.row, said.completion)
        lines = list(range(1, whole.lines + 1))
        subject.random.shuffle(lines)
        for line in lines[: MOST_LINES[subject.effort] // PAIRS]:
            if not subject.time_left:
                return
            meanwhile = partial(subject.answer, other.row, other.completion)
            with Interruption(cls, line, meanwhile).watching() as cut:
                episode = subject.answer(said.row, said.completion)
            for item, usual, came in ((said, alone, episode), (other, again, cut.outcome)):
                if cut.place and came is not None and not same_course(usual, came) and _steady(subject, item, usual):
                    yield _finding(item, usual, came, other if item is said else said, f"{when} ({cut.place})", hint)
                    return


def same_course(one: Episode, other: Episode) -> bool:
    """Whether two episodes came to the same, in what was said and what it was worth."""
    if timed_out(one) or timed_out(other):
        return True
    return equal(worth(one), worth(other)) and one.messages == other.messages


def _couples(subject: Subject) -> list[tuple[Said, Said]]:
    """Answers to different rows that are worth different things, the longest courses first."""
    whole = [(said, episode) for said, episode in answers_tried(subject) if not episode.error]
    best = sorted(whole, key=lambda case: (-(case[1].reward or 0.0), -len(case[1].messages)))
    worst = best[::-1]
    pairs = [(best[i][0], worst[i][0]) for i in range(min(PAIRS - 1, len(best)))]
    pairs += [(worst[0][0], best[0][0])] if best else []
    several = [other for other in best if other[0].row != best[0][0].row]
    return [*([(best[0][0], several[0][0])] if several else []), *pairs]


def _steady(subject: Subject, said: Said, usual: Episode) -> bool:
    """Whether it still comes to the same when it is played alone, so that it was the disturbance."""
    return all(same_course(usual, subject.answer(said.row, said.completion)) for _ in range(2))


def _finding(said: Said, usual: Episode, came: Episode, other: Said, when: str, hint: str) -> Finding:
    told = _told(usual, came)
    message = f"{told} when row {other.row} was played {when}."
    return Finding(message, hint, said.row, said.completion, _end(came), _end(usual))


def _told(usual: Episode, came: Episode) -> str:
    if equal(worth(usual), worth(came)):
        return f"Row {usual.row_index} was told something else"
    return f"Row {usual.row_index} was worth {_end(came)} in place of {_end(usual)}"


def _end(episode: Episode) -> object:
    return episode.error.message if episode.error else episode.reward


def _disturbed_at_once(subject: Subject) -> Iterator[Finding]:
    tried = [said for said, episode in answers_tried(subject) if not episode.error]
    for start in range(0, min(len(tried), MOST_LINES[subject.effort]), AT_ONCE):
        batch = tried[start : start + AT_ONCE]
        if not subject.time_left:
            return
        alone = [subject.answer(said.row, said.completion) for said in batch]
        at_once = subject.answers((said.row, said.completion) for said in batch)
        for said, usual, came in zip(batch, alone, at_once, strict=False):
            if not same_course(usual, came) and _steady(subject, said, usual):
                yield _finding(said, usual, came, said, f"together with {AT_ONCE - 1} others", _LOCAL)
                return


def _is_async(subject: Subject) -> bool:
    return inspect.iscoroutinefunction(getattr(type(subject.loaded.env), "score_episode", None))
