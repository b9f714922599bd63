"""Episodes of acts, with what the author's code compares in each of their turns."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from grpo_env_sdk.checking.evidence.author_code.compared_values import Compared
from grpo_env_sdk.checking.evidence.author_code.score_code import episode_functions
from grpo_env_sdk.checking.evidence.author_code.watched_comparisons import WatchedComparisons
from grpo_env_sdk.checking.evidence.playing.fixed_replies import FixedReplies
from grpo_env_sdk.checking.evidence.prompts.input_echo import without_echo
from grpo_env_sdk.checking.evidence.stand_ins.act_repairs import Acts
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.policies.policy import Request
from grpo_env_sdk.types import Episode, Turn

MOST_CHARS = 200
"""How much of a reply tells it from others."""


@dataclass(frozen=True, slots=True)
class Played:
    """An episode of some acts, and what was compared in each turn; what scorers compare is in the last one."""

    acts: Acts
    episode: Episode
    by_turn: Sequence[Sequence[Compared]]

    @property
    def reward(self) -> float:
        """Its reward; nothing counts as 0."""
        return self.episode.reward or 0.0


class WatchedPlay:
    """Plays acts while the author's functions tell what they compare."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self._comparisons = WatchedComparisons(episode_functions(subject.loaded.env))

    def __call__(self, row: int, acts: Acts) -> Played | None:
        """The episode of some acts; None where it fails."""
        policy = _Marked(acts, self._comparisons)
        limits = self._subject.limits
        if self._subject.traits.kind == "multi-turn":
            limits = replace(limits, turns=min(len(acts) + 1, self._subject.traits.max_turns))
        with self._comparisons.watched():
            episode = self._subject.play(row, policy, limits=limits)
        return None if episode.error else Played(acts, episode, policy.by_turn)


class _Marked(FixedReplies):
    """Fixed replies that begin a new list of comparisons at each turn."""

    def __init__(self, acts: Acts, comparisons: WatchedComparisons) -> None:
        super().__init__([[act.turn for act in acts]])
        self._comparisons = comparisons
        self.by_turn: list[list[Compared]] = []

    async def respond(self, request: Request) -> Turn:
        """The next turn."""
        self.by_turn.append(self._comparisons.listen())
        return await super().respond(request)


def reply_to(played: Played, place: int) -> str:
    """What an act was answered, without what it said itself and without numbers."""
    messages = played.episode.completion
    after = [one for one in messages if one["role"] != "assistant"]
    content = str(after[place].get("content")) if place < len(after) else ""
    act = played.acts[place]
    return f"{act.tool} {re.sub('[0-9]+', '0', without_echo(content, dict(act.given)))[:MOST_CHARS]}"
