"""Whether what a model reads depends on the transcript alone."""

from collections.abc import Iterator
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.answers import Answer, answers_tried
from grpo_env_sdk.checking.evidence.playing.turns import turns_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.envs.view import view_of
from grpo_env_sdk.types import Message

_EPISODES = {"quick": 4, "default": 12, "thorough": 60}


@check("E324", kinds=("tools", "multi-turn"), share=0.5)
def a_view_shows_the_same_again(subject: Subject) -> Iterator[Finding]:
    """`view` returns the same messages when it is called again at the same turn."""
    if not subject.traits.has_view:
        return
    cases = [answer for answer, episode in answers_tried(subject) if not episode.error]
    long = sorted(cases, key=lambda answer: -len(turns_of(answer.completion)))
    for answer in subject.in_time(long[: _EPISODES[subject.effort]]):
        if (found := _difference(subject, answer)) is not None:
            turn, first, again = found
            yield Finding(
                f"view, called twice at turn {turn}, returned other messages the second time.",
                "Return messages that depend on the transcript alone, and change nothing: a replay asks it again.",
                answer.row, answer.completion, again, first,
            )  # fmt: skip
            return


def _difference(subject: Subject, answer: Answer) -> tuple[int, list[Message], list[Message]] | None:
    """The turn before which two calls differ, and what each returned."""
    with subject.opened(answer.row) as env:
        for turn, said in enumerate([*turns_of(answer.completion), None]):
            first, again = (_viewed(subject, env, turn, answer.row) for _ in range(2))
            if first != again:
                return turn, first, again
            if said is None or any(subject.call("step", env.step, said, row=answer.row)[2:4]):
                break
    return None


def _viewed(subject: Subject, env: Any, turn: int, row: int) -> list[Message]:
    found: list[Message] = subject.call("view", view_of, env, env._grpo.messages, turn, row=row)
    return found
