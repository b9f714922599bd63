"""What a vision model reads: a transcript with its images, as tokens and pixels."""

from collections.abc import Iterator, Sequence
from typing import Any

from grpo_env_sdk import Message
from grpo_env_sdk.ext import UsageError, as_image, images_in


def images_of(messages: Sequence[Message]) -> list[Any]:
    """The images in messages, decoded where they are data URLs; one at any other address is an error."""
    found = [as_image(shown) for shown in images_in(messages)]
    if any(image is None for image in found):
        raise UsageError(
            "An image of this environment is only a link, which nothing here loads.",
            "Load it in build_dataset, or ask a server: --model openai:NAME.",
        )
    return found


def conversation(messages: Sequence[Message]) -> list[Message]:
    """The messages as processors take them: parts alone, and images of Pillow."""
    images = iter(images_of(messages))
    return [{**message, "content": _parts(message.get("content"), images)} for message in messages]


def model_inputs(processor: Any, conversations: Sequence[list[Message]], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The tensors of several transcripts, padded on the left, up to where the model begins to write."""
    return dict(
        processor.apply_chat_template(
            list(conversations), tokenize=True, return_dict=True, return_tensors="pt", add_generation_prompt=True,
            processor_kwargs={"padding": True}, **kwargs,
        )
    )  # fmt: skip


def places_and_images(processor: Any, shown: list[Message], kwargs: dict[str, Any]) -> tuple[list[int], list[Any]]:
    """The tokens of a transcript with one for the place of each image, and the images in their order."""
    text = processor.apply_chat_template(shown, tokenize=False, add_generation_prompt=True, **kwargs)
    tokenizer = processor.tokenizer
    begun = bool(tokenizer.bos_token) and text.startswith(tokenizer.bos_token)  # as processors themselves see it
    ids = tokenizer(text, add_special_tokens=not begun)["input_ids"]
    parts = (part for message in shown for part in message["content"])
    return ids, [part["image"] for part in parts if part["type"] == "image"]


def _parts(content: Any, images: Iterator[Any]) -> list[Any]:
    if not isinstance(content, list):
        return [{"type": "text", "text": content or ""}]
    shown = ("image", "image_url")
    return [{"type": "image", "image": next(images)} if part.get("type") in shown else part for part in content]
