"""Episodes to measure, as in training: solutions and random episodes in turn, and no two answers the same."""

from collections.abc import Iterator
from dataclasses import replace

from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import MORE_TIME_ALONE, Undecided
from grpo_env_sdk.policies.builtin import GoldPolicy
from grpo_env_sdk.policies.policy import Request
from grpo_env_sdk.policies.random_policy import RandomPolicy
from grpo_env_sdk.rollout.commands import Limits
from grpo_env_sdk.types import Episode, Turn

ANSWER_CHARS = 400
"""The length of single answers; Python would not count the memory of longer ones in its blocks."""
TOO_SLOW = Undecided("There was no time for enough episodes.", MORE_TIME_ALONE, flags="--thorough")
MOST_TURNS = 50
_ROWS = 20
_LEAST, _SPARE = 5, 0.8
"""The episodes of the smallest round, and the part of the time to plan with."""


class Mixed:
    """Solves every other episode if there is a solution; the others are random, each with a new text."""

    name = "mixed"

    def __init__(self, solvable: bool, one_turn: bool) -> None:
        self._gold = GoldPolicy() if solvable else None
        self._random = RandomPolicy()
        self._one_turn = one_turn
        self._started = 0

    async def respond(self, request: Request) -> Turn:
        """The next message of the solution, or something random."""
        if request.turn == 0:
            self._started += 1
            request.memory["number"] = self._started
        number = request.memory["number"]
        if self._gold and number % 2:
            return await self._gold.respond(request)
        turn = await self._random.respond(replace(request, sample=number))
        if not self._one_turn or turn.message.get("tool_calls"):
            return turn
        text = f"{turn.message['content']} {number}".ljust(ANSWER_CHARS, ".")
        return replace(turn, message={"role": "assistant", "content": text})


def mixed(subject: Subject) -> Mixed:
    """The policy for a subject, with a new text in each episode."""
    return Mixed(subject.traits.solvable, subject.traits.kind == "single-turn")


def play(subject: Subject, policy: Mixed, count: int) -> list[Episode]:
    """So many episodes, evenly on the same few rows, as far as the time allows."""
    rows = subject.sample(_ROWS)[:count]
    return subject.play_many(rows, policy, count // len(rows), limits_of(subject))


def limits_of(subject: Subject) -> Limits:
    """The limits of an episode, so that an endless one does not use up the time."""
    return replace(subject.limits, turns=MOST_TURNS)


def rounds(subject: Subject, policy: Mixed, count: int, most: int) -> Iterator[int]:
    """Play rounds of the same number of episodes, as many as there is time for; yields the number after each."""
    started, rows = subject.clock.now(), len(subject.sample(_ROWS))
    tried = len(play(subject, policy, _LEAST))
    size = int(subject.time_left / count * tried / (subject.clock.now() - started) * _SPARE)
    size = max(_LEAST, min(most, size))
    size -= size % rows if size > rows else 0
    for _ in range(count):
        if len(play(subject, policy, size)) < size:
            return
        yield size
