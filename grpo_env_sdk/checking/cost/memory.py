"""The memory of an instance, and the memory that episodes leave behind."""

import gc
import os
import sys
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.cost.leftovers import left_behind
from grpo_env_sdk.checking.cost.measured_episodes import TOO_SLOW, Mixed, mixed, rounds
from grpo_env_sdk.checking.evidence.quick_collections import quick_collections
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding, Item, Undecided
from grpo_env_sdk.checking.findings.report import FIX_FIRST
from grpo_env_sdk.isolation.author_code.author_globals import Sizes, author_globals, growing
from grpo_env_sdk.isolation.calls.tracebacks import is_author
from grpo_env_sdk.report.exhibits import Plot, Table
from grpo_env_sdk.types import row_seed

EPISODES = {"quick": 100, "default": 500, "thorough": 2_000}
ROUNDS, TRACED_ROUNDS = 10, 4
KIB, MIB = 1 << 10, 1 << 20
GROWS, GROWS_FAST, GROWS_OUTSIDE = KIB, 256 * KIB, 256 * KIB
"""Bytes per episode from which growth is reported, is an error, and is reported if Python did not allocate them."""
ENOUGH, GROWS_SURELY = 300, 16 * KIB
"""In fewer episodes a bounded cache may still be filling, so more growth is needed for a finding."""
LEAST_BLOCKS = 0.5
"""Blocks per episode: whatever is kept of an episode takes at least one."""
TRAINING = 64_000
"""The episodes of a training with a thousand steps."""
LARGE = 64 * MIB
_INSTANCES = 8
_KEEP_NOTHING = (
    "Keep nothing of an episode on the class, the module or a shared instance; limit caches: lru_cache(maxsize=1000)."
)

Points = list[tuple[int, int]]
"""Pairs of the number of episodes and an amount."""


