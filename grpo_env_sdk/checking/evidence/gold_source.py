"""The source of gold answers: the environment's `solve`, or a column that looks like an answer."""

from math import isfinite

from grpo_env_sdk.checking.evidence.answer_templates import ANSWER_TEMPLATES
from grpo_env_sdk.checking.evidence.episode_player import EpisodePlayer
from grpo_env_sdk.types import Episode

ANSWER_COLUMNS = (
    "answer", "solution", "gold", "ground_truth", "target", "expected", "reference", "label", "correct", "output",
)  # fmt: skip
GOLD_COLUMNS = ("answer", "solution", "gold", "ground_truth", "expected")
"""Names that mean nothing else: a `target` may be a goal, a `label` a class, a `reference` a source."""
_TRIED_ON = 3


def gold_source(subject: EpisodePlayer) -> str | None:
    """ "solve", "the column 'answer'", or None; a column counts if its values score more than an empty answer."""
    if subject.traits.solvable:
        return "solve"
    column = _best(subject)
    return f"the column {column[0]!r}" + (f", written {column[1]!r}" if column[1] != "{}" else "") if column else None


def gold_episode(subject: EpisodePlayer, row: int) -> Episode | None:
    """The gold episode of a row."""
    if subject.traits.solvable:
        return subject.play(row, "gold")
    column, template = _best(subject) or ("", "")
    value = subject.row(row).get(column)
    return None if value is None else subject.answer(row, template.format(value))


def _best(subject: EpisodePlayer) -> tuple[str, str] | None:
    """The column and the template whose answers score best, if that is more than an empty answer."""
    return subject.once("gold column", lambda: _find(subject))


def _find(subject: EpisodePlayer) -> tuple[str, str] | None:
    if subject.traits.kind != "single-turn":
        return None
    rows = subject.chosen[:_TRIED_ON]
    best, most = None, _mean(subject, [(row, "") for row in rows])
    middle = sum(subject.traits.reward_range) / 2
    for column in ANSWER_COLUMNS:
        if any(subject.row(row).get(column) is None for row in rows):
            continue  # no such column, or rows without a known answer
        for template in ANSWER_TEMPLATES:
            reward = _mean(subject, [(row, template.format(subject.row(row)[column])) for row in rows])
            least = most if column in GOLD_COLUMNS else max(most, middle if isfinite(middle) else most)
            if reward > least:
                best, most = (column, template), reward
    return best


def _mean(subject: EpisodePlayer, answers: list[tuple[int, str]]) -> float:
    rewards = [episode.reward for episode in subject.answers(answers) if episode.reward is not None]
    return sum(rewards) / len(rewards) if rewards else float("-inf")
