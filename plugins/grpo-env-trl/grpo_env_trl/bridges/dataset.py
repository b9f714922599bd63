"""Rows as TRL takes them: the author's columns, and which row each prompt is."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from grpo_env_sdk import Message
from grpo_env_sdk.ext import (
    IMAGE_COLUMNS,
    DatasetError,
    LoadedEnv,
    Rows,
    Split,
    UsageError,
    clean_prompt,
    images_in,
    prompt_messages,
    row_messages,
)
from grpo_env_trl.tokens.text_parts import joined_parts
from grpo_env_trl.tokens.vision import images_of

if TYPE_CHECKING:
    from datasets import Dataset

ROW = "grpo_env_row"
"""The column that holds a row's index, and the key of a prompt's last message that does."""
_ARGUMENTS = ("prompts", "completions")
"""What TRL gives every reward function itself: a column of that name would be given twice."""
_LOOKED_AT = 8


def training_dataset(rows: Rows, chat: bool, mark_prompts: bool) -> "Dataset":
    """The rows with every column that TRL can hand on; for a chat model a text prompt becomes one user message.

    Images are in the column `image` or `images` alone, as TRL reads them, and messages only keep their places.
    """
    from datasets import Dataset, concatenate_datasets

    prompts, shown = prompts_of(rows), None
    in_columns = any("Image(" in str(rows.dataset.features.get(name)) for name in IMAGE_COLUMNS)
    if not in_columns and not shows_images(rows):
        prompts = [prompt if isinstance(prompt, str) else joined_parts(prompt) for prompt in prompts]
    elif not in_columns:
        opened = [row_messages(row) for row in rows]
        prompts, shown = [_places_only(messages) for messages in opened], [images_of(messages) for messages in opened]
    marked = [_prompt(prompt, index, chat, mark_prompts) for prompt, index in zip(prompts, rows.indices, strict=True)]
    chosen = rows.dataset.select([index - rows.offset for index in rows.indices])
    others = [name for name in IMAGE_COLUMNS if "Image(" not in str(chosen.features.get(name, "Image("))]
    chosen = chosen.remove_columns([name for name in (ROW, *_ARGUMENTS, *others) if name in chosen.column_names])
    made = chosen.add_column(ROW, list(rows.indices)).remove_columns("prompt").add_column("prompt", marked)
    return made if shown is None else concatenate_datasets([made, Dataset.from_dict({"images": shown})], axis=1)


def training_split(loaded: LoadedEnv, eval_rows: int | None) -> Split:
    """Which rows are trained on: all where none is to be evaluated, unless the environment splits its rows itself."""
    return "all" if eval_rows == 0 and not loaded.splits_itself else "train"


def training_rows(loaded: LoadedEnv, eval_rows: int | None, chosen: int | Sequence[int] | None) -> Rows:
    """The rows to train on: all, the first so many, or those of a list of indices."""
    rows = loaded.rows(training_split(loaded, eval_rows))
    if chosen is None or isinstance(chosen, int):
        found: Rows = rows[:chosen]
        return found
    try:
        return rows.only(chosen)
    except UsageError as exc:
        raise UsageError(exc.message, "They are not trained on: take them out of `rows`.") from exc


def check_list_of_one(chosen: int | Sequence[int] | None, envs: int) -> None:
    """Raise for a list of rows where there are several environments."""
    if envs > 1 and chosen is not None and not isinstance(chosen, int):
        what = f"A list of rows is one of a single environment, and {envs} are trained on."
        raise UsageError(what, "Give a number of rows, the same for each.")


def prompts_of(rows: Rows) -> list[Any]:
    """The prompts as the author gave them."""
    written = rows.dataset["prompt"]
    return [clean_prompt(written[index - rows.offset]) for index in rows.indices]


def row_of(prompt: Sequence[Mapping[str, Any]]) -> int:
    """Which row a prompt is, as its last message says."""
    return int(prompt[-1][ROW])


def shows_images(rows: Rows) -> bool:
    """Whether the first rows show images, in a column or in messages."""
    return any(images_in(row_messages(row)) for row in rows[:_LOOKED_AT])


def _places_only(messages: Sequence[Message]) -> list[Message]:
    """The messages with a place where an image is."""
    return [
        {**message, "content": [_place(part) for part in message["content"]]}
        if isinstance(message.get("content"), list)
        else message
        for message in messages
    ]


def _place(part: Any) -> Any:
    return {"type": "image"} if part.get("type") in ("image", "image_url") else part


def _prompt(prompt: str | list[Message], index: int, chat: bool, mark: bool) -> str | list[Message]:
    if not chat:
        return prompt
    messages = prompt_messages(prompt)
    if mark:
        messages[-1][ROW] = index
    return messages


def held_out_rows(loaded: LoadedEnv, split: Split) -> Rows:
    """The rows of the split to evaluate; where they cannot be built, the error says how to do without."""
    try:
        return loaded.rows(split)
    except DatasetError as exc:
        raise DatasetError(exc.message, f"{exc.hint} --eval-rows 0 (eval_rows=0) evaluates none.") from exc
