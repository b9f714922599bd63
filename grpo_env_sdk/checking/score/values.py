"""What scoring gives: always a number, in the range that is declared; nothing that it was handed is changed."""

import re
from collections.abc import Iterable, Iterator

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.answers import Said, answers_tried, own_turns
from grpo_env_sdk.checking.evidence.failures import failure_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import assistant_message
from grpo_env_sdk.rewards.scorer import Scorer
from grpo_env_sdk.types import Episode, canonical_json

_SLACK = 1e-6
_SHOWN = 3
"""How many answers of one mistake a message names."""


@check("S201", share=6)
def scoring_never_fails(subject: Subject) -> Iterator[Finding]:
    """Scoring neither raises nor hangs, whatever was answered."""
    failed: dict[str, list[tuple[Said, Episode]]] = {}
    for said, episode in answers_tried(subject):
        if episode.error and episode.error.stage == "score" and episode.error.type != "ScoreError":
            error = failure_of(episode)
            failed.setdefault(error.cause if error else "", []).append((said, episode))
    for cause, cases in failed.items():
        said, _ = _simplest(cases)
        error = failure_of(subject.answer(said.row, said.completion))
        if error is not None:  # not only because another answer held up the process
            hint = "Give such an answer the lowest score; an episode whose scoring fails teaches nothing."
            message = f"{error.message.rstrip('.')}, on {_called(cases)}."
            yield Finding(message, hint, said.row, said.completion, expected="a score", cause=cause)


@check("S202", share=0.3)
def a_score_is_a_number(subject: Subject) -> Iterator[Finding]:
    """A score is a finite number, or None where it abstains, and it does not always abstain."""
    tried = answers_tried(subject)
    wrong: dict[str, list[tuple[Said, Episode]]] = {}
    for said, episode in tried:
        if episode.error and episode.error.stage == "score" and episode.error.type == "ScoreError":
            wrong.setdefault(re.sub(r" at 0x\w+", "", episode.error.message), []).append((said, episode))
    for told, cases in list(wrong.items())[:_SHOWN]:
        said, _ = _simplest(cases)
        message, _, hint = told.partition(". ")
        yield Finding(f"{message.rstrip('.')}, on {_called(cases)}.", hint, said.row, said.completion, cause=message)
    scored = [episode for _, episode in tried if episode.scored and episode.error is None]
    if scored and all(episode.reward is None for episode in scored):
        message = f"Each of {len(scored)} answers got None, so there is nothing to learn from."
        yield Finding(message, "Return the score; is a `return` missing?", scored[0].row_index, output=None)


@check("S203", share=0.3)
def scores_stay_in_their_range(subject: Subject) -> Iterator[Finding]:
    """Every score lies in the range that the environment declares, and every part in its own."""
    ranges = {item.name: item.range for item in Scorer(subject.loaded.env).rubric.rewards}
    out: dict[str, list[tuple[float, Said, tuple[float, float]]]] = {}
    for said, episode in answers_tried(subject):
        for name, value in episode.rewards.items():
            if name in ranges:
                _note(out, f"The reward {name!r}", value, said, ranges[name])
        if not out:
            _note(out, "A score", episode.reward, said, subject.traits.reward_range)
    for whose, cases in out.items():
        value, said, (low, high) = max(cases, key=lambda case: abs(case[0]))
        declared = "range=" if whose.startswith("The reward") else "reward_range = "
        yield Finding(
            f"{whose} of {value:g}, on {said.what}, is outside [{low:g}, {high:g}] ({len(cases)} answers were).",
            f"Scale or clip it, or declare {declared}({min(low, value):g}, {max(high, value):g}).",
            said.row, said.completion, value, f"{low:g} to {high:g}",
        )  # fmt: skip


@check("S204", share=0.3)
def scoring_changes_nothing_it_is_given(subject: Subject) -> Iterator[Finding]:
    """The row and the messages are as they were after an episode was played and scored."""
    for said, episode in answers_tried(subject):
        before, after = subject.row(said.row), episode.row
        changed = next((name for name in {**before, **after} if _differs(before.get(name), after.get(name))), None)
        if changed:
            yield Finding(
                f"The row's {changed!r} was changed while {said.what} was played or scored.",
                f"Work on a copy: list(row[{changed!r}]), or copy.deepcopy where it is nested.",
                said.row, said.completion, after.get(changed), before.get(changed),
            )  # fmt: skip
            return
        kept = [message for message in episode.completion if message.get("role") == "assistant"]
        for turn, (message, left) in enumerate(
            zip(map(assistant_message, own_turns(said.completion)), kept, strict=False)
        ):
            if message["content"] != left.get("content"):
                hint = "Work on a copy of the message: the transcript is what is kept and trained on."
                yield Finding(f"The model's message of turn {turn} was changed.", hint, said.row, message, left)
                return


def _note(
    out: dict[str, list[tuple[float, Said, tuple[float, float]]]],
    whose: str, value: float | None, said: Said, span: tuple[float, float],
) -> None:  # fmt: skip
    if value is not None and not span[0] - _SLACK <= value <= span[1] + _SLACK:
        out.setdefault(whose, []).append((value, said, span))


def _simplest(cases: list[tuple[Said, Episode]]) -> tuple[Said, Episode]:
    """The case with the shortest answer, which a person understands first."""
    return min(cases, key=lambda case: len(str(case[0].completion)))


def _called(cases: Iterable[tuple[Said, Episode]]) -> str:
    """`an empty answer, zero and 12 more`."""
    cases = sorted(cases, key=lambda case: len(str(case[0].completion)))
    names = list(dict.fromkeys(said.what for said, _ in cases))
    rest = len(names) - _SHOWN
    told = " and ".join([", ".join(names[: _SHOWN - 1]), names[_SHOWN - 1]]) if len(names) >= _SHOWN else None
    return (told or " and ".join(names)) + (f" and {rest} more" if rest > 0 else "")


def _differs(one: object, other: object) -> bool:
    return one is not other and canonical_json(one) != canonical_json(other)
