"""Batches of episodes whose turns and tools have heavy tails, played by a trainer's writer and in lockstep."""

import random
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

PLUGIN_TESTS = Path(__file__).parents[2] / "plugins" / "grpo-env-trl" / "tests"
MOST_TURNS = 6
CAP = 1000
RUNS = 3
HEADERS = ["writer", f"wall, median of {RUNS} batches", "tokens a second", "turns at once", "times faster"]


def compared(trainer: Any, episodes: int, runs: int = RUNS) -> list[list[str]]:
    """The rows of a table: batches that both writers played in turn."""
    play(trainer, "continuous", episodes=4)  # what a sampler does for its first requests
    found = [{name: play(trainer, name, episodes) for name in ("lockstep", "continuous")} for _ in range(runs)]
    ratios = [run["lockstep"][0] / run["continuous"][0] for run in found]
    return [
        [
            name,
            f"{median(run[name][0] for run in found):.1f} s",
            f"{median(run[name][1] for run in found):.0f}",
            f"{median(run[name][2] for run in found):.1f}",
            "1.00" if name == "lockstep" else f"{median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})",
        ]
        for name in ("lockstep", "continuous")
    ]


def errands(episodes: int) -> type:
    """Episodes whose number of turns and whose tools' seconds were drawn."""
    from grpo_env_sdk import MultiTurnEnv

    rng = random.Random(0)
    naps = [[0.05 * rng.lognormvariate(0, 1.2) for _ in range(rng.randint(1, MOST_TURNS))] for _ in range(episodes)]

    class Errands(MultiTurnEnv):
        max_turns = MOST_TURNS

        def build_dataset(self, tokenizer: Any) -> list[dict[str, Any]]:
            return [{"prompt": f"Errand {place}.", "place": place} for place in range(episodes)]

        def setup(self, row: dict[str, Any]) -> None:
            self.naps = list(naps[row["place"]])

        def step(self, action: Any) -> tuple[str, float, bool, bool, dict[str, Any]]:
            time.sleep(self.naps.pop(0))
            return "on", 0.0, not self.naps, False, {}

    return Errands


def play(trainer: Any, name: str, episodes: int) -> tuple[float, float, float]:
    """The wall seconds of a batch, how many tokens a second it sampled, and how many turns at once."""
    started = time.perf_counter()
    policy, figures = played(trainer, name, episodes, str(started))
    spent = time.perf_counter() - started
    rows = figures.rows / figures.steps
    print(f"{name}, {episodes} episodes: {spent:.1f} s, {rows:.1f} turns at once", file=sys.stderr, flush=True)
    return spent, sum(sum(segments.last.sampled) for segments in policy.episodes) / spent, rows


def played(trainer: Any, name: str, episodes: int, seed: str) -> tuple[Any, Any]:
    """The policy that has all tokens of a batch, and the figures of its writer."""
    from grpo_env_trl.bridges.batch_player import jobs_of
    from grpo_env_trl.writers.choosing import writer_for
    from grpo_env_trl.writers.lockstep import LockstepWriter
    from grpo_env_trl.writers.token_policy import TokenPolicy

    bridge = trainer.rollout_func
    bridge.renderer.end_turns_with(trainer.eos_token_ids)
    make = LockstepWriter if name == "lockstep" else writer_for
    writer = make(trainer, bridge.player.loop.loop, [0], CAP, bridge.player.lent)
    jobs = jobs_of(range(episodes))
    policy = TokenPolicy(writer, bridge.renderer, jobs, 3500, 4096, CAP, seed)
    bridge.player.play(jobs, policy, True, writer=writer)
    return policy, writer.figures
