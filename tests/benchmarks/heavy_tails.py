"""A batch whose turns and tools have heavy tails: how long it takes, against its own longest episode."""

import random
import re
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import dataclass, field
from statistics import median
from types import SimpleNamespace
from typing import Any

from trl import GRPOConfig

from grpo_env_sdk import MultiTurnEnv
from grpo_env_trl import trainer_kwargs
from grpo_env_trl.bridges.batch_player import BatchPlayer, jobs_of
from grpo_env_trl.training.quiet import quiet_libraries
from grpo_env_trl.writers.continuous import ContinuousWriter
from grpo_env_trl.writers.engine import Answer
from grpo_env_trl.writers.lockstep import LockstepWriter
from grpo_env_trl.writers.token_policy import TokenPolicy
from grpo_env_trl.writers.writer import Ask, Writer
from tests.benchmarks.lookup_training import tiny_model
from tests.benchmarks.table import Table

EPISODES = 64
MOST_TURNS = 12
A_STEP = 0.01
RUNS = 5


@dataclass(frozen=True)
class Drawn:
    """What one episode is going to be: the tokens of each turn, and the seconds of each tool."""

    lengths: list[int]
    naps: list[float]

    @property
    def seconds(self) -> float:
        """How long it takes by itself."""
        return sum(self.lengths) * A_STEP + sum(self.naps)


def drawn(seed: int) -> list[Drawn]:
    """A batch: turns of 60 tokens in the median (sigma 1), 1 to 12 of them, tools of 50 ms (sigma 1.2)."""
    rng, found = random.Random(seed), []
    for _ in range(EPISODES):
        turns = rng.randint(1, MOST_TURNS)
        lengths = [max(2, round(60 * rng.lognormvariate(0, 1))) for _ in range(turns)]
        found.append(Drawn(lengths, [0.05 * rng.lognormvariate(0, 1.2) for _ in range(turns)]))
    return found


class Errands(MultiTurnEnv):
    """As many turns as an episode was drawn to have, each answered after a while."""

    max_turns = MOST_TURNS
    batch: Any = ()

    def build_dataset(self, tokenizer: Any) -> list[dict[str, Any]]:
        """One row for each episode."""
        return [{"prompt": f"Errand {place}.", "place": place} for place in range(EPISODES)]

    def setup(self, row: dict[str, Any]) -> None:
        """Nothing was done yet."""
        self.naps = list(self.batch[row["place"]].naps)

    def step(self, action: Any) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Wait for the tool."""
        time.sleep(self.naps.pop(0))
        return "on", 0.0, not self.naps, False, {}


@dataclass
class Sampler:
    """Stands in for a model: each step takes 10 ms, however many requests run, and the turns are as they were drawn."""

    tokenizer: Any
    batch: list[Drawn]
    turns: Counter[int] = field(default_factory=Counter)
    open: dict[str, list[int]] = field(default_factory=dict)
    left: Counter[str] = field(default_factory=Counter)
    max_completion_length: int = 0
    accelerator: Any = field(default_factory=lambda: SimpleNamespace(num_processes=1))

    def turn(self, context: list[int]) -> list[int]:
        """The tokens of the next turn of the episode that has this prompt."""
        told = re.search(r"Errand (\d+)\.", self.tokenizer.decode(context[:60]))
        assert told
        place = int(told[1])
        self.turns[place] += 1
        letter = self.tokenizer.convert_tokens_to_ids("a")
        return [letter] * (self.batch[place].lengths[self.turns[place] - 1] - 1) + [self.tokenizer.eos_token_id]

    def add(self, key: str, ask: Ask) -> None:
        """Take a request."""
        self.open[key] = self.turn(ask.context)
        self.left[key] = len(self.open[key])

    def step(self) -> list[Answer]:
        """The next token of all requests."""
        time.sleep(A_STEP)
        self.left.subtract(self.open.keys())
        return [Answer(key, self.open.pop(key)) for key in [key for key in self.open if self.left[key] <= 0]]

    def abort(self, keys: Iterable[str]) -> None:
        """Drop requests."""
        for key in keys:
            del self.open[key]

    def _generate_single_turn(self, prompt_ids: list[list[int]]) -> tuple[list[list[int]], None]:
        """What TRL's trainer does in lockstep."""
        turns = [self.turn(context) for context in prompt_ids]
        time.sleep(max(map(len, turns)) * A_STEP)
        return turns, None


def measure() -> Table:
    """Wall seconds of a batch over each writer, and how many times the longest episode that is."""
    with quiet_libraries():
        found = [both(seed) for seed in range(RUNS)]
    times = {name: [run[name] / run["bound"] for run in found] for name in found[0]}
    return Table(
        "Heavy tails",
        f"{EPISODES} episodes of 1 to {MOST_TURNS} turns. Turns have 60 tokens in the median (lognormal, sigma 1), and "
        f"tools take 50 ms (sigma 1.2). A stand-in for the model takes {A_STEP * 1000:.0f} ms for a token of all that "
        "run. No writer can be faster than the longest episode by itself. Everything but the model is real: driver, "
        "threads, rendering, tokens. It takes minutes, so `make bench` leaves it out: "
        "`python -m tests.benchmarks heavy_tails` measures it. "
        "To hold: at most 1.15 times the longest episode.",
        ["writer", f"wall, median of {RUNS} batches", "times the longest episode", "worst"],
        [
            [name, f"{median(run[name] for run in found):.1f} s", f"{median(ratios):.2f}", f"{max(ratios):.2f}"]
            for name, ratios in times.items()
        ],
    )


def both(seed: int) -> dict[str, float]:
    """Seconds of one batch: its longest episode, and how long each writer takes."""
    batch = drawn(seed)
    Errands.batch = batch
    walls = {"bound": max(episode.seconds for episode in batch)}
    for name in ("lockstep", "continuous"):
        tokenizer = tiny_model("qwen3")[1]
        args = GRPOConfig(tempfile.gettempdir(), use_cpu=True, bf16=False, report_to="none")
        bridge = trainer_kwargs(Errands, tokenizer, args=args, bridge="rollout")["rollout_func"]
        walls[name] = played(bridge, Sampler(tokenizer, batch), name)
    return walls


def played(bridge: Any, sampler: Sampler, name: str) -> float:
    """The wall seconds of a batch."""
    loop = bridge.player.loop.loop
    writer: Writer = LockstepWriter(sampler, loop, [0], None, nullcontext)
    if name == "continuous":
        writer = ContinuousWriter(sampler, lambda: nullcontext(sampler), None, nullcontext)
    return wall_of(bridge, writer, most=100_000)


def wall_of(bridge: Any, writer: Writer, most: int) -> float:
    """The wall seconds of a batch of all rows."""
    player: BatchPlayer = bridge.player
    jobs = jobs_of(range(EPISODES))
    bridge.renderer.end_turns_with([bridge.renderer.tokenizer.eos_token_id])
    policy = TokenPolicy(writer, bridge.renderer, jobs, most, None, None, "0")
    started = time.perf_counter()
    episodes = player.play(jobs, policy, True, writer=writer)
    spent = time.perf_counter() - started
    assert all(episode.error is None for episode in episodes), next(e.error for e in episodes if e.error)
    return spent
