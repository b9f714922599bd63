"""A policy that does what an untrained model might: valid calls drawn from the schemas, words from the prompt."""

import random
import re
from collections.abc import Mapping
from typing import Any

from grpo_env_sdk.data.messages import assistant_message
from grpo_env_sdk.policies.policy import Request
from grpo_env_sdk.policies.random_arguments import draw
from grpo_env_sdk.types import Turn

_CALLS = 0.7
"""How often it calls a tool, where there are any."""


class RandomPolicy:
    """Calls random tools with arguments that fit their schemas, or answers words that it was told."""

    name = "random"

    async def respond(self, request: Request) -> Turn:
        """A random message, equal for an equal seed."""
        rng = random.Random(request.seed)
        words = _words(request)
        if request.tools and rng.random() < _CALLS:
            function = rng.choice(list(request.tools))["function"]
            arguments = draw({"type": "object", **(function.get("parameters") or {})}, rng, words)
            call = {"function": {"name": function["name"], "arguments": arguments}}
            return Turn(assistant_message({"tool_calls": [call]}, request.turn), "tool_calls")
        text = " ".join(rng.choice(words) for _ in range(rng.randint(1, 8)))
        return Turn({"role": "assistant", "content": text})


def _words(request: Request) -> list[str]:
    told = " ".join(_text(message.get("content")) for message in request.messages)
    return sorted(set(re.findall(r"\w[\w.'-]*", told))) or ["yes"]


def _text(content: Any) -> str:
    """The text of a content that may be a list of parts, pictures among them."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return " ".join(str(part.get("text", "")) for part in parts if isinstance(part, Mapping))
