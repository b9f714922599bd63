"""A comparison of two runs in words."""

from collections.abc import Iterator

from grpo_env_sdk.evaluation.compare import Comparison
from grpo_env_sdk.plain_text import counted


def changed_rows(found: Comparison) -> str:
    """`10 rows: 2 rose, 1 fell, 7 unchanged (sign test: p = 1)`."""
    rose, fell = (sum(sign * row.change > 0 for row in found.rows) for sign in (1, -1))
    over = " over clusters" if found.clusters else ""
    chance = "" if found.p_value is None else f" (sign test{over}: p = {found.p_value:.3g})"
    rows = counted(len(found.rows), "row")
    return f"{rows}: {rose} rose, {fell} fell, {len(found.rows) - rose - fell} unchanged{chance}"


def clusters_text(column: str, count: int) -> str:
    """What the intervals are over, where a column says which rows belong together."""
    return f"intervals over {counted(count, 'cluster')} of rows with the same {column!r}"


def notes(found: Comparison) -> Iterator[str]:
    """What the intervals are over, where that is not rows, and what is left out."""
    if found.clusters:
        yield clusters_text(found.clusters.column, found.clusters.n)
    if found.unlike_clusters:
        named = " and ".join(map(repr, found.unlike_clusters))
        yield f"intervals over rows, as the runs were evaluated with clusters of {named}: --cluster takes one of them"
    yield from _left_out(found)


def _left_out(found: Comparison) -> Iterator[str]:
    """Rows and episodes that do not count, and then each run's own mean; nothing where all of them do."""
    for where, count in (
        ("only in the first run", found.only_before), ("only in the second run", found.only_after),
        ("in neither run", found.in_neither),
    ):  # fmt: skip
        if count:
            yield f"left out: {counted(count, 'row')} with a reward {where}"
    if found.only_before or found.only_after:
        own = (f"{run.reward} on {counted(run.scored_rows, 'row')}" for run in found.runs)
        yield "each run's own mean: {} before, {} after".format(*own)
    for which, run in zip(("first", "second"), found.runs, strict=True):
        if run.scored < run.episodes:
            yield f"no reward: {run.episodes - run.scored} of {counted(run.episodes, 'episode')} of the {which} run"
        if run.unplayed:
            yield f"not played: {counted(run.unplayed, 'episode')} of the {which} run"
    if found.unequal_samples:
        have = "have" if found.unequal_samples > 1 else "has"
        yield f"{counted(found.unequal_samples, 'row')} {have} more scored samples in one run than in the other"