@check("K720", severity="warning", share=2)
def memory_does_not_grow(subject: Subject) -> Iterator[Item]:
    """Episodes that ended hold no memory, and no list of a module or class has an entry more after each of them."""
    if "threads" in (left_behind(subject) or ()):
        yield Undecided("Each episode leaves a thread behind, with the memory that it holds.", FIX_FIRST)
        return
    policy = mixed(subject)
    blocks, resident, held = _counted(subject, policy)
    if len(blocks) < ROUNDS:
        yield TOO_SLOW
        return
    yield Plot("Blocks of memory that Python holds after so many episodes", {"blocks": blocks}, "episodes", "blocks")
    outside = growth(resident[ROUNDS // 2 - 1 :])
    if growth(blocks[ROUNDS // 2 - 1 :]) >= LEAST_BLOCKS or outside >= GROWS:
        played = blocks[-1][0]
        traced, line = _traced_growth(subject, policy)
        if traced >= (GROWS if played >= ENOUGH else GROWS_SURELY):
            where = f", kept in {held[0][0]}" if held else f", most of it from {line}" if line else ""
            yield _growth_finding(traced, where, played)
            return
    if outside >= GROWS_OUTSIDE:
        yield _growth_finding(outside, ", outside Python's own memory", resident[-1][0])
    elif held:
        yield _entries_finding(subject, *held[0], blocks[-1][0])


@check("K721", severity="warning", needs=("rows",), share=0.3)
def an_instance_is_small(subject: Subject) -> Iterator[Item]:
    """An instance takes little memory, as there is one for each episode."""
    count = subject.loaded.description.at_once(1 + _INSTANCES) - 1
    if subject.traits.instances == "shared" or not count:
        return
    row = subject.chosen[0]
    data = subject.row(row)
    with _traced(), ExitStack() as instances:
        _begun(subject, row, data, instances)
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(count):
            _begun(subject, row, data, instances)
        each = (tracemalloc.get_traced_memory()[0] - before) // count
    yield Table("Memory of an instance", ("instances", "memory"), [["one", _size(each)], ["64", _size(64 * each)]])
    if each > LARGE:
        yield Finding(
            f"An instance takes {_size(each)}, so 64 parallel episodes take {_size(64 * each)}.",
            "Share what all instances need: load it once, on the class or in the module.", row, output=each,
        )  # fmt: skip


def growth(points: Sequence[tuple[int, int]]) -> float:
    """The smallest growth per episode over any two rounds; 0 if there was none over some two rounds."""
    stretches = [(b - a) / (m - n) for (n, a), (m, b) in zip(points, points[2:], strict=False)]
    return max(0.0, min(stretches, default=0.0))


def _growth_finding(each: float, where: str, played: int) -> Finding:
    return Finding(
        f"Each episode leaves {_size(each)} behind, {_size(each * TRAINING)} after {TRAINING:,} episodes{where}.",
        _KEEP_NOTHING, output=f"{_size(each)} per episode, still growing after {played}",
        expected="the same after each round", severity="error" if each >= GROWS_FAST else None,
    )  # fmt: skip


def _entries_finding(subject: Subject, name: str, held: Any, played: int) -> Finding:
    entries = held.values() if isinstance(held, dict) else held
    instances = any(isinstance(one, type(subject.loaded.env)) for one in entries)
    return Finding(
        f"{name} has more entries after each episode: {len(held):,} by now, after {played} more episodes."
        + (" It holds instances of the environment, which are never let go." if instances else ""),
        _KEEP_NOTHING, output=len(held), expected="as many as before",
    )  # fmt: skip


def _counted(subject: Subject, policy: Mixed) -> tuple[Points, Points, list[tuple[str, Any]]]:
    """The blocks that Python holds and the bytes of the process, after each round; and which containers grow."""
    blocks: Points = []
    resident: Points = []
    held: list[Sizes] = []
    with quick_collections():
        for size in rounds(subject, policy, ROUNDS, EPISODES[subject.effort] // ROUNDS):
            gc.collect()
            blocks.append(((len(blocks) + 1) * size, sys.getallocatedblocks()))
            resident.append(((len(resident) + 1) * size, _resident()))
            held.append(author_globals(subject.spec.entry_point.partition(":")[0].partition(".")[0]))
    return blocks, resident, growing(held[ROUNDS // 2 - 1 :], LEAST_BLOCKS * size) if len(held) == ROUNDS else []


def _traced_growth(subject: Subject, policy: Mixed) -> tuple[float, str]:
    """The bytes that an episode leaves behind, and the author's line that allocated most of them."""
    points: Points = []
    added: Callable[[], str] | None = None
    with _traced(), quick_collections():
        for size in rounds(subject, policy, TRACED_ROUNDS, 25):
            gc.collect()
            points.append(((len(points) + 1) * size, tracemalloc.get_traced_memory()[0]))
            added = added or _line_with_most_since(tracemalloc.take_snapshot())
        return growth(points), added() if added else ""


def _line_with_most_since(start: tracemalloc.Snapshot) -> Callable[[], str]:
    """A function that returns `hotel.py:31` if the author's code allocates most memory from now on."""

    def line() -> str:
        added = tracemalloc.take_snapshot().compare_to(start, "lineno")
        most = max(added, key=lambda found: found.size_diff, default=None)
        if most is None or most.size_diff <= 0 or not is_author(most.traceback[0].filename):
            return ""
        return f"{os.path.basename(most.traceback[0].filename)}:{most.traceback[0].lineno}"

    return line


def _begun(subject: Subject, row: int, data: dict[str, Any], instances: ExitStack) -> None:
    """Begin an episode on one more instance, which stays open with the others."""
    env = instances.enter_context(subject.instance(row))
    if subject.traits.instances == "constructed":
        subject.call("reset", env.reset, seed=row_seed(data), options=data, row=row)


@contextmanager
def _traced() -> Iterator[None]:
    """Trace the allocations of Python, unless they are traced already."""
    tracing = tracemalloc.is_tracing()
    if not tracing:
        tracemalloc.start()
    try:
        yield
    finally:
        if not tracing:
            tracemalloc.stop()


def _resident() -> int:
    """The resident bytes of this process, or 0 if the system does not say."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def _size(count: float) -> str:
    """`12 KiB`, `3.4 MiB` or `61 GiB`."""
    for unit, size in (("GiB", 1 << 30), ("MiB", MIB), ("KiB", KIB)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count:.0f} bytes"
