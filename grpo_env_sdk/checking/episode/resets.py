"""An episode depends on its row, its seed and what was said: not on chance, on the last episode, or on the world."""

from collections.abc import Iterator
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.answers import Said, answers_tried, own_turns, timed_out
from grpo_env_sdk.checking.evidence.failures import FailedHereError
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.trajectory import course_of, first_difference
from grpo_env_sdk.checking.evidence.unsteady import unsteady
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.types import Episode, canonical_json, row_seed

MANY = {"quick": 20, "default": 80, "thorough": 500}
_ROW_ALONE = "Episodes run on instances whose build_dataset never ran: take all from the constructor and the row."
_SEEDED = "Draw with self.np_random, which reset seeds, or random.Random(seed of the row)."


@check("E301", kinds=("tools", "multi-turn"))
def a_reset_gives_the_same(subject: Subject) -> Iterator[Finding]:
    """`reset` for one row gives the same each time and on each instance, also where no dataset was ever built."""
    if subject.traits.instances != "constructed":
        return
    for row in subject.sample(MANY[subject.effort]):
        if not subject.time_left:
            return
        data = subject.row(row)
        seed = row_seed(data)
        one, other = subject.loaded.instance(), subject.loaded.instance()
        try:
            shown = [subject.call("reset", env.reset, seed=seed, options=data, row=row)[0] for env in (one, one, other)]
        except FailedHereError as exc:
            yield _failed_reset(subject, exc, row)
            return
        told = [canonical_json(observation) for observation in shown]
        if len(set(told)) > 1:
            where = "a second time on one instance" if told[0] != told[1] else "on another instance"
            message = f"reset for one row and seed gave something else {where}."
            yield Finding(message, _SEEDED, row, output=shown[1] if told[0] != told[1] else shown[2], expected=shown[0])
            return


@check("E302", kinds=("tools", "multi-turn"), share=2)
def an_equal_seed_gives_an_equal_course(subject: Subject) -> Iterator[Finding]:
    """The same turns for the same row are answered the same, whoever plays them and how often."""
    cases = [case for case in answers_tried(subject) if not case[1].error]
    subject.random.shuffle(cases)
    cases = cases[: 4 * MANY[subject.effort]]
    again = subject.answers((said.row, said.completion) for said, _ in cases)
    for (said, first), second in zip(cases, again, strict=False):
        if not timed_out(second) and first.messages != second.messages:
            yield _parted(said, first, second)
            return


@check("E303", kinds=("tools", "multi-turn"), share=2)
def nothing_of_the_last_episode_remains(subject: Subject) -> Iterator[Finding]:
    """An instance that is reset plays the next episode as a new one would."""
    if subject.traits.instances != "constructed" or unsteady(subject):
        return
    cases = [said for said, episode in answers_tried(subject) if not episode.error]
    long = sorted(cases, key=lambda said: -len(own_turns(said.completion)))[: MANY[subject.effort]]
    subject.random.shuffle(cases)
    for before, said in zip(long, cases, strict=False):
        if not subject.time_left:
            return
        fresh, again = (course_of(subject, said) for _ in range(2))
        if first_difference(fresh, again):
            continue  # told by another check
        parted = first_difference(fresh, course_of(subject, said, before))
        if parted:
            where, usual, came = parted
            yield Finding(
                f"After an episode of row {before.row} and a reset, {where} differs from that of a new instance.",
                "Set all of the episode's state anew in reset (or setup), lists and dicts of the class included.",
                said.row, {"before": before.completion, "then": said.completion}, came, usual,
            )  # fmt: skip
            return


@check("E306", kinds=("tools", "multi-turn"))
def an_episode_needs_no_dataset(subject: Subject) -> Iterator[Finding]:
    """An episode goes the same on an instance whose `build_dataset` never ran."""
    if subject.traits.instances != "constructed" or unsteady(subject):
        return
    _ = subject.rows  # built by `subject.loaded.env`
    cases = [said for said, episode in answers_tried(subject) if not episode.error]
    for said in cases[: MANY[subject.effort]]:
        if not subject.time_left:
            return
        fresh = course_of(subject, said)
        if first_difference(fresh, course_of(subject, said, env=subject.loaded.env)) is None:
            continue
        parted = first_difference(fresh, course_of(subject, said, env=_built_anew(subject)))
        if parted and first_difference(fresh, course_of(subject, said)) is None:
            where, usual, came = parted
            message = f"On an instance whose build_dataset ran, {where} differs from that of an instance made anew."
            yield Finding(message, _ROW_ALONE, said.row, said.completion, usual, came)
            return


def _built_anew(subject: Subject) -> Any:
    env = subject.loaded.instance()
    subject.call("build_dataset", env.build_dataset, subject.tokenizer)
    return env


def _failed_reset(subject: Subject, exc: FailedHereError, row: int) -> Finding:
    """A reset that failed; where it works once the dataset was built, that is said."""
    hint = exc.hint
    try:
        env = subject.loaded.env
        subject.call("reset", env.reset, seed=0, options=subject.row(row), row=row)
        hint = _ROW_ALONE
    except FailedHereError:
        pass
    return Finding(exc.message, hint, row, cause=exc.cause)


def _parted(said: Said, first: Episode, second: Episode) -> Finding:
    place = next(
        (i for i, (one, other) in enumerate(zip(first.messages, second.messages, strict=False)) if one != other),
        min(len(first.messages), len(second.messages)),
    )
    one, other = (_message(episode, place) for episode in (first, second))
    return Finding(
        f"Played twice with equal turns ({said.what}), row {said.row} was answered differently at message {place}.",
        _SEEDED, said.row, said.completion, other, one,
    )  # fmt: skip


def _message(episode: Episode, place: int) -> Any:
    return episode.messages[place] if place < len(episode.messages) else "nothing: the episode had ended"
