"""The images of a row in its prompt: as parts of messages, or in the columns `image` and `images`."""

from collections.abc import Mapping, Sequence
from typing import Any

from grpo_env_sdk.errors import ContractError
from grpo_env_sdk.images.image import as_image
from grpo_env_sdk.types import Message

IMAGE_COLUMNS = ("images", "image")
"""Columns whose images belong to the prompt; the first one counts, as for TRL."""
_FILES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp")


def with_decoded_images(message: Message) -> Message:
    """A message whose image parts hold images, where Arrow made bytes of them."""
    content = message.get("content")
    if not isinstance(content, list):
        return message
    return {**message, "content": [_decoded(part) for part in content]}


def with_parts(prompts: list[Any]) -> list[Any]:
    """The prompts with every content as parts, where any has parts: a column of Arrow has one type."""
    messages = [message for prompt in prompts if isinstance(prompt, list | tuple) for message in prompt]
    contents = [message.get("content") for message in messages if isinstance(message, Mapping)]
    if not {str, list} <= {type(content) for content in contents}:
        return prompts
    return [[_in_parts(message) for message in prompt] if isinstance(prompt, list) else prompt for prompt in prompts]


def images_in(messages: Sequence[Message]) -> list[Any]:
    """The image parts of messages, in order: each an image of Pillow, or the URL of one."""
    parts = [part for message in messages for part in _parts(message)]
    return [_shown(part) for part in parts if part.get("type") in ("image", "image_url")]


def column_images(row: Mapping[str, Any]) -> list[Any]:
    """The images in the columns of a row; a column with anything else, such as a name, has none."""
    for name in IMAGE_COLUMNS:
        value = row.get(name)
        listed = [value] if name == "image" else value if isinstance(value, list | tuple) else []
        found = [as_image(item) for item in listed if item is not None]
        if found and all(item is not None for item in found):
            return found
        if any(isinstance(item, str) and item.lower().endswith(_FILES) for item in listed):
            raise ContractError(
                f"The column {name!r} has the path {listed[0]!r:.80}, and no image.",
                f"Load them: dataset.cast_column({name!r}, datasets.Image()), or PIL.Image.open(PATH).",
            )
    return []


def with_images(messages: Sequence[Message], images: Sequence[Any]) -> list[Message]:
    """The messages with images in the places that `{"type": "image"}` keeps, else before the first question.

    TRL does the same in training, so that a model sees the same prompt there and in an evaluation.
    """
    left, filled = list(images), []
    for message in messages:
        if left and message.get("role") == "user" and isinstance(message.get("content"), str):
            shown, left = left, []
            text = {"type": "text", "text": message["content"]}
            message = {**message, "content": [*({"type": "image", "image": image} for image in shown), text]}
        elif isinstance(message.get("content"), list):
            message = {**message, "content": [_filled(part, left, len(images)) for part in message["content"]]}
        filled.append(message)
    if left:
        raise ContractError(
            f"The row has {len(images)} images in its columns, and places for {len(images) - len(left)}.",
            'Write {"type": "image"} in the prompt where each belongs, or make the prompt text.',
        )
    return filled


def _filled(part: Any, left: list[Any], given: int) -> Any:
    if not (isinstance(part, Mapping) and part.get("type") == "image" and part.get("image") is None):
        return part
    if "url" in part:  # as transformers writes it
        return {"type": "image_url", "image_url": {"url": part["url"]}}
    if not left:
        raise ContractError(
            f'The prompt has a place {{"type": "image"}} without an image: the row has {given} in its columns.',
            "Add a column `images`, or write the image into the part.",
        )
    return {**part, "image": left.pop(0)}


def _in_parts(message: Any) -> Any:
    if not isinstance(message, Mapping) or not isinstance(message.get("content"), str):
        return message
    return {**message, "content": [{"type": "text", "text": message["content"]}]}


def _decoded(part: Any) -> Any:
    if not (isinstance(part, Mapping) and part.get("type") == "image" and part.get("image") is not None):
        return part
    image = as_image(part["image"])
    if image is None:
        raise ContractError(f"An image part holds {part['image']!r:.80}.", "Give an image of Pillow, or an image_url.")
    return {**part, "image": image}


def _parts(message: Message) -> list[Mapping[str, Any]]:
    content = message.get("content")
    return [part for part in content if isinstance(part, Mapping)] if isinstance(content, list) else []


def _shown(part: Mapping[str, Any]) -> Any:
    url = part.get("image_url")
    return part.get("image") if url is None else url.get("url") if isinstance(url, Mapping) else url
