"""Who judges: anything with an async `verdict`."""

from typing import Protocol

from grpo_env_judge.facts import Facts


class Judge(Protocol):
    """Says how well a notice reads."""

    async def verdict(self, facts: Facts, notice: str) -> float | None:
        """From 0 to 1; None where it cannot tell, which is never the fault of the notice."""
