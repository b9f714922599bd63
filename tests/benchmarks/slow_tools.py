"""How long a batch takes in training whose tools take 100 ms, over our bridge and over TRL's own loop."""

from statistics import median

from tests.benchmarks.lookup_training import CALLS, ROLLOUTS, trainers
from tests.benchmarks.table import Table

SECONDS = 0.1


def measure() -> Table:
    """Wall seconds of a batch, and how many times the ideal that is."""
    both = trainers(SECONDS)
    for trainer in both.values():
        trainer.play()
    walls: dict[str, list[float]] = {name: [] for name in both}
    for _ in range(5):
        for name, trainer in both.items():
            walls[name].append(trainer.play()[0])
    ideal = CALLS * SECONDS
    found = {"ideal: the tools alone, at once": ideal, **{name: median(wall) for name, wall in walls.items()}}
    return Table(
        "Slow tools in training",
        f"{ROLLOUTS} rollouts, each {CALLS} calls of a tool that takes {SECONDS * 1000:.0f} ms, then an answer: a "
        "generation step of TRL's trainer, rewards included, in which a table stands in for what the model samples, so "
        "that generation costs neither side anything. To hold: at most 1.5 times the ideal.",
        ["rollouts by", "wall, median of 5", "times the ideal"],
        [[name, f"{wall:.2f} s", f"{wall / ideal:.2f}"] for name, wall in found.items()],
    )
