"""What is missing where there is no gold."""

from grpo_env_sdk.checking.evidence.gold.gold_source import GOLD_COLUMNS
from grpo_env_sdk.checking.evidence.playing.episode_player import EpisodePlayer
from grpo_env_sdk.checking.evidence.playing.read_columns import may_read
from grpo_env_sdk.checking.findings.finding import Undecided

SOLVE = "Add solve(row), which gives the gold answer of a row."


def answer_column(subject: EpisodePlayer) -> str | None:
    """The column that the scorer may read and whose text is tried as gold; None where an answer takes several turns."""
    if subject.traits.kind == "multi-turn":
        return None
    named = (name for name in GOLD_COLUMNS if name in subject.rows.columns)
    return next((name for name in named if may_read(subject, name)), None)


def no_gold(subject: EpisodePlayer) -> Undecided:
    """That there is no gold, and what would give some."""
    if subject.traits.kind == "multi-turn":
        return Undecided("There is no gold answer.", SOLVE)
    if column := answer_column(subject):
        if (empty := next((row for row in subject.chosen if subject.row(row).get(column) is None), None)) is not None:
            what = f"There is no gold answer: the column {column!r} is None in row {empty}."
            return Undecided(what, f"Fill it in, or leave such rows out. {SOLVE}")
        little = (
            "less than the top without a call" if subject.traits.kind == "tools" else "no more than an empty answer"
        )
        return Undecided(f"There is no gold answer: the text of the column {column!r} scores {little}.", SOLVE)
    return Undecided(
        "There is no gold answer.", "Add solve(row), or a column named `answer` whose text is a right answer."
    )
