"""Rows that gold leaves for nothing, with words that the prompt offers, where what wins other rows would lose."""

from collections.abc import Sequence

from grpo_env_sdk.checking.evidence.golds import NEARLY, gold_episodes, play_compared, reward_of, was_scored
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.bare_text import bare
from grpo_env_sdk.checking.evidence.secret_words import has_word
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.data.messages import answer_text
from grpo_env_sdk.types import Episode

MOST_ROWS, MOST_OTHERS, FEWEST_OTHERS = 16, 8, 3
LOST_ON = 0.5
"""How many rows and answers of other rows are tried, and on what share of the rows one of them has to lose."""


def rows_left(subject: Subject) -> frozenset[int]:
    """The rows whose gold earns 0, neither won nor lost, because nothing that was tried earns more and much loses."""
    return subject.once(("rows", "left"), lambda: _found(subject))


def is_offered(subject: Subject, row: int, text: str) -> bool:
    """Whether the prompt of a row says all words of an answer, as those of a choice."""
    said = bare(text)
    return bool(said) and has_word(prompt_text(subject, row).casefold(), said)


def _found(subject: Subject) -> frozenset[int]:
    scored = [one for one in gold_episodes(subject).values() if was_scored(one)]
    winners = _different([one for one in scored if reward_of(one) > NEARLY])
    left = [one for one in scored if abs(reward_of(one)) <= NEARLY and _ends_as_offered(subject, one)]
    if subject.traits.reward_range[0] >= 0 or not left or len(winners) < FEWEST_OTHERS:
        return frozenset()
    rows = [one.row_index for one in left]
    tried = play_compared(subject, [(row, own_turns(one.completion)) for row in rows[:MOST_ROWS] for one in winners])
    lost = {one.row_index for one in tried if reward_of(one) < -NEARLY}
    won = any(reward_of(one) > NEARLY for one in tried)
    return frozenset(rows if not won and len(lost) >= LOST_ON * len(rows[:MOST_ROWS]) else ())


def _ends_as_offered(subject: Subject, episode: Episode) -> bool:
    turns = own_turns(episode.completion)
    return bool(turns) and not turns[-1].get("tool_calls") and is_offered(
        subject, episode.row_index, answer_text(turns[-1:])
    )  # fmt: skip


def _different(episodes: Sequence[Episode]) -> list[Episode]:
    """Some of the episodes with different turns, from all places."""
    different = list({str(own_turns(one.completion)): one for one in episodes}.values())
    return different[:: max(1, len(different) // MOST_OTHERS)][:MOST_OTHERS]
