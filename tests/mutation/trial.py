"""One mutant of `hotel-v1`: written down as a package of its own, and tested as `grpo-env test` does."""

import difflib
import functools
import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from grpo_env_sdk.checking.check import selected
from grpo_env_sdk.checking.evidence.subject import Settings
from grpo_env_sdk.checking.runner.runner import CheckPlan, run_checks
from grpo_env_sdk.errors import BrokenPackageError
from grpo_env_sdk.registry.lookup import spec
from tests.mutation.damage import Mutant, mutants_of
from tests.mutation.replay import digest

HOTEL = Path(__file__).parents[2] / "example_envs" / "hotel" / "grpo_env_hotel"
PACKAGE = "damaged_hotel"
ENTRY_POINT = f"{PACKAGE}.env:HotelEnv"
FEWER_ROWS = ('"train": 2000, "test": 500', '"train": 200, "test": 50')
"""So that a hundred trials take minutes; what is wrong is as wrong in fewer rows."""
NOT_DAMAGED = {"__init__.py", "wording.py"}
"""The wording is text: other words are no other behaviour."""
DIFFICULTIES = ("hard", "normal", "easy")
"""A mutant survives in all of them; the first runs nearly all of the source."""
EFFORT = "quick"


class FoundError(Exception):
    """Ends a trial at the first error, which is all that it is asked for."""


def write_hotel(folder: Path) -> Path:
    """A sound hotel, as a package of another name."""
    package = folder / PACKAGE
    package.mkdir()
    for path in HOTEL.glob("*.py"):
        source = path.read_text(encoding="utf-8").replace(HOTEL.name, PACKAGE).replace(*FEWER_ROWS)
        (package / path.name).write_text(source, encoding="utf-8")
    return package


def drawn(package: Path, seed: int) -> Iterator[Mutant]:
    """Every mutant once, in an order in which the kinds of damage take turns."""
    by_kind: dict[str, list[Mutant]] = {}
    for path in sorted(package.glob("*.py")):
        for mutant in mutants_of(path) if path.name not in NOT_DAMAGED else ():
            by_kind.setdefault(mutant.kind, []).append(mutant)
    rng = random.Random(seed)
    for mutants in by_kind.values():
        rng.shuffle(mutants)
    while by_kind:
        for kind in sorted(by_kind):
            yield by_kind[kind].pop()
            if not by_kind[kind]:
                del by_kind[kind]


def tried(package: Path, mutant: Mutant, effort: Any = EFFORT) -> dict[str, Any] | None:
    """What is found in a mutant, up to the first error; None where it cannot even be imported."""
    path = package / mutant.file
    sound, sound_play = path.read_text(encoding="utf-8"), _played_soundly(package)
    damaged = mutant.applied(sound)
    path.write_text(damaged, encoding="utf-8")
    try:
        findings = found_in(package, effort)
        same = not findings and _played(package) == sound_play
    except BrokenPackageError:
        return None
    finally:
        path.write_text(sound, encoding="utf-8")
    diff = difflib.unified_diff(sound.splitlines(), damaged.splitlines(), mutant.file, mutant.file, "", "", 1, "")
    return {"kind": mutant.kind, "fault": "\n".join(diff), "findings": findings, "same": same}


@functools.cache
def _played_soundly(package: Path) -> str:
    return _played(package)


def _played(package: Path) -> str:
    """What it builds and plays, by which a mutant that changes nothing is known."""
    configs = [json.dumps({"difficulty": difficulty}) for difficulty in DIFFICULTIES]
    return digest(package.parent, ENTRY_POINT, configs)


def found_in(package: Path, effort: Any = EFFORT) -> list[tuple[str, str, str]]:
    """Check, severity and message of the first error, or else of each warning."""

    def watch(event: dict[str, Any]) -> None:
        item = event.get("item", {})
        if item.get("severity") == "error":
            raise FoundError(item["check"], "error", item["message"])

    plan = CheckPlan(selected(effort=effort), Settings(effort))
    where = f"{package.parent}/"
    sys.path.insert(0, str(package.parent))
    try:
        for difficulty in DIFFICULTIES:
            hotel = spec(ENTRY_POINT).with_config({"difficulty": difficulty})
            found = [one for one in run_checks(hotel, plan, watch).findings if one.severity != "info"]
            if found:
                return [(one.check, str(one.severity), one.message.replace(where, "")) for one in found]
    except FoundError as exc:
        check, severity, message = exc.args
        return [(check, severity, message.replace(where, ""))]
    finally:
        sys.path.remove(str(package.parent))
    return []
