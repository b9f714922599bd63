"""Whether a right answer still counts where the model takes its time for each turn."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import BuiltinFunctionType, ModuleType
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import NEARLY, Gold, play_answers
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import some_golds
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import assistant_message
from grpo_env_sdk.policies.policy import Request
from grpo_env_sdk.types import Episode, Turn

PAUSE, ROWS = 10, 4
"""The seconds that a turn takes, and on how many rows a loss is shown."""
_CLOCKS = {
    f"{name}{unit}": scale
    for name in ("time", "monotonic", "perf_counter")
    for unit, scale in (("", 1), ("_ns", 10**9))
}
"""The functions of `time` that say how late it is, and their units in a second."""


class Clock(ModuleType):
    """The module `time`, some seconds ahead."""

    ahead = 0

    def __getattr__(self, name: str) -> Any:
        real = getattr(time, name)
        return self.moved(real) if name in _CLOCKS else real

    def moved(self, real: Callable[[], float]) -> Callable[[], float]:
        """A function of `time` that is ahead."""
        return lambda: real() + self.ahead * _CLOCKS[real.__name__]


@dataclass
class Slow:
    """Says what gold says, and lets a clock go on before each turn."""

    gold: Gold
    clock: Clock
    name: str = "slow"

    async def respond(self, request: Request) -> Turn:
        """The next turn of gold."""
        self.clock.ahead += PAUSE
        turns = self.gold.turns
        said = turns[request.turn] if request.turn < len(turns) else assistant_message("")
        return Turn(said, "tool_calls" if said.get("tool_calls") else "stop")


@check("E355", kinds=("tools", "multi-turn"), needs=("acts",))
def the_time_of_a_model_does_not_matter(subject: Subject) -> Iterator[Finding]:
    """Where the code reads a clock, gold scores the same when the model takes ten seconds for each turn."""
    modules = _with_clocks(subject.loaded.env)
    known = some_golds(subject)[:ROWS] if modules else []
    lost: list[Episode] = []
    for gold in known:
        again = play_answers(subject, [(gold.row, gold.turns)])
        with _slow_clock(modules) as clock:
            slow = subject.play(gold.row, Slow(gold, clock))
        steady = all((one.reward or 0.0) >= gold.reward - NEARLY for one in again)
        if not steady or slow.error or (slow.reward or 0.0) > gold.reward - NEARLY:
            return
        lost.append(slow)
    if lost:
        low = subject.traits.reward_range[0]
        told = "second" in prompt_text(subject, known[0].row).casefold()
        halves = [(gold.reward - low) / 2 for gold in known]
        much = all((slow.reward or 0.0) - low <= half for slow, half in zip(lost, halves, strict=True))
        yield Finding(
            f"Gold by a model that takes {PAUSE} s for a turn scores {lost[0].reward:g} instead of "
            f"{known[0].reward:g}, on {len(lost)} of {len(known)} rows.",
            "Do not measure the time of a model: it is that of the machine and of all that runs there. Count turns, "
            "or keep a clock of the episode that each act moves on.",
            known[0].row, own_turns(lost[0].completion), lost[0].reward, known[0].reward,
            severity="error" if much and not told else "warning",
        )  # fmt: skip


def _with_clocks(env: Any) -> list[ModuleType]:
    """The modules of the packages that define the class which hold `time`, or a function of it that is a clock."""
    packages = {cls.__module__.partition(".")[0] for cls in type(env).__mro__} - {"builtins", "grpo_env_sdk"}
    own = [module for name, module in list(sys.modules.items()) if name.partition(".")[0] in packages]
    return [module for module in own if any(map(_is_clock, list(vars(module).values())))]


def _is_clock(value: Any) -> bool:
    if type(value) is BuiltinFunctionType:  # its class alone is read: other values of authors may act
        return value.__module__ == "time" and value.__name__ in _CLOCKS
    return value is time


@contextmanager
def _slow_clock(modules: list[ModuleType]) -> Iterator[Clock]:
    """A clock in place of the one that modules read."""
    clock = Clock("time")
    held = [(module, name, value) for module in modules for name, value in vars(module).items() if _is_clock(value)]
    for module, name, value in held:
        setattr(module, name, clock if value is time else clock.moved(value))
    try:
        yield clock
    finally:
        for module, name, value in held:
            setattr(module, name, value)
