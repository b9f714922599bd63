"""Chat messages, converted to one form whether they come from a model, a server or Arrow."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from grpo_env_sdk.data.call_arguments import parse_arguments, read_arguments
from grpo_env_sdk.data.images import with_decoded_images
from grpo_env_sdk.errors import ContractError
from grpo_env_sdk.images.image import are_texts_and_images
from grpo_env_sdk.isolation.values.json_values import OBJECT, short_repr
from grpo_env_sdk.types import Episode, Message, ToolCall, without_none

ROLES = ("system", "developer", "user", "assistant", "tool")
MAX_OBSERVATION_CHARS = 10_000_000
MAX_CALLS = 1000
"""The most calls of one message, unless an episode may make more."""


def prompt_messages(prompt: str | Sequence[Message]) -> list[Message]:
    """A prompt as chat messages; text becomes one user message."""
    if isinstance(prompt, str):
        return [{"role": "user", "content": prompt}]
    return [dict(message) for message in prompt]


def clean_prompt(prompt: Any) -> Any:
    """A chat prompt as the author wrote it, without the keys that Arrow adds with None."""
    if isinstance(prompt, str):
        return prompt
    return [with_decoded_images(without_none(message)) for message in prompt]


def assistant_message(action: Any, turn: int = 0, most_calls: int | None = None) -> Message:
    """An action as an assistant message: text becomes its content; tool calls get ids, and arguments as a dict.

    Of more than `most_calls` it has one more, and the others are left out.
    """
    if isinstance(action, str):
        return {"role": "assistant", "content": sendable(action)}
    if not isinstance(action, OBJECT) or action.get("role") not in (None, "assistant"):
        raise ContractError(
            f"An action must be text or an assistant message, got {short_repr(action)}.",
            'Give {"role": "assistant", "content": ...}.',
        )
    message = {
        key: sendable(value) if isinstance(value, str) else value
        for key, value in action.items()
        if value is not None and key != "tool_calls"
    }
    message["role"] = "assistant"
    message.setdefault("content", "")
    calls = _wire_calls(action.get("tool_calls"), turn, most_calls)
    return {**message, "tool_calls": calls} if calls else message


def tool_calls_of(message: Message) -> list[ToolCall]:
    """The tool calls of a message, whatever form they have there."""
    return calls_of(_wire_calls(message.get("tool_calls")))


def calls_of(calls: Iterable[Mapping[str, Any]]) -> list[ToolCall]:
    """The calls of a message in the form that `assistant_message` gives them."""
    return [ToolCall(call["id"], call["function"]["name"], call["function"]["arguments"]) for call in calls]


def call_message(name: str, /, **arguments: Any) -> Message:
    """An assistant message that calls one tool; for `solve`, scripts and tests."""
    call = {"type": "function", "function": {"name": name, "arguments": arguments}}
    return {"role": "assistant", "content": "", "tool_calls": [call]}


def call_text(call: Mapping[str, Any]) -> str:
    """`search_hotels(city="Lyon", nights=2)`."""
    function = call["function"]
    arguments = function["arguments"]
    if isinstance(arguments, Mapping):
        arguments = ", ".join(f"{key}={json.dumps(value, ensure_ascii=False)}" for key, value in arguments.items())
    return f"{function['name']}({arguments})"


def observation_messages(observation: Any) -> list[Message]:
    """An observation as messages: text becomes a user message, empty text no message."""
    messages = _observed(observation)
    for message in messages:
        if (size := len(content_text(message.get("content")))) > MAX_OBSERVATION_CHARS:
            raise ContractError(
                f"An observation has {size} characters; at most {MAX_OBSERVATION_CHARS} are allowed.", "Show less."
            )
    return messages


def _observed(observation: Any) -> list[Message]:
    if isinstance(observation, str):
        return [{"role": "user", "content": observation}] if observation else []
    if isinstance(observation, Mapping):
        return [dict(observation)]
    shown = list(observation) if isinstance(observation, list | tuple) else [observation]
    if are_texts_and_images(shown):
        return [{"role": "user", "content": [_part(item) for item in shown]}]
    if isinstance(observation, list | tuple) and all(
        isinstance(message, Mapping) and isinstance(message.get("role"), str) for message in observation
    ):
        return [dict(message) for message in observation]
    raise ContractError(
        f"An observation must be text, an image or a list of messages, got {short_repr(observation)}.",
        'Return text, or [{"role": "user", "content": ...}].',
    )


def opening_messages(prompt: Sequence[Message], observation: Any) -> list[Message]:
    """The first messages of an episode: the prompt, then what `reset` returned beyond the prompt."""
    opening = [dict(message) for message in prompt]
    observed = observation_messages(observation)
    if same(observed[: len(opening)], opening):
        return observed
    if not observed or same(observed, opening[-1:]):
        return opening
    last = opening[-1] if opening else {}
    content = last.get("content")
    if not isinstance(observation, str) or last.get("role") != "user" or not isinstance(content, str | list):
        return opening + observed
    # chat templates reject two user messages in a row
    last["content"] = f"{content}\n\n{observation}" if isinstance(content, str) else [*content, _part(observation)]
    return opening


def places_of_turns(messages: Sequence[Message]) -> list[int]:
    """Where the messages of the assistant are."""
    return [place for place, message in enumerate(messages) if message["role"] == "assistant"]


def same(one: Any, other: Any) -> bool:
    """Whether two messages or lists of them are equal; those with arrays are not, as these cannot be compared so."""
    try:
        return bool(one == other)
    except ValueError:
        return False


def raw_text(completion: Sequence[Message]) -> str:
    """All text of the assistant, with `<think>` blocks and tool calls as markup."""
    return "\n".join(_raw_message(message) for message in completion if message.get("role") == "assistant")


class TurnsText(str):
    """The text of several turns of the assistant, and the messages that it joins."""

    messages: Sequence[Message]


def completion_of(episode: Episode) -> str | list[Message]:
    """The completion of an episode as scorers get it: `raw_text` where the prompt is text, else its messages."""
    completion = episode.completion
    if not isinstance(episode.row.get("prompt"), str):
        return completion
    text = raw_text(completion)
    if sum(message.get("role") == "assistant" for message in completion) < 2:
        return text
    turns = TurnsText(text)
    turns.messages = completion
    return turns


def answer_text(completion: str | Message | Sequence[Message]) -> str:
    """The final answer: the assistant's last text without thoughts; empty if it ended with a tool call or a thought.

    One message does too, such as the `action` of a step. Of the text of several turns it is the last one's.
    """
    if isinstance(completion, TurnsText):
        completion = completion.messages
    if isinstance(completion, Mapping):
        completion = [completion]
    if not isinstance(completion, str):
        last = next((message for message in reversed(completion) if message.get("role") == "assistant"), {})
        completion = "" if last.get("tool_calls") else content_text(last.get("content"))
    text = completion.rpartition("</tool_call>")[2]
    thought, closed, after = text.partition("</think>")
    text = (after if closed else thought).strip()
    return "" if text.startswith("<think>") else text


def answer_tag(completion: str | Message | Sequence[Message], tag: str) -> str | None:
    """The text in the last `<tag>` of the final answer, as in `answer_tag(action, "guess")`; None if it has none."""
    name = re.escape(tag)
    found = re.findall(rf"<{name}>((?:(?!</?{name}>).)*)</{name}>", answer_text(completion), re.DOTALL)
    return found[-1].strip() if found else None


def full_text(completion: str | Sequence[Message]) -> str:
    """All text of the assistant; a completion that is text already is returned as it is."""
    return completion if isinstance(completion, str) else raw_text(completion)


def texts_of_turns(completion: str | Sequence[Message]) -> list[str]:
    """The whole text of each turn of the assistant, but for turns that only call tools; plain text is one turn."""
    if isinstance(completion, TurnsText):
        completion = completion.messages
    if isinstance(completion, str):
        return [completion]
    own = [message for message in completion if message.get("role") == "assistant"]
    return [_raw_message(message) for message in own if not message.get("tool_calls") or _said(message)]


def sendable(text: str) -> str:
    """The text as UTF-8 can encode it: half a surrogate pair becomes a question mark."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _part(item: Any) -> dict[str, Any]:
    return {"type": "text", "text": item} if isinstance(item, str) else {"type": "image", "image": item}


