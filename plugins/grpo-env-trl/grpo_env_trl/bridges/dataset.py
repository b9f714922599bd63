"""Rows as TRL takes them: the author's columns, and which row each prompt is."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from grpo_env_sdk import Message
from grpo_env_sdk.ext import LoadedEnv, Rows, Split, clean_prompt, prompt_messages

if TYPE_CHECKING:
    from datasets import Dataset

ROW = "grpo_env_row"
"""The column that holds a row's index, and the key of a prompt's last message that does."""


def training_dataset(rows: Rows, chat: bool, mark_prompts: bool) -> "Dataset":
    """The rows with every column; for a chat model a text prompt becomes one user message."""
    written = zip(prompts_of(rows), rows.indices, strict=True)
    prompts = [_prompt(prompt, index, chat, mark_prompts) for prompt, index in written]
    chosen = rows.dataset.select([index - rows.offset for index in rows.indices])
    if ROW in chosen.column_names:
        chosen = chosen.remove_columns(ROW)
    return chosen.add_column(ROW, list(rows.indices)).remove_columns("prompt").add_column("prompt", prompts)


def training_split(loaded: LoadedEnv, eval_rows: int | None) -> Split:
    """Which rows are trained on: all where none is to be evaluated, unless the environment splits its rows itself."""
    return "all" if eval_rows == 0 and not loaded.splits_itself else "train"


def prompts_of(rows: Rows) -> list[Any]:
    """The prompts as the author gave them."""
    written = rows.dataset["prompt"]
    return [clean_prompt(written[index - rows.offset]) for index in rows.indices]


def row_of(prompt: Sequence[Mapping[str, Any]]) -> int:
    """Which row a prompt is, as its last message says."""
    return int(prompt[-1][ROW])


def shows_images(rows: Rows) -> bool:
    """Whether rows have images, in a column or in messages."""
    if {"image", "images"} & set(rows.columns):
        return True
    prompt = rows[0]["prompt"]
    contents = [] if isinstance(prompt, str) else [message.get("content") for message in prompt]
    parts = [part for content in contents if isinstance(content, list) for part in content]
    return any(isinstance(part, Mapping) and part.get("type") == "image" for part in parts)


def _prompt(prompt: str | list[Message], index: int, chat: bool, mark: bool) -> str | list[Message]:
    if not chat:
        return prompt
    messages = prompt_messages(prompt)
    if mark:
        messages[-1][ROW] = index
    return messages
