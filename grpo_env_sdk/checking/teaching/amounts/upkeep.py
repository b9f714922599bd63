"""Tasks that keep something as it should be for a fixed time, such as a room warm, and are paid for each part of it."""

from grpo_env_sdk.checking.evidence.golds import NEARLY, gold_episodes, play_answers
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.data.messages import assistant_message
from grpo_env_sdk.types import Episode

FEWEST_ROWS, FEWEST_TURNS, PAID = 3, 5, 1 / 3
"""On how many rows it is looked at, how long gold is at least, and the share of its turns that earn something."""


def is_upkeep(subject: Subject) -> bool:
    """Whether nobody can end it earlier or later than gold, which earns on the way: the same again is then the work."""
    known = [gold for gold in gold_episodes(subject).values() if _earns_on_the_way(gold)][:FEWEST_ROWS]
    if len(known) < FEWEST_ROWS:
        return False
    idle: list[tuple[int, Completion]] = [
        (gold.row_index, [assistant_message("...")] * (gold.turns + 1)) for gold in known
    ]
    lengths = {one.row_index: one.turns for one in play_answers(subject, idle)}
    return all(lengths.get(gold.row_index) == gold.turns for gold in known)


def _earns_on_the_way(gold: Episode) -> bool:
    return gold.turns >= FEWEST_TURNS and sum(one > NEARLY for one in gold.step_rewards) >= PAID * gold.turns
