"""The cost checks report what is slow, what grows and what is left behind, and nothing else."""

import asyncio
import contextlib
import functools
import os
import tempfile
import threading
import time
from types import SimpleNamespace

import pytest

from grpo_env_sdk import MultiTurnEnv, ToolEnv, reward, tool
from grpo_env_sdk.checking.cost.leftovers import episodes_leave_nothing_behind
from grpo_env_sdk.checking.cost.memory import an_instance_is_small, growth, memory_does_not_grow
from grpo_env_sdk.checking.cost.times import a_step_of_rollouts_is_quick, async_and_slowest, nothing_takes_long
from grpo_env_sdk.checking.findings.finding import Finding, Plot, Table, Undecided
from grpo_env_sdk.checking.runner.worker import found_by
from tests.checking.trying import found, subject_of
from tests.environments import ALL

CHECKS = [
    episodes_leave_nothing_behind, nothing_takes_long, a_step_of_rollouts_is_quick, memory_does_not_grow,
    an_instance_is_small,
]  # fmt: skip


class Sums:
    """Sound: one answer is right."""

    def build_dataset(self, tokenizer):
        return [{"prompt": f"What is {n} and 1?", "answer": str(n + 1)} for n in range(12)]

    def score_episode(self, model, tokenizer, completion, answer):
        self.look(completion)
        return float(completion == answer)

    def look(self, completion):
        pass

    def solve(self, row):
        return row["answer"]


class Keeps(Sums):
    """Keeps what it has seen, taken apart."""

    def __init__(self):
        self.seen = []

    def look(self, completion):
        self.seen.append({"words": completion.split(), "letters": list(completion), "text": completion * 5})


class KeepsBytes(Sums):
    """Keeps one large text an episode, in no small block."""

    texts: list = []  # noqa: RUF012  # the mistake

    def look(self, completion):
        self.texts.append((completion + ".") * 20 * 100)


class Counts(Sums):
    """Sound: a cache that is bounded, and a set of what is few."""

    lengths: set = set()  # noqa: RUF012  # on purpose

    def look(self, completion):
        self.lengths.add(len(completion))
        self.words(completion)

    @staticmethod
    @functools.lru_cache(maxsize=64)
    def words(completion):
        return completion.split()


class OpensFiles(Sums):
    """Leaves a descriptor open."""

    opened: list = []  # noqa: RUF012  # the mistake

    def look(self, completion):
        self.opened.append(os.open(os.devnull, os.O_RDONLY))


class StartsThreads(Sums):
    """Leaves a thread behind."""

    over = threading.Event()

    def look(self, completion):
        threading.Thread(target=self.over.wait, name="beat", daemon=True).start()


class WritesFiles(Sums):
    """Leaves a file in the temporary directory."""

    def look(self, completion):
        handle, _ = tempfile.mkstemp(prefix="left-")
        os.close(handle)


class WritesElsewhere(Sums):
    """Tries to write one and the same file outside, and says nothing where it may not."""

    def look(self, completion):
        with contextlib.suppress(OSError), open("/no-such-folder-of-tests/log.txt", "a") as file:
            file.write(completion)


class OneLog(Sums):
    """Sound: one file for all, and one thread."""

    def __init__(self):
        self.path = os.path.join(tempfile.mkdtemp(), "log.txt")

    def look(self, completion):
        with open(self.path, "a") as file:
            file.write(completion)


class Waits(Sums):
    """Waits for each score."""

    def look(self, completion):
        time.sleep(0.3)


class Blocks(Sums):
    """Is async, and holds up everybody."""

    async def score_episode(self, model, tokenizer, completion, answer):
        time.sleep(0.2)
        return float(completion == answer)


class Awaits(Sums):
    """Sound: waits, and lets others go on."""

    async def score_episode(self, model, tokenizer, completion, answer):
        await asyncio.sleep(0.2)
        return float(completion == answer)


class Large(MultiTurnEnv):
    """Each instance has a table of its own."""

    reward_range = (0.0, 1.0)

    def __init__(self):
        self.table = bytearray(70 << 20)

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Say {n}."} for n in range(5)]

    def step(self, action):
        return "", 1.0, True, False, {}


