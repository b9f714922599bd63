"""Messages that a chat template leaves out without an error, such as those of a role that it does not know."""

from collections.abc import Sequence

from grpo_env_sdk import Message
from grpo_env_sdk.ext import content_text, prompt_messages
from grpo_env_trl.tokens.rendering import Renderer

MOST_SHOWN = 60


class DroppedMessages:
    """Finds them in prompts, trying each order of roles once."""

    def __init__(self, renderer: Renderer) -> None:
        self._renderer = renderer
        self._places: dict[tuple[str, ...], list[int]] = {}

    def first_in(self, prompt: object) -> Message | None:
        """The first message of a prompt whose text the model would not read; None where it reads all of them."""
        if not isinstance(prompt, list):
            return None
        messages = prompt_messages(prompt)
        said = [message for message in messages if _text_of(message)]
        places = self._places_in(messages, tuple(message["role"] for message in said))
        read = self._rendered(messages) if places else ""
        return next((said[place] for place in places if _text_of(said[place]) not in read), None)

    def _places_in(self, messages: Sequence[Message], roles: tuple[str, ...]) -> list[int]:
        if roles not in self._places:
            read = self._rendered(_marked(messages))
            self._places[roles] = [place for place in range(len(roles)) if read and _mark(place) not in read]
        return self._places[roles]

    def _rendered(self, messages: Sequence[Message]) -> str:
        """The text that a model reads; nothing where the template refuses the messages."""
        try:
            return self._renderer.opening_text(messages)
        except Exception:  # of the template, which is code of the model's author
            return ""


def dropped_message_problem(message: Message) -> tuple[str, str]:
    """What is wrong with a message that is left out, and what to do about it."""
    role, text = str(message["role"]), " ".join(_text_of(message).split())
    hint = f"Rename the role {role!r} to 'system' in build_dataset, or use another model."
    if role == "system":
        hint = "Put its text into the first message of the user, or use another model."
    elif role in ("user", "assistant", "tool"):
        hint = "Use another model, or give the tokenizer a chat template that renders it."
    shown = text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}..."
    return f"The chat template drops messages of role {role!r}: the model never reads {shown!r}.", hint


def _marked(messages: Sequence[Message]) -> list[Message]:
    """The messages, each text of them ending with a mark of its own."""
    marked, place = [], 0
    for message in messages:
        if text := _text_of(message):
            message = {**message, "content": f"{text} {_mark(place)}"}
            place += 1
        marked.append(message)
    return marked


def _mark(place: int) -> str:
    return f"mark{place}of7c1e"


def _text_of(message: Message) -> str:
    return content_text(message.get("content")).strip()
