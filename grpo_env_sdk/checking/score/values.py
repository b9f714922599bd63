"""Whether scoring always returns a number in the declared range, and changes nothing that it is given."""

import re
from collections.abc import Iterable, Iterator

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.answers import Answer, answers_tried
from grpo_env_sdk.checking.evidence.attempts.odd_texts import severity_of
from grpo_env_sdk.checking.evidence.playing.failures import failure_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns, turns_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import assistant_message
from grpo_env_sdk.plain_text import counted, joined
from grpo_env_sdk.rewards.completion_forms import form_hint
from grpo_env_sdk.rewards.scorer import Scorer
from grpo_env_sdk.types import Episode, canonical_json

_SLACK = 1e-6
_USUAL = (0.0, 1.0)
"""The range of a reward that declares none: where the class declares that of the score, the score alone counts."""
_WHOLE = ""
"""In place of the name of a reward, the whole score."""
_SHOWN = 3
"""How many answers a message names for one mistake."""

Outside = tuple[float, Answer, tuple[float, float]]
"""A value, the answer that got it, and the range that it leaves."""


@check("S201", share=12)
def scoring_never_fails(subject: Subject) -> Iterator[Finding]:
    """Scoring neither raises nor hangs, whatever the answer."""
    failed: dict[str, list[tuple[Answer, Episode]]] = {}
    for answer, episode in answers_tried(subject):
        if episode.error and episode.error.stage == "score" and episode.error.type != "ScoreError":
            error = failure_of(episode)
            failed.setdefault(error.cause if error else "", []).append((answer, episode))
    for cause, cases in failed.items():
        answer, _ = _simplest(cases)
        error = failure_of(subject.answer(answer.row, answer.completion))
        if error is not None:  # else another answer had blocked the process
            hint = "Return the lowest score for such an answer: an episode without a score is lost for training."
            fault = cases[0][1].error
            hint = (fault and form_hint(fault.type, fault.message)) or hint
            message = f"{error.message.rstrip('.')}, on {_names_of(cases)}."
            severity = severity_of((answer.what for answer, _ in cases), fault.type if fault else "")
            yield Finding(
                message, hint, answer.row, answer.completion, expected="a score", cause=cause, severity=severity
            )


@check("S202", share=0.3)
def a_score_is_a_number(subject: Subject) -> Iterator[Finding]:
    """A score is a finite number, or None to abstain, and not always None."""
    tried = answers_tried(subject)
    wrong: dict[str, list[tuple[Answer, Episode]]] = {}
    for answer, episode in tried:
        if episode.error and episode.error.stage == "score" and episode.error.type == "ScoreError":
            wrong.setdefault(re.sub(r" at 0x\w+", "", episode.error.message), []).append((answer, episode))
    for fault, cases in list(wrong.items())[:_SHOWN]:
        answer, _ = _simplest(cases)
        message, _, hint = fault.partition(". ")
        yield Finding(
            f"{message.rstrip('.')}, on {_names_of(cases)}.", hint, answer.row, answer.completion, cause=message
        )
    scored = [episode for _, episode in tried if episode.scored and episode.error is None]
    if scored and all(episode.reward is None for episode in scored):
        message = f"All {len(scored)} answers scored None, so there is nothing to learn."
        yield Finding(message, "Return the score. Is a `return` missing?", scored[0].row_index, output=None)


