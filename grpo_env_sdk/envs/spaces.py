"""Gymnasium spaces for text and chat messages."""

from collections.abc import Mapping
from typing import Any

from gymnasium import Space

from grpo_env_sdk.images.image import are_texts_and_images

_WORDS = ("yes", "no", "1", "search", "I think the answer is 7.", "<answer>Lyon</answer>")


class MessageSpace(Space[Any]):
    """Text, an image, a list of both, or a list of chat messages: what an environment may show."""

    def __init__(self, seed: int | None = None) -> None:
        super().__init__(None, None, seed)

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        """A short text."""
        return str(self.np_random.choice(_WORDS))

    def contains(self, x: Any) -> bool:
        """Whether `x` is text, an image, a list of both, or a list of messages with a role each."""
        items = x if isinstance(x, list | tuple) else [x]
        return isinstance(x, str) or are_texts_and_images(items) or (items is x and all(map(_is_message, items)))

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    def __hash__(self) -> int:
        return hash(type(self))

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class ActionSpace(MessageSpace):
    """Text, or an assistant's message: what a policy may answer."""

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        """A short text as an assistant's message."""
        return {"role": "assistant", "content": super().sample()}

    def contains(self, x: Any) -> bool:
        """Whether `x` is text or an assistant's message."""
        return isinstance(x, str) or (_is_message(x) and x["role"] == "assistant")


def _is_message(value: Any) -> bool:
    return isinstance(value, Mapping) and isinstance(value.get("role"), str)
