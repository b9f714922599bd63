"""Whether a reward function of TRL compares the completions of a group, of which `from_trl` gives it one."""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.answers import GOLD, GOLD_OF_ANOTHER, Answer, answers_tried
from grpo_env_sdk.checking.evidence.playing.failures import FailedHereError
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import completion_of
from grpo_env_sdk.data.own_copy import scorers_copy
from grpo_env_sdk.rewards.reward import Reward
from grpo_env_sdk.rewards.rubric import Rubric
from grpo_env_sdk.rewards.scorer import Scorer
from grpo_env_sdk.rewards.trl_functions import BatchFunction, batch_function
from grpo_env_sdk.types import Episode, canonical_json

MOST_ROWS = {"quick": 3, "default": 6, "thorough": 30}
DIFFERENT = 3
"""So many different answers make a group, with one of them again, as a group of samples has equal ones too."""
_SMALLEST, _SHARE = 1e-3, 0.05
"""Values that differ by less are those of a model, whose numbers depend on the size of a batch."""
Case = tuple[Answer, Episode]
Values = list[float | None]


@check("C176", severity="warning", share=0.5)
def rewards_see_all_that_they_compare(subject: Subject) -> Iterator[Finding]:
    """A reward function written for TRL gives a completion the same value alone and among others."""
    rubric = Scorer(subject.loaded.env).rubric
    functions = [(one, of_batch) for one in rubric.rewards if one.weight and (of_batch := batch_function(one))]
    for one, of_batch in functions:
        if of_batch.reads_environments:
            continue
        for group in _groups(subject) if subject.time_left else ():
            if found := _compared(subject, of_batch, group):
                yield _finding(one, rubric, of_batch, *found)
                break


def _groups(subject: Subject) -> list[list[Case]]:
    """Answers to one row, for each of some rows: gold, that of another row and others, and the first one again."""
    by_row: dict[int, dict[str, Case]] = {}
    for answer, episode in sorted(answers_tried(subject), key=lambda case: case[0].what not in (GOLD, GOLD_OF_ANOTHER)):
        if episode.error is None and episode.scored:
            by_row.setdefault(answer.row, {}).setdefault(canonical_json(episode.completion), (answer, episode))
    chosen = [list(cases.values())[:DIFFERENT] for cases in by_row.values() if len(cases) > 1]
    return [[*cases, cases[0]] for cases in chosen[: MOST_ROWS[subject.effort]]]


def _compared(subject: Subject, of_batch: BatchFunction, group: list[Case]) -> tuple[Answer, Any, Any, int] | None:
    """An answer with its value alone and among the others, where both stay the same whenever they are asked for."""
    try:
        alone, among = _one_by_one(subject, of_batch, group), _values(subject, of_batch, group)
        alone_again, among_again = _one_by_one(subject, of_batch, group), _values(subject, of_batch, group)
        turned = _values(subject, of_batch, group[::-1])[::-1]
    except FailedHereError:
        return None
    if alone != alone_again or among != among_again or _by_answer(group, among) != _by_answer(group, turned):
        return None  # it draws, remembers, or looks at the place in the batch
    for (answer, _), single, shared in zip(group, alone, among, strict=True):
        if _differ(single, shared, [*alone, *among]):
            return answer, single, shared, len(group)
    return None


def _one_by_one(subject: Subject, of_batch: BatchFunction, cases: Sequence[Case]) -> Values:
    return list(chain.from_iterable(_values(subject, of_batch, [case]) for case in cases))


def _values(subject: Subject, of_batch: BatchFunction, cases: Sequence[Case]) -> Values:
    episodes = [scorers_copy(episode) for _, episode in cases]
    values: Values = subject.call("score", of_batch, [completion_of(one) for one in episodes], episodes)
    return values


def _by_answer(group: list[Case], values: Values) -> list[tuple[str, str]]:
    return sorted((str(answer.completion), repr(value)) for (answer, _), value in zip(group, values, strict=True))


def _differ(one: float | None, other: float | None, values: Values) -> bool:
    if one is None or other is None:
        return one is not other
    numbers = [value for value in values if value is not None]
    return abs(one - other) > max(_SMALLEST, _SHARE * (max(numbers) - min(numbers)))


def _finding(one: Reward, rubric: Rubric, of_batch: BatchFunction, answer: Answer, alone: Any, among: Any, size: int
             ) -> Finding:  # fmt: skip
    others = sum(part.weight for part in rubric.parts if part.weight > 0 and part.name != one.name) or 1.0
    function = of_batch.function
    where = f"{getattr(function, '__module__', 'MODULE')}:{getattr(function, '__name__', 'FUNCTION')}"
    return Finding(
        f"The reward {one.name!r} compares completions, and an environment scores each alone: {answer.what} gets "
        f"{alone} alone, and {among} among {size} of its row.",
        f"Take it out of `rewards` and give it to the training, which has whole groups: --reward-func "
        f"{where}={one.weight / others:.3g} (its weight over the sum of the others).",
        answer.row, answer.completion, {"alone": alone, f"among {size}": among}, "the same value",
    )  # fmt: skip