@check("S203", share=0.3)
def scores_stay_in_their_range(subject: Subject) -> Iterator[Finding]:
    """Every score is in the declared range, and every named reward with a weight in its own."""
    env = subject.loaded.env
    declared_whole = getattr(env, "reward_range", None) is not None and subject.traits.reward_range != _USUAL
    ranges = {
        part.name: part.range
        for part in Scorer(env).rubric.parts
        if part.weight and not (declared_whole and part.range == _USUAL)
    }
    rule = Scorer(env).rule
    weighed = getattr(env, "reward_range", None) is None and not (rule.by_method or rule.counts_steps)
    out: dict[str, list[Outside]] = {}
    for answer, episode in answers_tried(subject):
        for name, value in episode.rewards.items():
            if name in ranges:
                _note(out, name, value, answer, ranges[name])
        if not out and not (weighed and None in episode.rewards.values()):  # the others weigh more where one abstains
            _note(out, _WHOLE, episode.reward, answer, subject.traits.reward_range)
    for name, cases in out.items():
        value, answer, (low, high) = max(cases, key=lambda case: abs(case[0]))
        whose = "A score" if name == _WHOLE else f"The reward {name!r}"
        yield Finding(
            f"{whose} of {value:g}, for {answer.what}, is outside [{low:g}, {high:g}] "
            f"({counted(len(cases), 'answer')} in all).",
            f"Scale or clip it, or declare {_declaration(subject, name, (min(low, value), max(high, value)))}",
            answer.row, answer.completion, value, f"{low:g} to {high:g}",
        )  # fmt: skip


@check("S204", share=0.3)
def scoring_changes_nothing_it_is_given(subject: Subject) -> Iterator[Finding]:
    """Playing and scoring an episode does not change the row or the messages."""
    for answer, episode in answers_tried(subject):
        before, after = subject.row(answer.row), episode.row
        changed = next((name for name in {**before, **after} if _differs(before.get(name), after.get(name))), None)
        if changed:
            yield Finding(
                f"Playing or scoring {answer.what} changed {changed!r} of the row.",
                f"Work on a copy: list(row[{changed!r}]), or copy.deepcopy where it is nested.",
                answer.row, answer.completion, after.get(changed), before.get(changed),
            )  # fmt: skip
            return
        kept = own_turns(episode.completion)
        given = map(assistant_message, turns_of(answer.completion))
        for turn, (message, left) in enumerate(zip(given, kept, strict=False)):
            if message["content"] != left.get("content"):
                hint = "Work on a copy of the message: the transcript is what is stored and trained on."
                yield Finding(f"The model's message in turn {turn} was changed.", hint, answer.row, message, left)
                return


def _note(
    out: dict[str, list[Outside]], name: str, value: float | None, answer: Answer, span: tuple[float, float]
) -> None:
    if value is not None and not span[0] - _SLACK <= value <= span[1] + _SLACK:
        out.setdefault(name, []).append((value, answer, span))


def _declaration(subject: Subject, name: str, span: tuple[float, float]) -> str:
    """What to write for a range: that of the score where one reward has several parts, which share theirs."""
    of_one = f"range=({span[0]:g}, {span[1]:g})"
    if name == _WHOLE:
        return f"reward_{of_one.replace('=', ' = ')}."
    if not any(name in (item.parts or ()) for item in Scorer(subject.loaded.env).rubric.rewards):
        return f"{of_one}."
    scores = [episode.reward for _, episode in answers_tried(subject) if episode.reward is not None]
    low, high = (pick([*subject.traits.reward_range, *scores]) for pick in (min, max))
    if (low, high) == _USUAL:
        return f"{of_one}, which all parts of this reward share."
    return f"reward_range = ({low:.3g}, {high:.3g}) on the class: range= holds for all parts of one reward."


def _simplest(cases: list[tuple[Answer, Episode]]) -> tuple[Answer, Episode]:
    """The case with the shortest answer, which is the easiest to read."""
    return min(cases, key=lambda case: len(str(case[0].completion)))


def _names_of(cases: Iterable[tuple[Answer, Episode]]) -> str:
    """`an empty answer, zero and 12 more`."""
    cases = sorted(cases, key=lambda case: len(str(case[0].completion)))
    names = list(dict.fromkeys(answer.what for answer, _ in cases))
    rest = len(names) - _SHOWN
    return joined(names[:_SHOWN]) + (f" and {rest} more" if rest > 0 else "")


def _differs(one: object, other: object) -> bool:
    return one is not other and canonical_json(one) != canonical_json(other)
