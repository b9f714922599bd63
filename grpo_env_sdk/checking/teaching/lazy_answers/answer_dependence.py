"""Whether a reward that reads the right answer distinguishes it from a wrong one."""

from collections.abc import Iterator
from itertools import permutations

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.gold.gold_source import ANSWER_COLUMNS
from grpo_env_sdk.checking.evidence.golds import NEARLY, gold_episodes, golds, play_answers, says_gold
from grpo_env_sdk.checking.evidence.playing.read_columns import columns_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.lazy_answers.parts import counted_rewards
from grpo_env_sdk.rewards.reward import Reward
from grpo_env_sdk.types import Episode

MOST_ROWS = {"quick": 10, "default": 24, "thorough": 100}
FEWEST, TIMES = 6, 3
Pair = tuple[Episode, Episode]


@check("G514", needs=("gold",), severity="warning")
def a_reward_depends_on_the_answer(subject: Subject) -> Iterator[Finding]:
    """A reward that reads the right answer is not earned by the answers of other rows."""
    rewards = [item for item in counted_rewards(subject) if item.weight > 0]
    readers = [(item, columns) for item in rewards if (columns := columns_of(item, subject))]
    pairs = _of_other_rows(subject) if readers else []
    earned_by = {item.name: [pair for pair in pairs if _earned(item, pair[0])] for item, _ in readers}
    silent = {item.name for item, _ in readers if all(_as_much(item, pair) for pair in earned_by[item.name])}
    dependent = {id(item.function) for item, _ in readers if item.name not in silent}
    for item, columns in readers:
        earned = earned_by[item.name]
        of_a_dependent = id(item.function) in dependent  # another part of the same function needs the column
        if item.name not in silent or of_a_dependent or len({gold.row_index for gold, _ in earned}) < FEWEST:
            continue
        gold, other = earned[0]
        yield Finding(
            f"The reward {item.name!r} takes {columns[0]!r}, but gold answers of other rows earn as much of it as the "
            f"right answer, in all {len(earned)} episodes tried.",
            f"If it is for the format alone, leave the parameter {columns[0]!r} out. Otherwise compare the model's "
            "answer with it: now at most the format counts.",
            gold.row_index, own_turns(other.completion), other.rewards[item.name], "less for a wrong answer",
            severity=None if set(columns) & set(ANSWER_COLUMNS) else "info",
        )  # fmt: skip


def _of_other_rows(subject: Subject) -> list[Pair]:
    """Gold episodes of some rows, each with the gold answer of another row played on it."""
    known = list(golds(subject).values())[: MOST_ROWS[subject.effort]]
    answers = [(gold.row, other.turns) for gold, other in permutations(known, 2) if not says_gold(other.turns, gold)]
    subject.random.shuffle(answers)
    episodes = play_answers(subject, answers[: TIMES * len(known)])
    return [(gold_episodes(subject)[episode.row_index], episode) for episode in episodes if not episode.error]


def _earned(item: Reward, gold: Episode) -> bool:
    """Whether gold earns more than the minimum of a reward."""
    value = gold.rewards.get(item.name)
    return value is not None and value > item.range[0] + NEARLY


def _as_much(item: Reward, pair: Pair) -> bool:
    gold, other = (episode.rewards.get(item.name) for episode in pair)
    return gold is not None and other is not None and other >= gold - NEARLY
