"""A user where the class names a model and nobody is to be asked, as in `grpo-env test`."""

from typing import Any

from grpo_env_sdk.data.messages import content_text
from grpo_env_sdk.policies.policy import Request
from grpo_env_sdk.types import Message, Turn

GO_ON = "Yes, please go on."


def stand_in_answer(message: Message) -> str | None:
    """What the stand-in says to a message: the same to every text, and nothing more to an empty one."""
    said = message["role"] != "assistant" or content_text(message.get("content")).strip()
    return GO_ON if said else None


class StandInUser:
    """A user who agrees to everything until the assistant has nothing more to say."""

    name = "stand-in"

    async def respond(self, request: Request) -> Turn:
        """The answer to the last message."""
        heard: dict[str, Any] = {"role": "assistant", "content": request.messages[-1]["content"]}
        return Turn({"role": "assistant", "content": stand_in_answer(heard) or request.memory["end"]})
