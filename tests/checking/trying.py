"""One check on one class, in this process."""

import random
from typing import Any

from grpo_env_sdk.checking.check import Check
from grpo_env_sdk.checking.evidence.playing.machine_load import FairClock
from grpo_env_sdk.checking.evidence.subject import Effort, Settings, Subject
from grpo_env_sdk.checking.findings.finding import Item
from grpo_env_sdk.checking.runner.worker import found_by
from grpo_env_sdk.types import EnvSpec


class StillClock(FairClock):
    """No time passes by it, so that how much is tried depends on counts alone, however busy the machine is."""

    def now(self) -> float:
        return 0.0


def subject_of(
    cls: type,
    effort: Effort = "quick",
    seed: int = 0,
    call_seconds: float = 120.0,
    rows: int | None = None,
    **config: Any,
) -> Subject:
    """A subject for a class that a test file defines; no call of its is late, however busy the machine is.

    A mistake that shows in few rows, or that only many rows prove, takes more effort, and so does its sound twin.
    """
    settings = Settings(effort, rows=rows, seed=seed, call_seconds=call_seconds)
    name = f"{cls.__module__}:{cls.__qualname__}"
    return Subject(EnvSpec(name, name, config=config), settings, create=cls)


def found(check: Check, cls: type, effort: Effort = "quick", seed: int = 0, **config: Any) -> list[Item]:
    """What a check finds; time passes only for those that measure it."""
    subject = subject_of(cls, effort, seed, **config)
    if check.group != "cost":
        subject.clock = StillClock()
        subject.begin("", None)
    return list(found_by(check, subject))


def asking(write: Any, count: int = 40) -> type:
    """An environment whose rows are `write(n, rng)`: a prompt and its answer."""

    class Asked:
        def build_dataset(self, tokenizer: Any) -> Any:
            rows = [write(n, random.Random(n)) for n in range(count)]
            return [{"prompt": prompt, "wanted": answer} for prompt, answer in rows]

        def score_episode(self, model: Any, tokenizer: Any, completion: str, wanted: str) -> float:
            return float(completion == wanted)

        def solve(self, row: Any) -> str:
            return str(row["wanted"])

    return Asked
