"""What somebody asked `grpo-env train` for."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from grpo_env_sdk.cli.parser import BUILD_SECONDS
from grpo_env_sdk.rollout.commands import Limits

_USUAL = Limits()


@dataclass(frozen=True)
class TrainSettings:
    """The settings of one training; `grpo` and `model_config` hold only what somebody set."""

    env: str = ""
    """Empty only where `resume` names a run, which knows its environment."""
    env_config: Mapping[str, Any] = field(default_factory=dict)
    model: str | None = None
    """None is the built-in demo model."""
    grpo: Mapping[str, Any] = field(default_factory=dict)
    model_config: Mapping[str, Any] = field(default_factory=dict)
    bridge: str = "auto"
    max_turn_tokens: int | None = None
    rows: int | None = None
    eval_rows: int = 200
    eval_split: str = "test"
    limit_turns: int | None = None
    limit_tool_calls: int | None = _USUAL.tool_calls
    limit_episode: float | None = None
    limit_call: float | None = _USUAL.call_seconds
    limit_build: float = BUILD_SECONDS
    sample_every: int = 20
    """Steps between two sample transcripts; 0 shows none."""
    out: str | None = None
    resume: str | None = None
    dry_run: bool = False
    print_config: bool = False
    quiet: bool = False
    json: bool = False
    sources: Mapping[str, str] = field(default_factory=dict)
    """Where each value came from: `flag`, `file FILE` or `dialect`."""

    @property
    def limits(self) -> Limits:
        """How far an episode may go."""
        return Limits(
            turns=self.limit_turns,
            tool_calls=self.limit_tool_calls,
            episode_seconds=self.limit_episode,
            call_seconds=self.limit_call,
        )
