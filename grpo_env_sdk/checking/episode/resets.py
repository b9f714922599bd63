"""Whether an episode depends only on its row, its seed and the model's turns."""

from collections.abc import Iterator
from contextlib import ExitStack, suppress
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.answers import Answer, answers_tried, timed_out
from grpo_env_sdk.checking.evidence.attempts.trajectory import first_difference, trajectory_of
from grpo_env_sdk.checking.evidence.attempts.unsteady import unsteady
from grpo_env_sdk.checking.evidence.playing.failures import FailedHereError
from grpo_env_sdk.checking.evidence.playing.turns import turns_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import NOT_YOURS, Finding
from grpo_env_sdk.types import Episode, canonical_json, row_seed

MANY = {"quick": 20, "default": 80, "thorough": 500}
_ROW_ALONE = "Episodes run on instances whose build_dataset never ran: use only constructor arguments and the row."
_SEEDED = (
    "Keep what an episode changes in self, and set it anew in setup. Draw with self.np_random, which reset seeds, or "
    f"with random.Random and a seed from the row. {NOT_YOURS}"
)

QUICK_BUILD = 2.0
"""Rows that take no longer are built again, on an instance that is closed afterwards."""


@check("E301", kinds=("tools", "multi-turn"))
def a_reset_gives_the_same(subject: Subject) -> Iterator[Finding]:
    """`reset` gives the same observation for the same row each time, on each instance, also without a built dataset."""
    if subject.traits.instances != "constructed":
        return
    for row in subject.sample(MANY[subject.effort]):
        if not subject.time_left:
            return
        data = subject.row(row)
        seed = row_seed(data)
        try:
            shown = []
            for times in (2, 1):  # one instance after another, as a server may have one session only
                with subject.instance() as env:
                    for _ in range(times):
                        shown.append(subject.call("reset", env.reset, seed=seed, options=data, row=row)[0])
        except FailedHereError as exc:
            yield _failed_reset(subject, exc, row)
            return
        texts = [canonical_json(observation) for observation in shown]
        if len(set(texts)) > 1:
            where = "the second time on one instance" if texts[0] != texts[1] else "on another instance"
            message = f"reset with the same row and seed returned another observation {where}."
            yield Finding(
                message, _SEEDED, row, output=shown[1] if texts[0] != texts[1] else shown[2], expected=shown[0]
            )
            return


@check("E302", kinds=("tools", "multi-turn"), share=2)
def the_same_seed_gives_the_same_episode(subject: Subject) -> Iterator[Finding]:
    """The same turns for the same row always get the same observations."""
    cases = [case for case in answers_tried(subject) if not case[1].error]
    subject.random.shuffle(cases)
    cases = cases[: 4 * MANY[subject.effort]]
    again = subject.answers((answer.row, answer.completion) for answer, _ in cases)
    for (answer, first), second in zip(cases, again, strict=False):
        if not timed_out(second) and first.messages != second.messages:
            yield _difference(answer, first, second)
            return


@check("E303", kinds=("tools", "multi-turn"), share=2)
def no_state_is_left_after_a_reset(subject: Subject) -> Iterator[Finding]:
    """After a reset an instance plays the next episode as a new one does."""
    if subject.traits.instances != "constructed" or unsteady(subject):
        return
    cases = [answer for answer, episode in answers_tried(subject) if not episode.error]
    long = sorted(cases, key=lambda answer: -len(turns_of(answer.completion)))[: MANY[subject.effort]]
    subject.random.shuffle(cases)
    for before, answer in zip(long, cases, strict=False):
        if not subject.time_left:
            return
        fresh, again = (trajectory_of(subject, answer) for _ in range(2))
        if first_difference(fresh, again):
            continue  # E302 reports it
        difference = first_difference(fresh, trajectory_of(subject, answer, before))
        if difference:
            where, usual, changed = difference
            yield Finding(
                f"After an episode of row {before.row} and a reset, {where} differs from that of a new instance.",
                "Set all state of the episode in reset (or setup), including lists and dicts of the class.",
                answer.row, {"before": before.completion, "then": answer.completion}, changed, usual,
            )  # fmt: skip
            return


@check("E306", kinds=("tools", "multi-turn"))
def an_episode_needs_no_dataset(subject: Subject) -> Iterator[Finding]:
    """An episode is the same on an instance whose `build_dataset` never ran."""
    if subject.traits.instances != "constructed" or unsteady(subject):
        return
    _ = subject.rows  # built by `subject.loaded.env`
    cases = [answer for answer, episode in answers_tried(subject) if not episode.error]
    with ExitStack() as opened:
        built = None  # where a server has few sessions, one at a time
        if not subject.traits.max_live:
            built = _built(subject, opened) if subject.build_took < QUICK_BUILD else subject.loaded.env
        for answer in cases[: MANY[subject.effort]]:
            if not subject.time_left:
                return
            fresh = trajectory_of(subject, answer)
            if built and first_difference(fresh, trajectory_of(subject, answer, env=built)) is None:
                continue
            with ExitStack() as alone:  # as an episode before this one may have left something
                difference = first_difference(fresh, trajectory_of(subject, answer, env=_built(subject, alone)))
            if difference and first_difference(fresh, trajectory_of(subject, answer)) is None:
                where, usual, after = difference
                message = f"On an instance whose build_dataset ran, {where} differs from that of a new instance."
                yield Finding(message, _ROW_ALONE, answer.row, answer.completion, usual, after)
                return


def _built(subject: Subject, opened: ExitStack) -> Any:
    """A new instance that built its rows."""
    env = opened.enter_context(subject.instance())
    subject.call("build_dataset", env.build_dataset, subject.loaded.tokenizer)
    return env


def _failed_reset(subject: Subject, exc: FailedHereError, row: int) -> Finding:
    """A failed reset; the hint says so if it works once the dataset is built."""
    hint = exc.hint
    with suppress(FailedHereError), subject.instance() as env:
        subject.call("build_dataset", env.build_dataset, subject.loaded.tokenizer)
        subject.call("reset", env.reset, seed=0, options=subject.row(row), row=row)
        hint = _ROW_ALONE
    return Finding(exc.message, hint, row, cause=exc.cause)


def _difference(answer: Answer, first: Episode, second: Episode) -> Finding:
    place = next(
        (i for i, (one, other) in enumerate(zip(first.messages, second.messages, strict=False)) if one != other),
        min(len(first.messages), len(second.messages)),
    )
    one, other = (_message(episode, place) for episode in (first, second))
    return Finding(
        f"The same turns ({answer.what}) on row {answer.row}, played twice, gave a different message {place}.",
        _SEEDED, answer.row, answer.completion, other, one,
    )  # fmt: skip


def _message(episode: Episode, place: int) -> Any:
    return episode.messages[place] if place < len(episode.messages) else "none: the episode had ended"
