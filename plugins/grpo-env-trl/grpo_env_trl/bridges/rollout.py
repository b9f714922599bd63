"""The `rollout` bridge: TRL's `rollout_func`, which plays whole episodes and hands back exactly what was sampled."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grpo_env_sdk.rollout.episode import Generated
from grpo_env_sdk.types import Episode, Turn
from grpo_env_trl import trl_facts
from grpo_env_trl.bridges.dataset import row_of
from grpo_env_trl.bridges.stage import LiveRollout, Stage
from grpo_env_trl.tokens.rendering import Renderer


@dataclass
class RolloutBridge:
    """Called by TRL with a batch of prompts; the episodes' records come back as the column `episode`."""

    stage: Stage
    renderer: Renderer
    max_turn_tokens: int | None = None

    def __call__(self, prompts: Sequence[Any], trainer: Any) -> dict[str, list[Any]]:
        """The tokens of every episode, which of them the model sampled, and the episodes' records."""
        self.renderer.end_turns_with(trainer.eos_token_ids)
        training = bool(trainer.model.training)
        model = self.stage.lendable(trainer.model)
        rollouts = self.stage.begin(
            [row_of(prompt) for prompt in prompts], model, training,
            self.renderer, trainer.max_completion_length, trl_facts.context_length(trainer),
        )  # fmt: skip
        clock = _Clock()
        groups = [[rollout] for rollout in rollouts] if self.stage.one_by_one else [rollouts]
        for group in groups:
            self._play(group, model, trainer, clock)
        episodes = self.stage.end(rollouts, training, clock.model, clock.environment, int(trainer.state.global_step))
        return self._columns(rollouts, episodes)

    def episodes(self, given: Mapping[str, Any]) -> list[Episode]:
        """The records of the batch that a reward function was handed."""
        return given["episode"]  # type: ignore[no-any-return]  # the column that came back above

    def _play(self, rollouts: Sequence[LiveRollout], model: Any, trainer: Any, clock: "_Clock") -> None:
        """Turn by turn: the model writes for all who wait in one call, then the environments move at once."""
        self.stage.advance([(rollout, None) for rollout in rollouts], model)
        clock.environment += clock.lap()
        while trl_facts.any_rank(trainer, any(rollout.waiting for rollout in rollouts)):
            waiting = [rollout for rollout in rollouts if rollout.waiting]
            turns = self._generate(waiting, trainer)
            clock.model += (spent := clock.lap())
            self.stage.advance([(one, Generated(turn, spent)) for one, turn in zip(waiting, turns, strict=True)], model)
            clock.environment += clock.lap()

    def _generate(self, waiting: Sequence[LiveRollout], trainer: Any) -> list[Turn]:
        """A turn for each who waits; a process in which nobody does takes part all the same."""
        tokens = [rollout.transcript for rollout in waiting if rollout.transcript is not None]
        wanted = max((transcript.room for transcript in tokens), default=1)
        most = trl_facts.largest_over_ranks(trainer, min(wanted, self.max_turn_tokens or wanted))
        size = trl_facts.largest_over_ranks(trainer, len(tokens))
        idle = [[next(iter(self.renderer.eos_ids))]] * (size - len(tokens))
        ids, logprobs = trl_facts.generate(trainer, [transcript.context for transcript in tokens] + idle, most)
        return [
            transcript.write(ids[place], logprobs[place] if logprobs else None, self.max_turn_tokens)
            for place, transcript in enumerate(tokens)
        ]

    def _columns(self, rollouts: Sequence[LiveRollout], episodes: list[Episode]) -> dict[str, list[Any]]:
        nothing = next(iter(self.renderer.eos_ids))  # TRL looks at the last token of every completion
        columns: dict[str, list[Any]] = {name: [] for name in ("prompt_ids", "completion_ids", "env_mask", "logprobs")}
        for rollout in rollouts:
            tokens = rollout.transcript
            assert tokens is not None
            columns["prompt_ids"].append(tokens.prompt_ids or [nothing])
            columns["completion_ids"].append(tokens.completion_ids or [nothing])
            columns["env_mask"].append(tokens.sampled or [0])
            columns["logprobs"].append(tokens.logprobs if tokens.completion_ids else [0.0])
        known = all(found is not None for found in columns["logprobs"]) and any(
            rollout.transcript and rollout.transcript.logprobs for rollout in rollouts
        )
        return {**columns, "logprobs": columns["logprobs"] if known else None, "episode": episodes}  # type: ignore[dict-item]  # TRL takes None


@dataclass
class _Clock:
    """Where the time of a batch goes."""

    model: float = 0.0
    environment: float = 0.0
    _at: float = 0.0

    def __post_init__(self) -> None:
        self._at = time.perf_counter()

    def lap(self) -> float:
        """Seconds since the last lap."""
        now = time.perf_counter()
        spent, self._at = now - self._at, now
        return spent
