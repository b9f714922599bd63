"""One idle and one gold episode before anything else: whether gold scores, and what an episode costs."""

from contextlib import suppress
from typing import Any

from grpo_env_sdk.checking.evidence.answers import STATE
from grpo_env_sdk.checking.evidence.episode_player import QUICK_EPISODE
from grpo_env_sdk.checking.evidence.gold_source import GOLD_COLUMNS
from grpo_env_sdk.checking.evidence.golds import NEARLY
from grpo_env_sdk.checking.evidence.machine_load import FairClock
from grpo_env_sdk.checking.evidence.process_state import process_state
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.errors import GrpoEnvError


def episode_seconds(subject: Subject) -> float:
    """The seconds that the slower of an idle and a gold episode takes."""
    subject.begin("", None)
    subject.once(STATE, process_state)
    row = subject.rows.indices[0]
    took = _seconds(lambda: subject.answer(row, ""))
    if took > QUICK_EPISODE:
        took = min(took, _seconds(lambda: subject.answer(row, "")))  # the first one imports what it needs
    return max(took, _seconds(lambda: subject.gold(row))) if subject.traits.solvable else took


def gold_facts(subject: Subject) -> dict[str, Any]:
    """Whether any gold answer scored more than the lowest reward, as far as gold was played, and what named it."""
    low = subject.traits.reward_range[0]
    played = subject.recall(("teaching", "gold")) or {}
    first = subject.recall(("gold", subject.rows.indices[0]))
    rewards = [episode.reward for episode in [*played.values(), first] if episode is not None]
    scored = any(reward is not None and reward > low + NEARLY for reward in rewards)
    column = None
    if subject.traits.kind == "single-turn" and subject.recall("gold source") is None:
        column = next((name for name in GOLD_COLUMNS if name in subject.rows.columns), None)
    return {"gold_scored": scored, "unscored_column": column if subject.best_reward <= low + NEARLY else None}


def _seconds(play: Any) -> float:
    clock = FairClock()
    with suppress(GrpoEnvError):  # the checks report it
        play()
    return clock.now()
