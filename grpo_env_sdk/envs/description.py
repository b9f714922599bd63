"""What drivers, policies and evaluation know of an environment: data only, never an instance."""

from dataclasses import dataclass
from typing import Any

from grpo_env_sdk.envs.traits import Traits
from grpo_env_sdk.isolation.processes.env_pool import POOLS, EnvPool
from grpo_env_sdk.rewards.score_rule import ScoreRule
from grpo_env_sdk.types import EnvSpec


@dataclass(frozen=True, slots=True)
class EnvDescription:
    """An environment as its drivers see it: its spec and traits, the schemas of its tools, how it scores."""

    spec: EnvSpec
    traits: Traits
    tools: list[dict[str, Any]]
    score_rule: ScoreRule
    name: str = ""
    """Its class, as messages name it."""

    @property
    def one_at_a_time(self) -> bool:
        """Whether whole episodes run one after another, as they share one instance that runs tools."""
        return self.traits.instances == "shared" and self.traits.kind == "tools"

    @property
    def scores_in_order(self) -> bool:
        """Whether episodes are scored one after another, in the order in which they began."""
        return self.traits.instances == "shared" and not self.traits.parallel

    def at_once(self, wanted: int) -> int:
        """How many episodes run at once where `wanted` are asked for."""
        return 1 if self.one_at_a_time else min(wanted, self.traits.max_live or wanted)

    def why_fewer_at_once(self, wanted: int, pool: EnvPool) -> str:
        """How many episodes run at once in a pool where that is fewer than wanted, and why; else an empty text."""
        if (most := self.at_once(wanted)) < wanted:
            why = f"max_live = {most}" if self.traits.max_live == most else "all share one instance"
            return f"{self.spec.id} plays {most} at once, not {wanted} ({why})."
        if pool.kind in POOLS[1:] and pool.workers < wanted:
            return f"{self.spec.id} plays {pool.workers} at once, not {wanted}: one in each worker (--env-workers)."
        return ""

    def turns_up_to(self, limit: int | None) -> int:
        """How many turns an episode may have: the environment's own number, or a lower limit."""
        return self.traits.max_turns if limit is None else min(limit, self.traits.max_turns)
