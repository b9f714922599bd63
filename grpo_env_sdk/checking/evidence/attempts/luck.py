"""Whether chance decides what gold earns: what is drawn during an episode, and the same row with other seeds."""

from collections.abc import Sequence

from grpo_env_sdk.checking.evidence.attempts.trajectory import step_through, steps_of
from grpo_env_sdk.checking.evidence.golds import NEARLY
from grpo_env_sdk.checking.evidence.playing.failures import FailedHereError
from grpo_env_sdk.checking.evidence.playing.state_key import luck_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.types import Episode, Row

MOST_ROWS, SEEDS = 4, 5


def luck_decides(subject: Subject, short: Sequence[Episode], wanted: float) -> bool:
    """Whether these gold episodes earn less for the seed's sake: with other seeds gold earns it on each of their rows.

    What is drawn before the first turn is a part of the task; only what is drawn later is luck.
    """
    if subject.traits.kind == "single-turn" or not all(_draws(subject, one) for one in short[:MOST_ROWS]):
        return False
    rows = [one.row_index for one in short[:MOST_ROWS]]
    best = dict.fromkeys(rows, float("-inf"))
    for number in range(SEEDS):
        lacking = [row for row in rows if best[row] < wanted - NEARLY]
        for episode in subject.play_many(lacking, "gold", source=_Reseeded(subject, number)):
            if episode.reward is not None and episode.error is None:
                best[episode.row_index] = max(best[episode.row_index], episode.reward)
    return all(reward >= wanted - NEARLY for reward in best.values())


class _Reseeded:
    """The same rows with one more column, from whose content their seeds are made."""

    def __init__(self, subject: Subject, number: int) -> None:
        self._subject = subject
        self._number = number
        self.indices = subject.rows.indices

    def row(self, index: int) -> Row:
        """The row of this index."""
        return {**self._subject.row(index), "another_seed": self._number}


def _draws(subject: Subject, episode: Episode) -> bool:
    """Whether an instance draws random numbers after its reset, in an episode that is played again."""
    row, turns = subject.row(episode.row_index), own_turns(episode.completion)
    try:
        with subject.instance() as env:
            subject.call("an episode", step_through, env, row, [], row=episode.row_index)
            before = luck_of(env)
            subject.call("an episode", steps_of, env, turns, row=episode.row_index)
            return luck_of(env) != before
    except FailedHereError:
        return False
