"""Whether episodes leave threads, descriptors, processes or files behind."""

import gc
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.cost.measured_episodes import TOO_SLOW, mixed, rounds
from grpo_env_sdk.checking.evidence.playing import left_files
from grpo_env_sdk.checking.evidence.playing.threads import CAUSE, CROWDED, HINT, foreign_threads
from grpo_env_sdk.checking.evidence.processes.import_watch import SideEffects
from grpo_env_sdk.checking.evidence.quick_collections import quick_collections
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding, Item
from grpo_env_sdk.plain_text import joined

ROUND = {"quick": 8, "default": 16, "thorough": 64}
ROUNDS = 3
_HINTS = {
    "threads": HINT,
    "open descriptors": f"{left_files.HINT[:-1]}: a process may have about 1,024.",
    "processes": "Wait for it and end it in close().",
    "files": "Write to a tempfile.TemporaryDirectory that close() removes, or write no files.",
}
_OUTSIDE = ("cost", "outside")
_WRITES = "writes the file "
_FOR_ALL = ("/tmp", "/var/tmp", "/dev", "/proc")  # nothing is written there
"""Folders that are temporary for every program, and those of the system that hold no files."""
_MOST_NAMED = 3
_CAUSES = {"threads": CAUSE, "open descriptors": left_files.CAUSE}


@check("K701", share=1.5)
def episodes_leave_nothing_behind(subject: Subject) -> Iterator[Item]:
    """Episodes leave no threads, open descriptors, processes or files behind."""
    left = left_behind(subject)
    if left is None:
        yield TOO_SLOW
    if written := subject.recall(_OUTSIDE):
        yield Finding(
            f"Episodes write outside of their working folder and the temporary one: "
            f"{joined([f'{path} ({place})' for path, place in written.items()][:_MOST_NAMED])}.",
            _HINTS["files"], output=list(written), expected="no file there", severity="info",
        )  # fmt: skip
    for what, found in (left or {}).items():
        path = found.example.partition(" (")[0]
        lasting = what == "files" and not path.startswith(tempfile.gettempdir() + os.sep)
        yield Finding(
            f"{found.message}{f', such as {found.example}' if found.example else ''}.",
            _HINTS[what], output=found.counts, expected="as many as before", severity="warning" if lasting else None,
            cause=_CAUSES.get(what, ""),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Left:
    """Something that grows from round to round: a message, the count after each round, and one example."""

    message: str
    counts: Sequence[int]
    example: str


def left_behind(subject: Subject) -> Mapping[str, Left] | None:
    """What episodes leave behind, by kind; None if there was no time for enough episodes."""
    return subject.once(("cost", "left"), lambda: _left_behind(subject))


def _left_behind(subject: Subject) -> Mapping[str, Left] | None:
    with SideEffects(subject.spec.entry_point.partition(":")[0]) as effects, quick_collections():
        if len(foreign_threads()) > CROWDED:
            message = f"The episodes of earlier checks left {len(foreign_threads())} threads behind"
            return {"threads": Left(message, [len(foreign_threads())], _example("threads", effects))}
        seen = [(size, _left(effects)) for size in rounds(subject, mixed(subject), ROUNDS, ROUND[subject.effort])]
        subject.once(_OUTSIDE, lambda: _written_outside(effects))
        if len(seen) < ROUNDS:
            return None
        size, found = seen[0][0], {}
        for what in _HINTS:
            counts = [one[what] for _, one in seen]
            added = [after - before for before, after in pairwise(counts)]
            if min(added) >= size / 4:
                message = f"{ROUNDS * size} episodes left {what} behind: {added[0]} more after {size} of them, and "
                message += f"{added[1]} more after the next {size}"
                found[what] = Left(message, counts, _example(what, effects))
        return found


def _left(effects: SideEffects) -> Mapping[str, int]:
    gc.collect()  # closes what is not referenced any more
    return {
        "threads": len(foreign_threads()), "open descriptors": len(_descriptors()), "processes": _children(),
        "files": len(_files(effects)),
    }  # fmt: skip


def _descriptors() -> list[str]:
    try:
        return os.listdir("/proc/self/fd")
    except OSError:  # not everywhere
        return []


def _children() -> int:
    try:
        return sum(len(path.read_text().split()) for path in Path("/proc/self/task").glob("*/children"))
    except OSError:  # a thread that has just ended
        return 0


def _written_outside(effects: SideEffects) -> dict[str, str]:
    """The files that the environment's code opened to write elsewhere, allowed or not, and where it did."""
    inside = [os.path.realpath(folder) for folder in (os.getcwd(), tempfile.gettempdir(), *_FOR_ALL)]
    found = {}
    for effect in effects.found:
        if effect["what"].startswith(_WRITES):
            path = os.path.realpath(effect["what"].removeprefix(_WRITES))
            if not any(Path(path).is_relative_to(folder) for folder in inside):
                found[path] = effect["place"]
    return found


def _files(effects: SideEffects) -> list[dict[str, str]]:
    """The files and folders that the environment's code created and that still exist."""
    found = [
        {**effect, "path": effect["what"].removeprefix(prefix)}
        for effect in effects.found
        for prefix in (_WRITES, "creates the folder ")
        if effect["what"].startswith(prefix)
    ]
    return [effect for effect in found if os.path.exists(effect["path"])]


def _example(what: str, effects: SideEffects) -> str:
    """The name of one of them."""
    if what == "threads":
        return foreign_threads()[-1]
    found = _files(effects) if what == "files" else []
    return f"{found[-1]['path']} ({found[-1]['place']})" if found else ""
