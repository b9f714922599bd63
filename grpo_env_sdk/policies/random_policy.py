"""A policy like an untrained model: random valid tool calls, and random words from the prompt."""

import random
import re

from grpo_env_sdk.data.messages import assistant_message, content_text
from grpo_env_sdk.policies.policy import Request
from grpo_env_sdk.policies.random_arguments import draw
from grpo_env_sdk.types import Turn

_CALLS = 0.7
"""How often it calls a tool, if there are any."""


class RandomPolicy:
    """Calls random tools with arguments that are valid by their schemas, or answers with random words of the prompt."""

    name = "random"

    async def respond(self, request: Request) -> Turn:
        """A random message; same seed, same message."""
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
    text = " ".join(content_text(message.get("content")) for message in request.messages)
    return sorted(set(re.findall(r"\w[\w.'-]*", text))) or ["yes"]
