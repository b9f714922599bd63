"""Prompts that are rendered already, where TRL generates: they are tokenised here, as TRL would render them again."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from grpo_env_sdk.ext import prompt_messages
from grpo_env_trl import trl_facts
from grpo_env_trl.bridges.batch_player import BatchPlayer
from grpo_env_trl.bridges.dataset import ROW, row_of
from grpo_env_trl.tokens.rendering import Renderer


@dataclass
class RawRollout:
    """TRL's `rollout_func` of the other bridges: the first turn of a batch, from the exact tokens of its prompts."""

    player: BatchPlayer
    renderer: Renderer

    def __call__(self, prompts: Sequence[Any], trainer: Any) -> dict[str, Any]:
        """The tokens of the prompts and of what the model wrote; all else stays TRL's."""
        ids = [self._opening(prompt) for prompt in prompts]
        completions, logprobs = trl_facts.generate(trainer, ids, trainer.max_completion_length)
        return {"prompt_ids": ids, "completion_ids": completions, "logprobs": logprobs}

    def _opening(self, prompt: Any) -> list[int]:
        if isinstance(prompt, str):
            return self.renderer.opening(prompt_messages(prompt), prompt)
        last = {key: value for key, value in prompt[-1].items() if key != ROW}
        return self.renderer.opening([*prompt[:-1], last], self.player.row(row_of(prompt))["prompt"])
