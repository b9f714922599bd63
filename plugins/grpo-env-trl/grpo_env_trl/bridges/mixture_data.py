"""The rows of several environments in one dataset for TRL: prompts as plain messages that name environment and row."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from grpo_env_sdk.ext import Rows, prompt_messages, readable_text
from grpo_env_trl.bridges.dataset import ROW, prompts_of

if TYPE_CHECKING:
    from datasets import Dataset

ENV = "grpo_env_id"
"""The column that names a row's environment, and the key of a prompt's last message that does."""
HELD_BACK = ("prompt", "completion", "prompt_ids", "completion_ids", "env_mask", "logprobs", "episode")
"""Columns that are no extra column: TRL's own, and ours."""


def mixture_dataset(parts: Mapping[str, Rows]) -> "Dataset":
    """The rows of each environment, one environment after another; columns that differ are looked up later."""
    from datasets import Dataset

    prompts: list[Any] = []
    names: list[str] = []
    indices: list[int] = []
    for name, rows in parts.items():
        for prompt, index in zip(prompts_of(rows), rows.indices, strict=True):
            prompts.append(_plain(prompt, name, index))
        names += [name] * len(rows)
        indices += rows.indices
    return Dataset.from_dict({"prompt": prompts, ENV: names, ROW: indices})


def env_and_row_of(prompt: Sequence[Mapping[str, Any]]) -> tuple[str, int]:
    """Which row of which environment a prompt is, as its last message says."""
    return str(prompt[-1][ENV]), int(prompt[-1][ROW])


def columns_of(parts: Sequence[Rows]) -> list[str]:
    """The columns that some environment has."""
    found = dict.fromkeys(name for rows in parts for name in rows.columns)
    return [name for name in found if name not in HELD_BACK]


def _plain(prompt: Any, name: str, index: int) -> list[dict[str, Any]]:
    """The messages of a prompt with roles and text alone, which are of one type in every environment."""
    messages = [
        {"role": message["role"], "content": readable_text(message.get("content"))}
        for message in prompt_messages(prompt)
    ]
    messages[-1] |= {ENV: name, ROW: index}
    return messages
