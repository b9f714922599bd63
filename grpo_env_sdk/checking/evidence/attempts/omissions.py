"""Gold with less work: without the calls of one of its tools, or without any."""

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass

from grpo_env_sdk.checking.evidence.golds import NEARLY, gold_episodes, golds, play_answers
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.data.messages import answer_text
from grpo_env_sdk.types import Episode, Message

MOST_ROWS = {"quick": 20, "default": 40, "thorough": 200}
ALL_TOOLS = ""


@dataclass(frozen=True, slots=True)
class Omission:
    """A gold episode, and the same without the calls of one tool, or of all."""

    gold: Episode
    tool: str
    episode: Episode

    @property
    def paid(self) -> bool:
        """Whether it scores as much as gold."""
        return self.episode.reward is not None and self.episode.reward >= (self.gold.reward or 0.0) - NEARLY

    @property
    def text(self) -> str:
        """The last text of gold."""
        return answer_text(own_turns(self.gold.completion))

    @property
    def same_results(self) -> bool:
        """Whether the calls that were kept have the same results as in gold."""
        kept = [call["content"] for call in self.gold.tool_calls if call["name"] != self.tool]
        return kept == [call["content"] for call in self.episode.tool_calls]


def omissions(subject: Subject) -> dict[str, list[Omission]]:
    """Gold of many rows without the calls of each tool, and under `ALL_TOOLS` without any; shared by the checks."""
    return subject.once(("teaching", "omissions"), lambda: _played(subject))


def without_calls(turns: Sequence[Message], tool: str) -> list[Message]:
    """The turns without the calls of a tool, or of all, and without turns that are empty then."""
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
        for gold in working[: MOST_ROWS[subject.effort]]  # row by row, so that a lack of time costs whole rows
        for tool in dict.fromkeys([ALL_TOOLS, *(call["name"] for call in gold.tool_calls)])
    ]
    answers = [(gold.row_index, without_calls(own_turns(gold.completion), tool) or "") for gold, tool in left_out]
    found: dict[str, list[Omission]] = {}
    for (gold, tool), episode in zip(left_out, play_answers(subject, answers), strict=False):
        found.setdefault(tool, []).append(Omission(gold, tool, episode))
    return found
