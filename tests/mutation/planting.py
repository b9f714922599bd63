"""Faults planted in sound environments, one at a time, and what `grpo-env test` says to each."""

import importlib
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from random import Random
from typing import Any

from grpo_env_sdk.checking.check import selected
from grpo_env_sdk.checking.evidence.subject import Settings
from grpo_env_sdk.checking.runner.runner import CheckPlan, run_checks
from grpo_env_sdk.registry.lookup import spec
from tests.gallery.catalogue import SOUND
from tests.mutation.plants.acting import ACTING
from tests.mutation.plants.rows import ROWS
from tests.mutation.plants.scores import SCORES

KINDS = {**SCORES, **ROWS, **ACTING}
SLOW = {"async_judge", "large_observation", "many_scripts", "long_prompts"}
"""Sound exhibits that take long, and teach nothing more about a fault."""
EXAMPLES = (
    "grpo_env_arithmetic.env:ArithmeticEnv", "grpo_env_wordle.env:WordleEnv", "grpo_env_tickets.env:TicketsEnv",
)  # fmt: skip
BASES = (*EXAMPLES, *(exhibit.entry_point for exhibit in SOUND if exhibit.name not in SLOW))
MODULE = "planted_environment"
CHECKOUT = f"{Path(__file__).parents[2]}/"


@dataclass(frozen=True)
class Planted:
    """A fault in a sound environment."""

    kind: str
    fault: Callable[[type], type | None]
    base: str

    @property
    def name(self) -> str:
        """Which fault is where."""
        return f"{self.fault.__name__} in {self.base.partition(':')[2]}"

    @property
    def flawed(self) -> type | None:
        """The class with the fault, or None where it cannot have it."""
        module, _, name = self.base.partition(":")
        sound = getattr(importlib.import_module(module), name)
        return self.fault(sound) if hasattr(sound, "solve") else None  # without gold few faults can show


def planted(seed: int) -> Iterator[Planted]:
    """Every fault in every environment that can have it, in an order in which faults and kinds take turns."""
    rng = Random(seed)
    of_kinds = []
    for kind, faults in KINDS.items():
        turns = []
        for fault in faults:
            bases = rng.sample(BASES, len(BASES))
            turns.append([Planted(kind, fault, base) for base in bases])
        of_kinds.append([one for turn in zip(*turns, strict=True) for one in turn])
    for turn in zip_longest(*of_kinds):
        yield from (one for one in turn if one is not None and one.flawed)


def tried_plant(one: Planted, effort: Any) -> dict[str, Any]:
    """Check, severity and message of what is found in it, the worst first."""
    base_module, _, base_name = one.base.partition(":")
    source = f"""
from {base_module} import {base_name}
from {one.fault.__module__} import {one.fault.__name__}

{base_name} = {one.fault.__name__}({base_name})
{base_name}.__module__ = __name__
"""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / f"{MODULE}.py").write_text(source, encoding="utf-8")
        sys.path.insert(0, folder)
        sys.modules.pop(MODULE, None)
        importlib.invalidate_caches()
        try:
            plan = CheckPlan(selected(effort=effort), Settings(effort))
            found = run_checks(spec(f"{MODULE}:{base_name}"), plan).findings
        finally:
            sys.path.remove(folder)
    told = {
        (item.check, str(item.severity), item.message.replace(CHECKOUT, ""))
        for item in found
        if item.severity != "info"
    }
    findings = sorted(told, key=lambda item: (item[1] != "error", item))
    return {"kind": one.kind, "fault": one.name, "findings": findings}
