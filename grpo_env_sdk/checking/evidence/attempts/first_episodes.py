"""One idle and one gold episode before anything else: whether gold scores, and what an episode costs."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from grpo_env_sdk.checking.evidence.attempts.answers import STATE
from grpo_env_sdk.checking.evidence.gold.no_gold import answer_column
from grpo_env_sdk.checking.evidence.golds import NEARLY
from grpo_env_sdk.checking.evidence.playing.episode_player import QUICK_EPISODE
from grpo_env_sdk.checking.evidence.playing.failures import HANG, FailedHereError, failure_of
from grpo_env_sdk.checking.evidence.playing.machine_load import FairClock
from grpo_env_sdk.checking.evidence.playing.process_state import process_state
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.errors import GrpoEnvError
from grpo_env_sdk.types import Episode


def episode_seconds(subject: Subject) -> float:
    """The seconds that the slower of an idle and a gold episode takes."""
    subject.begin("", None)
    subject.once(STATE, process_state)
    row = subject.rows.indices[0]
    took, idle = _timed(lambda: subject.answer(row, ""))
    hangs = _hangs(subject, took, idle)
    if took > QUICK_EPISODE and not hangs:
        took = min(took, _timed(lambda: subject.answer(row, ""))[0])  # the first one imports what it needs
    if subject.traits.solvable:
        of_gold, gold = _timed(lambda: subject.gold(row))
        took, hangs = max(took, of_gold), hangs and _was_given_up(gold)
    if hangs and idle is not None:
        _note_hang(subject, idle)
    return took


def gold_facts(subject: Subject) -> dict[str, Any]:
    """Whether any gold answer scored more than the lowest reward, as far as gold was played, and what named it."""
    low = subject.traits.reward_range[0]
    played = subject.recall(("teaching", "gold")) or {}
    first = subject.recall(("gold", subject.rows.indices[0]))
    rewards = [episode.reward for episode in [*played.values(), first] if episode is not None]
    scored = any(reward is not None and reward > low + NEARLY for reward in rewards)
    nothing = subject.recall("gold source") is None and subject.best_reward <= low + NEARLY
    return {"gold_scored": scored, "unscored_column": answer_column(subject) if nothing else None}


def _note_hang(subject: Subject, idle: Episode) -> None:
    """Note that an idle episode hangs, and gold too where there is some, unless another row is better."""
    last, where = subject.rows.indices[-1], "an empty answer"
    if subject.traits.solvable:
        where += " and the gold answer"
    if last != idle.row_index:
        where += f", and on an empty answer to row {last}"
        _, episode = _timed(lambda: subject.answer(last, ""))
        if not _was_given_up(episode):
            return
    failed = failure_of(idle, "")
    if failed is not None:
        message = f"{failed.message.rstrip('.')}, on {where}."
        subject.once(HANG, lambda: [FailedHereError(message, failed.hint, failed.cause, idle.row_index, "")])


def _hangs(subject: Subject, took: float, episode: Episode | None) -> bool:
    """Whether a call of an episode was given up, and that was not for lack of a processor."""
    return _was_given_up(episode) and took > subject.call_seconds / 2


def _was_given_up(episode: Episode | None) -> bool:
    """Whether a call was given up; after one that hangs and works on, all others wait for the processor."""
    return episode is not None and episode.stop_reason == "timeout"


def _timed(play: Callable[[], Episode | None]) -> tuple[float, Episode | None]:
    clock, episode = FairClock(), None
    with suppress(GrpoEnvError):  # the checks report it
        episode = play()
    return clock.now(), episode
