"""The gold answers of many rows, and what an answer has to be worth to be as good."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.findings.transcript_text import turns_text
from grpo_env_sdk.data.messages import answer_text
from grpo_env_sdk.types import Episode, Message

MOST_ROWS = {"quick": 60, "default": 200, "thorough": 1_000}
NEARLY = 1e-6
"""Rewards nearer to each other than this are equal."""


@dataclass(frozen=True, slots=True)
class Gold:
    """The gold answer of one row: the assistant's turns, and what they are worth."""

    row: int
    turns: list[Message]
    reward: float

    @property
    def text(self) -> str:
        """What it says at the end."""
        return answer_text(self.turns)


def gold_episodes(subject: Subject) -> dict[int, Episode]:
    """The gold episode of each of many rows, shared by the checks; empty where there is no gold."""
    return subject.once(("teaching", "gold"), lambda: _played(subject))


def golds(subject: Subject) -> dict[int, Gold]:
    """The gold answers by row, without those that are worth little themselves: they are no measure for others."""
    return subject.once(("teaching", "usable gold"), lambda: _usable(subject))


def rows_tried(subject: Subject) -> list[int]:
    """The rows whose gold is known, or as many where no gold is."""
    return list(golds(subject)) or subject.sample(MOST_ROWS[subject.effort])


def bar(subject: Subject, row: int) -> float:
    """What an answer must be worth to be as good as gold: the gold's reward, else the top of the range."""
    gold = golds(subject).get(row)
    return gold.reward if gold else subject.traits.reward_range[1]


def as_good_as_gold(subject: Subject, episode: Episode) -> bool:
    """Whether an episode is worth what the gold of its row is worth."""
    return episode.reward is not None and episode.reward >= bar(subject, episode.row_index) - NEARLY


def tried(subject: Subject, said: Sequence[tuple[int, Completion]]) -> list[Episode]:
    """The episodes of answers, as far as the time goes; each is kept for the checks of all that was seen."""
    episodes = subject.answers(said) if said else []
    seen(subject).extend(episodes)
    return episodes


def seen(subject: Subject) -> list[Episode]:
    """Every episode that the checks of this group have had so far."""
    return subject.once(("teaching", "seen"), lambda: list(gold_episodes(subject).values()))


def own_turns(completion: Iterable[Message]) -> list[Message]:
    """The assistant's messages of a transcript."""
    return [message for message in completion if message.get("role") == "assistant"]


def says_gold(answer: Completion, gold: Gold) -> bool:
    """Whether an answer is the gold answer, but for case and for spaces and marks around it."""
    turns = [answer] if isinstance(answer, str) else answer
    return [_told(turn) for turn in turns] == [_told(turn) for turn in gold.turns]


def bare(text: str) -> str:
    """A text without what makes no other answer of it: case, spaces, marks around it."""
    return " ".join(text.split()).strip(".!?,;:*'\"` ").casefold()


def quoted(value: Any, most: int = 60) -> str:
    """A text as a message shows it: on one line, cut."""
    return repr(_cut(str(value), most))


def answered(said: Completion, most: int = 60) -> str:
    """An answer as a message shows it: a text in quotation marks, turns one after another."""
    return quoted(said, most) if isinstance(said, str) else _cut(turns_text(said), 2 * most)


def worth(episode: Episode) -> object:
    """The reward, and its parts where it has some, so that the part at fault is seen."""
    return {"reward": episode.reward, **episode.rewards} if episode.rewards else episode.reward


def _cut(value: str, most: int) -> str:
    text = " ".join(value.split())
    return text if len(text) <= most else f"{text[:most]}..."


def _told(turn: str | Message) -> tuple[str, list[Any]]:
    if isinstance(turn, str):
        return bare(turn), []
    calls = [call["function"] for call in turn.get("tool_calls") or []]
    return bare(str(turn.get("content") or "")), [(call["name"], call["arguments"]) for call in calls]


def _played(subject: Subject) -> dict[int, Episode]:
    if subject.gold_source is None:
        return {}
    rows = subject.sample(MOST_ROWS[subject.effort])
    if subject.traits.solvable:
        return {episode.row_index: episode for episode in subject.play_many(rows, "gold")}
    found: dict[int, Episode] = {}
    until = subject.time_left / 4
    for row in rows:
        episode = subject.gold(row)
        if episode is not None:
            found[row] = episode
        if subject.time_left < until:
            break
    return found


def _usable(subject: Subject) -> dict[int, Gold]:
    scored = [item for item in gold_episodes(subject).values() if item.reward is not None and not item.error]
    if not scored:
        return {}
    rewards = [episode.reward or 0.0 for episode in scored]
    low = min(subject.traits.reward_range[0], *rewards)
    if max(rewards) <= low + NEARLY:
        return {}
    middle = (low + max(rewards)) / 2
    return {
        episode.row_index: Gold(episode.row_index, own_turns(episode.completion), reward)
        for episode, reward in zip(scored, rewards, strict=True)
        if reward >= middle
    }
