"""Episodes as training plays them, to be measured: solutions and chance in turn, and no two answers equal."""

import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Undecided
from grpo_env_sdk.policies.builtin import GoldPolicy
from grpo_env_sdk.policies.policy import Request
from grpo_env_sdk.policies.random_policy import RandomPolicy
from grpo_env_sdk.rollout.commands import Limits
from grpo_env_sdk.types import Episode, Turn

ANSWER_CHARS = 400
"""How long the only turn of an answer is; a longer one would stand in none of the blocks that are counted."""
TOO_SLOW = Undecided("There was no time for enough episodes.", "Run it alone, at leisure.", flags="--thorough")
MOST_TURNS = 50
_ROWS = 20
_LEAST, _SPARE = 5, 0.8
"""The episodes of the smallest round, and the part of the time that is planned with."""


class Mixed:
    """Every other episode is solved where there is a solution; the others are random, with texts that are all new."""

    name = "mixed"

    def __init__(self, solvable: bool, one_turn: bool) -> None:
        self._gold = GoldPolicy() if solvable else None
        self._random = RandomPolicy()
        self._one_turn = one_turn
        self._began = 0

    async def respond(self, request: Request) -> Turn:
        """The next message of the solution, or something random."""
        if request.turn == 0:
            self._began += 1
            request.memory["number"] = self._began
        number = request.memory["number"]
        if self._gold and number % 2:
            return await self._gold.respond(request)
        turn = await self._random.respond(replace(request, sample=number))
        if not self._one_turn or turn.message.get("tool_calls"):
            return turn
        text = f"{turn.message['content']} {number}".ljust(ANSWER_CHARS, ".")
        return replace(turn, message={"role": "assistant", "content": text})


def mixed(subject: Subject) -> Mixed:
    """The policy for a subject, which goes on with new texts from call to call."""
    return Mixed(subject.traits.solvable, subject.traits.kind == "single-turn")


def play(subject: Subject, policy: Mixed, count: int) -> list[Episode]:
    """So many episodes on always the same few rows, each as often as the others, as far as the time goes."""
    rows = subject.sample(_ROWS)[:count]
    return subject.play_many(rows, policy, count // len(rows), limits_of(subject))


def limits_of(subject: Subject) -> Limits:
    """How far an episode may go: one that never ends says no more about cost than a long one."""
    return replace(subject.limits, turns=MOST_TURNS)


def rounds(subject: Subject, policy: Mixed, count: int, most: int) -> Iterator[int]:
    """Play so many rounds of equally many episodes each, as many as there is time for; gives the size after each."""
    started, rows = time.perf_counter(), len(subject.sample(_ROWS))
    tried = len(play(subject, policy, _LEAST))
    size = int(subject.time_left / count * tried / (time.perf_counter() - started) * _SPARE)
    size = max(_LEAST, min(most, size))
    size -= size % rows if size > rows else 0
    for _ in range(count):
        if len(play(subject, policy, size)) < size:
            return
        yield size


@contextmanager
def quick_collections() -> Iterator[None]:
    """Leave what is there already out of the collections, which would each look through all of it."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
