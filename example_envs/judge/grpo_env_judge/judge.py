"""The protocol of a judge: an object with an async `verdict`."""

from typing import Protocol

from grpo_env_judge.facts import Facts


class Judge(Protocol):
    """Grades how well a notice reads."""

    async def verdict(self, facts: Facts, notice: str) -> float | None:
        """A grade from 0 to 1; None if the judge fails, for a reason other than the notice."""
