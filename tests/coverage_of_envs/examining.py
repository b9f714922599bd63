"""One environment, examined as far as it goes: made, its gold played, random answers played, `grpo-env test`."""

import json
import subprocess
import sys
import warnings
from dataclasses import dataclass

from grpo_env_sdk import GrpoEnvError, GrpoEnvWarning, evaluate, load
from grpo_env_sdk.envs.loaded_env import LoadedEnv
from grpo_env_sdk.types import EnvSpec

STAGES = ("constructed", "gold at the top", "random below gold", "clean under test")
ROWS = 10
NEARLY = 1e-6


@dataclass(frozen=True)
class Examined:
    """Which stages an environment reached, and the first reason why it did not reach all."""

    id: str
    reached: tuple[str, ...]
    reason: str = ""

    def __str__(self) -> str:
        return f"{self.id:36} {', '.join(self.reached) or '-'}{self.reason and f'; not: {self.reason}'}"


def examine(spec: EnvSpec, effort: str) -> Examined:
    """Every stage, as each tells something of its own; `effort` is that of the tests, `none` for no tests."""
    if spec.status != "ok":
        return Examined(spec.id, (), f"needs {spec.needs}" if spec.needs else str(spec.error))
    reached, reasons = [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GrpoEnvWarning)
        try:
            loaded = load(spec)
            loaded.rows("all")
        except GrpoEnvError as exc:
            return Examined(spec.id, (), exc.message)
        reached.append("constructed")
        for stage, reason in _played(loaded):
            (reasons if reason else reached).append(reason or stage)
    if effort != "none":
        reason = _tested(spec.id, effort)
        (reasons if reason else reached).append(reason or "clean under test")
    return Examined(spec.id, tuple(reached), reasons[0] if reasons else "")


def _played(loaded: LoadedEnv) -> list[tuple[str, str]]:
    """How gold and random answers do: each stage, with a reason where it is not reached."""
    chance = _mean(loaded, "random")
    if not loaded.traits.solvable:
        return [("gold at the top", "no gold is known"), ("random below gold", "no gold is known")]
    gold, top = _mean(loaded, "gold"), loaded.traits.reward_range[1]
    low = f"gold is worth {gold:.3f}" if gold is not None else "gold has no score"
    return [
        ("gold at the top", "" if gold is not None and gold >= top - NEARLY else low),
        ("random below gold", "" if (gold or 0.0) > (chance or 0.0) + NEARLY else "random is worth as much as gold"),
    ]


def _mean(loaded: LoadedEnv, policy: str) -> float | None:
    return evaluate(loaded, policy, rows=ROWS, split="all").tally.reward.mean


def _tested(id: str, effort: str) -> str:
    """Why `grpo-env test` is not content: the ids of its warnings and errors, or nothing."""
    command = [sys.executable, "-m", "grpo_env_sdk", "test", id, "--json"]
    done = subprocess.run([*command, *(["--quick"] if effort == "quick" else [])], capture_output=True, text=True)
    try:
        told = json.loads(done.stdout)
    except ValueError:
        return f"test ended with {done.returncode}"
    found = {item["id"] for item in told.get("findings", ()) if item["severity"] != "info"}
    return ", ".join(sorted(found)) if found or told.get("verdict") == "sound" else str(told.get("verdict"))
