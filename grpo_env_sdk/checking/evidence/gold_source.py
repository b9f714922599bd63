"""Where gold answers come from: the environment's `solve`, or a column that looks like an answer."""

from grpo_env_sdk.checking.evidence.answer_templates import ANSWER_TEMPLATES
from grpo_env_sdk.checking.evidence.episode_player import EpisodePlayer
from grpo_env_sdk.types import Episode

ANSWER_COLUMNS = (
    "answer", "solution", "gold", "ground_truth", "target", "expected", "reference", "label", "correct", "output",
)  # fmt: skip
_TRIED_ON = 3


def gold_source(subject: EpisodePlayer) -> str | None:
    """ "solve", "the column 'answer'", or None; a column counts where its values score above an empty answer."""
    if subject.traits.solvable:
        return "solve"
    column = _best(subject)
    return f"the column {column[0]!r}" + (f", written {column[1]!r}" if column[1] != "{}" else "") if column else None


def gold_episode(subject: EpisodePlayer, row: int) -> Episode | None:
    """The episode of a row in which gold is given."""
    if subject.traits.solvable:
        return subject.play(row, "gold")
    column, shell = _best(subject) or ("", "")
    value = subject.row(row).get(column)
    return None if value is None else subject.answer(row, shell.format(value))


def _best(subject: EpisodePlayer) -> tuple[str, str] | None:
    """The column and the shell whose answers score best, where they beat saying nothing."""
    return subject.once("gold column", lambda: _find(subject))


def _find(subject: EpisodePlayer) -> tuple[str, str] | None:
    if subject.traits.kind != "single-turn":
        return None
    rows = subject.chosen[:_TRIED_ON]
    best, most = None, _mean(subject, [(row, "") for row in rows])
    for column in ANSWER_COLUMNS:
        if any(subject.row(row).get(column) is None for row in rows):
            continue  # it has no such column, or a column that says that nobody knows
        for shell in ANSWER_TEMPLATES:
            reward = _mean(subject, [(row, shell.format(subject.row(row)[column])) for row in rows])
            if reward > most:
                best, most = (column, shell), reward
    return best


def _mean(subject: EpisodePlayer, said: list[tuple[int, str]]) -> float:
    rewards = [episode.reward for episode in subject.answers(said) if episode.reward is not None]
    return sum(rewards) / len(rewards) if rewards else float("-inf")