def _readable_part(part: Any) -> str:
    if isinstance(part, Mapping) and part.get("type") in ("text", "image", "image_url"):
        return str(part["text"]) if isinstance(part.get("text"), str) else "[image]"
    return json.dumps(part, ensure_ascii=False, default=repr)


def _wire_calls(calls: Any, turn: int = 0, most: int | None = None) -> list[dict[str, Any]]:
    """Tool calls in OpenAI's format, from any value."""
    if calls is None:
        return []
    if isinstance(calls, Mapping | str | int):
        calls = [calls] if calls else []
    listed = calls if isinstance(calls, list | tuple) else [calls]
    return [
        _wire_call(call, f"call_{turn}_{index}")
        for index, call in enumerate(listed[: None if most is None else most + 1])
    ]


def _wire_call(call: Any, call_id: str) -> dict[str, Any]:
    """One tool call in OpenAI's format; an unreadable one keeps its text as arguments."""
    given = call if isinstance(call, OBJECT) else {}
    function = given.get("function")
    function = function if isinstance(function, OBJECT) else given
    name, arguments, given_id = function.get("name"), function.get("arguments"), given.get("id")
    if isinstance(arguments, str):
        arguments = parse_arguments(sendable(arguments))
    elif arguments is not None:
        arguments = _as_object_or_text(arguments)
    else:
        arguments = {} if isinstance(name, str) else short_repr(call)
    return {
        "id": sendable(given_id) if isinstance(given_id, str) and given_id else call_id,
        "type": "function",
        "function": {"name": sendable(name) if isinstance(name, str) else "", "arguments": arguments},
    }


def _as_object_or_text(arguments: Any) -> dict[str, Any] | str:
    """Arguments as a dict, or as text that is not a JSON object, so that the model is sent an error."""
    try:
        return read_arguments(arguments)
    except ValueError:
        pass
    try:
        text = json.dumps(arguments)
    except (TypeError, ValueError, RecursionError):
        return short_repr(arguments)
    return short_repr(arguments) if isinstance(parse_arguments(text), dict) else text


def _raw_message(message: Message) -> str:
    parts = _said(message)
    for call in tool_calls_of(message):
        wire = {"name": call.name, "arguments": call.arguments}
        parts.append(f"<tool_call>\n{json.dumps(wire, ensure_ascii=False)}\n</tool_call>")
    return "\n".join(parts)


def _said(message: Message) -> list[str]:
    """The thoughts and the content of a message, where it has them."""
    thoughts, content = message.get("reasoning_content"), content_text(message.get("content"))
    thought = f"<think>\n{thoughts}\n</think>\n" if isinstance(thoughts, str) and thoughts else ""
    return [part for part in (thought, content) if part]


def readable_text(content: Any) -> str:
    """The content of a message as people read it in a line of text, with `[image]` for each image."""
    if not isinstance(content, list):
        return content if isinstance(content, str) else ""
    return " ".join(_readable_part(part) for part in content)


def content_text(content: Any) -> str:
    """The text of a message's content, which may be a list of parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        texts = [part.get("text") for part in content if isinstance(part, Mapping)]
        return "".join(text for text in texts if isinstance(text, str))
    return ""
