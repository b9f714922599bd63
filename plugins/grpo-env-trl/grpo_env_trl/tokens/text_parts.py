"""Messages whose content is a list of parts, as templates of language models take them."""

from collections.abc import Sequence
from typing import Any

from grpo_env_sdk import Message
from grpo_env_sdk.ext import content_text


def joined_parts(messages: Sequence[Message]) -> list[Message]:
    """The messages with one text in place of parts that are all text: most templates take no list."""
    return [
        {**message, "content": content_text(message["content"])} if _is_text(message.get("content")) else message
        for message in messages
    ]


def _is_text(content: Any) -> bool:
    return isinstance(content, list) and all(part.get("type") == "text" for part in content)