@pytest.fixture(autouse=True)
def nothing_stays(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    yield
    KeepsBytes.texts.clear()
    Counts.lengths.clear()
    for handle in OpensFiles.opened:
        os.close(handle)
    OpensFiles.opened.clear()
    StartsThreads.over.set()
    StartsThreads.over = threading.Event()


def slow(*case):
    return pytest.param(*case, marks=pytest.mark.slow)


@pytest.mark.parametrize(("check", "cls", "severity", "told"), [
    (episodes_leave_nothing_behind, OpensFiles, "error", "36 episodes left open descriptors behind: "),
    (episodes_leave_nothing_behind, StartsThreads, "error", "more after the next 12, such as beat."),
    (episodes_leave_nothing_behind, WritesFiles, "error", "36 episodes left files behind: "),
    (episodes_leave_nothing_behind, WritesElsewhere, "info", "/no-such-folder-of-tests/log.txt (test_cost.py:"),
    slow(nothing_takes_long, Waits, "warning", "In three of four cases scoring took "),
    slow(a_step_of_rollouts_is_quick, Waits, "warning", "waiting, as they are scored one after another."),
    slow(a_step_of_rollouts_is_quick, Blocks, "warning", "in the environment alone, most of it waiting."),
    (memory_does_not_grow, Keeps, "warning", "most of it from test_cost.py:"),
    (memory_does_not_grow, KeepsBytes, "error", "KiB behind, "),
    (an_instance_is_small, Large, "warning", "An instance takes 70 MiB, so 64 parallel episodes take 4.38 GiB."),
])  # fmt: skip
def test_a_mistake_is_found(check, cls, severity, told):
    findings = [item for item in found(check, cls, "default") if isinstance(item, Finding)]
    (finding,) = findings
    assert (finding.severity, told in finding.message) == (severity, True), finding.message


@pytest.mark.parametrize("cls", [Sums, Counts, OneLog, *ALL])
def test_nothing_is_found_in_what_is_sound(cls):
    subject = subject_of(cls, "default" if cls is Counts else "quick")  # a cache fills up in many episodes
    told = [item for check in CHECKS for item in found_by(check, subject) if isinstance(item, Finding)]
    assert told == []


@pytest.mark.slow
def test_many_that_await_are_as_quick_as_one():
    table = next(item for item in found(a_step_of_rollouts_is_quick, Awaits) if isinstance(item, Table))
    assert float(table.rows[0][1].split()[0]) > 10
    assert [item for item in found(a_step_of_rollouts_is_quick, Awaits) if isinstance(item, Finding)] == []


class Desk(ToolEnv):
    """One tool is async, and one is not."""

    def build_dataset(self, tokenizer):
        return [{"prompt": "Look up 1.", "answer": "1"}]

    @tool
    async def look_up(self, number: int) -> str:
        """Look up a number.

        Args:
            number: It.
        """
        return str(number)

    @reward
    def right(self, completion, answer):
        return float(answer in str(completion))

    @tool
    def close_case(self) -> str:
        """Close the case."""
        return "closed"


@pytest.mark.parametrize(("tool_name", "scoring", "named"), [
    ("look_up", 0.0, "look_up"), ("close_case", 0.0, None), ("look_up", 9.0, None),
])  # fmt: skip
def test_the_async_tool_is_named_in_which_episodes_spend_their_time(tool_name, scoring, named):
    timings = {"score": scoring, "environment": 0.0, "tools": 0.6}
    episode = SimpleNamespace(timings=timings, tool_calls=[{"name": tool_name, "seconds": 0.3}] * 2)
    assert async_and_slowest(subject_of(Desk), [episode]) == named


def test_every_thing_is_timed_and_the_growth_is_drawn():
    subject = subject_of(ALL[1])
    items = [item for check in CHECKS for item in found_by(check, subject)]
    times = next(item for item in items if isinstance(item, Table) and item.check == "K710")
    assert [row[0] for row in times.rows] == [
        "build_dataset", "a new instance with its reset", "reset and steps of an episode", "tools of an episode",
        "scoring", "the tool look_up",
    ]  # fmt: skip
    (plot,) = [item for item in items if isinstance(item, Plot)]
    assert len(plot.lines["blocks"]) == 10


def test_without_time_it_is_undecided():
    subject = subject_of(Waits)
    subject.begin("K720", 0.1)
    gaps = [item for item in found_by(memory_does_not_grow, subject) if isinstance(item, Undecided)]
    assert [gap.why for gap in gaps] == ["There was no time for enough episodes."]


@pytest.mark.parametrize(("counts", "expected"), [
    ([10, 20, 30, 40, 50], 1.0), ([10, 20, 30, 30, 30], 0.0), ([50, 10, 60, 20, 70], 0.5), ([10], 0.0),
])  # fmt: skip
def test_growth_is_what_the_least_stretch_added(counts, expected):
    assert growth([(10 * place, count) for place, count in enumerate(counts)]) == expected
