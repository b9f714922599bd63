"""Whether a reward that is given the right answer tells it from another."""

import inspect
from collections.abc import Iterator
from itertools import permutations

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.gold_source import ANSWER_COLUMNS
from grpo_env_sdk.checking.evidence.golds import NEARLY, gold_episodes, golds, own_turns, says_gold, tried
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.parts import counted_rewards
from grpo_env_sdk.rewards.reward import RESERVED, Reward
from grpo_env_sdk.types import Episode

MOST_ROWS = {"quick": 10, "default": 24, "thorough": 100}
FEWEST, TIMES = 6, 3
Pair = tuple[Episode, Episode]


@check("G514", needs=("gold",), severity="warning")
def a_reward_reads_what_is_said(subject: Subject) -> Iterator[Finding]:
    """A reward that is given the right answer is not paid in full for that of any other row."""
    rewards = [item for item in counted_rewards(subject) if item.weight > 0]
    readers = [(item, asked) for item in rewards if (asked := _columns(item, subject))]
    pairs = _of_other_rows(subject) if readers else []
    for item, asked in readers:
        told = [pair for pair in pairs if _earned(item, pair[0])]
        if len({gold.row_index for gold, _ in told}) < FEWEST or not all(_as_much(item, pair) for pair in told):
            continue
        gold, other = told[0]
        yield Finding(
            f"The reward {item.name!r} asks for {asked[0]!r}, and the gold of other rows earns as much of it as the "
            f"right one, in all {len(told)} episodes that were tried.",
            "Compare what was said with it: now only the form of the answer counts.",
            gold.row_index, own_turns(other.completion), other.rewards[item.name], "less for a wrong answer",
            severity=None if set(asked) & set(ANSWER_COLUMNS) else "info",
        )  # fmt: skip


def _columns(item: Reward, subject: Subject) -> list[str]:
    """The columns of the dataset that a reward asks for."""
    asked = [item.sources.get(name, name) for name in inspect.signature(item.function).parameters]
    return [name for name in asked if name in subject.rows.columns and name not in RESERVED]


def _of_other_rows(subject: Subject) -> list[Pair]:
    """Gold of some rows, and there the gold of rows in which it is another."""
    known = list(golds(subject).values())[: MOST_ROWS[subject.effort]]
    said = [(gold.row, other.turns) for gold, other in permutations(known, 2) if not says_gold(other.turns, gold)]
    subject.random.shuffle(said)
    episodes = tried(subject, said[: TIMES * len(known)])
    return [(gold_episodes(subject)[episode.row_index], episode) for episode in episodes if not episode.error]


def _earned(item: Reward, gold: Episode) -> bool:
    """Whether gold earns more of it than the least."""
    value = gold.rewards.get(item.name)
    return value is not None and value > item.range[0] + NEARLY


def _as_much(item: Reward, pair: Pair) -> bool:
    gold, other = (episode.rewards.get(item.name) for episode in pair)
    return gold is not None and other is not None and other >= gold - NEARLY
