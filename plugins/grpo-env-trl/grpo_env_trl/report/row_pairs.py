"""The same measured rows before and after a training."""

from pathlib import Path

from grpo_env_sdk import Episode, open_run
from grpo_env_trl.runs.run_folder import RunFolder

Pair = tuple[Episode, Episode]


def pairs(run: Path, most: int) -> list[Pair]:
    """The rows with the largest gain, and last the row with the largest loss."""
    ranked = sorted(_both(run), key=lambda pair: (-_rise(pair), pair[0].env, pair[0].row_index))
    return ranked if len(ranked) <= most else [*ranked[: most - 1], ranked[-1]]


def _both(run: Path) -> list[Pair]:
    before, after = _episodes(run, "before"), _episodes(run, "after")
    return [(before[row], after[row]) for row in before if row in after]


def _rise(pair: Pair) -> float:
    before, after = pair
    return (after.reward or 0.0) - (before.reward or 0.0)


def _episodes(run: Path, name: str) -> dict[tuple[str, int], Episode]:
    """The episodes `before` or `after`; with several environments each has a folder of its own."""
    folder = RunFolder(run).heldout(name)
    runs = [folder] if folder.exists() else sorted(folder.parent.glob(f"*/{name}"))
    episodes = (episode for path in runs for episode in open_run(path).episodes())
    return {(episode.env, episode.row_index): episode for episode in episodes}
