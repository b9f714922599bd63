"""CPU of a turn of a rollout in training, without the model: over our bridge and over TRL's own loop."""

from statistics import median

from tests.benchmarks.lookup_training import CALLS, ROLLOUTS, TURNS, ScriptedTrainer, trainers
from tests.benchmarks.table import Table

ROUNDS = 21


def measure() -> Table:
    """CPU milliseconds a rollout and turn, for results that are short and long."""
    rows = []
    for what, letters in (("short", 0), ("1,500 letters each", 1500)):
        ours, stock = _milliseconds(trainers(letters=letters))
        rows.append([what, f"{ours:.2f} ms", f"{stock:.2f} ms", f"{stock / ours:.1f}"])
    return Table(
        "The bridge's own CPU",
        f"A generation step as above, of {ROLLOUTS} rollouts of {CALLS} calls and an answer with a tool that takes no "
        "time: CPU of the whole process for one turn of one rollout, with TRL's own part in it, which turns a batch "
        f"into tensors. Tokens are bytes. Median of {ROUNDS}. To hold: 2 ms.",
        ["results of the tool", "grpo-env-trl", "stock TRL", "times ours"],
        rows,
    )


def _milliseconds(both: dict[str, ScriptedTrainer]) -> list[float]:
    found: dict[str, list[float]] = {name: [] for name in both}
    for number in range(ROUNDS + 2):
        for name, trainer in both.items():
            _, cpu = trainer.play()
            if number > 1:  # the first ones fill caches and start threads
                found[name].append(cpu / ROLLOUTS / TURNS * 1000)
    return [median(spent) for spent in found.values()]
