"""How an episode of a row opens: its prompt with its images, and what `reset` adds."""

from typing import Any

from grpo_env_sdk.data.images import column_images, with_images
from grpo_env_sdk.data.messages import observation_messages, opening_messages, prompt_messages, same
from grpo_env_sdk.types import Message, Row


def row_messages(row: Row) -> list[Message]:
    """A row's prompt as chat messages, with the images of its columns in place."""
    return with_images(prompt_messages(row["prompt"]), column_images(row))


def row_opening(row: Row, observation: Any) -> list[Message]:
    """The first messages of an episode: the row's prompt with its images, then what `reset` returned beyond it."""
    bare = prompt_messages(row["prompt"])
    shown = with_images(bare, column_images(row))
    if bare != shown:
        observed = observation_messages(observation)
        if same(observed[: len(bare)], bare):  # a `reset` that wrote the prompt by itself
            return shown + observed[len(bare) :]
    return opening_messages(shown, observation)
