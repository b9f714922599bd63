"""Gold with less work: without the calls of one of its tools, or without any."""

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass

from grpo_env_sdk.checking.evidence.golds import NEARLY, gold_episodes, golds, own_turns, tried
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.data.messages import answer_text
from grpo_env_sdk.types import Episode, Message

MOST_ROWS = {"quick": 20, "default": 40, "thorough": 200}
ALL_TOOLS = ""


@dataclass(frozen=True, slots=True)
class Omission:
    """A gold episode, and the one in which the calls of one tool, or of all, were left out of it."""

    gold: Episode
    tool: str
    episode: Episode

    @property
    def paid(self) -> bool:
        """Whether it is worth as much as gold."""
        return self.episode.reward is not None and self.episode.reward >= (self.gold.reward or 0.0) - NEARLY

    @property
    def text(self) -> str:
        """What gold says at its end."""
        return answer_text(own_turns(self.gold.completion))

    @property
    def answered_alike(self) -> bool:
        """Whether the calls that were kept are answered as in gold."""
        kept = [call["content"] for call in self.gold.tool_calls if call["name"] != self.tool]
        return kept == [call["content"] for call in self.episode.tool_calls]


def omissions(subject: Subject) -> dict[str, list[Omission]]:
    """By tool, gold of many rows without its calls; under `ALL_TOOLS` without any call. Shared by the checks."""
    return subject.once(("teaching", "omissions"), lambda: _played(subject))


def without_calls(turns: Sequence[Message], tool: str) -> list[Message]:
    """The turns without the calls of a tool, or of all; a turn that then says nothing is left out too."""
    kept: list[Message] = []
    for turn in deepcopy(list(turns)):
        calls = turn.pop("tool_calls", None) or []
        left = [call for call in calls if tool != ALL_TOOLS and call["function"]["name"] != tool]
        if left:
            turn["tool_calls"] = left
        if left or not calls or turn.get("content"):
            kept.append(turn)
    return kept


def _played(subject: Subject) -> dict[str, list[Omission]]:
    working = [gold_episodes(subject)[row] for row in golds(subject) if gold_episodes(subject)[row].tool_calls]
    left_out = [
        (gold, tool)
        for gold in working[: MOST_ROWS[subject.effort]]  # row by row, so that what the time cuts off is rows
        for tool in dict.fromkeys([ALL_TOOLS, *(call["name"] for call in gold.tool_calls)])
    ]
    said = [(gold.row_index, without_calls(own_turns(gold.completion), tool) or "") for gold, tool in left_out]
    found: dict[str, list[Omission]] = {}
    for (gold, tool), episode in zip(left_out, tried(subject, said), strict=False):
        found.setdefault(tool, []).append(Omission(gold, tool, episode))
    return found
