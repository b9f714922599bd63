"""The chat completions API as data: a request to bytes, a response to a turn; no I/O."""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from grpo_env_sdk.data.messages import content_text, sendable
from grpo_env_sdk.data.own_copy import own_copy
from grpo_env_sdk.images.image import data_url, is_image, png_of
from grpo_env_sdk.isolation.values.json_values import OBJECT
from grpo_env_sdk.policies.policy import PolicyError, Request
from grpo_env_sdk.types import Message, Turn

_OVERFLOW = (
    "context_length_exceeded", "context length", "context size", "maximum model length", "prompt is too long",
    "too many tokens", "`inputs` tokens", "exceeds the maximum number of tokens",
)  # fmt: skip
"""Texts in the errors of OpenAI, vLLM, SGLang, llama.cpp and others for a transcript that is too long."""
_MOST_TOKENS = 2**32
"""More than that is no number of tokens of one answer, and a run could not keep the sum."""
_MEMORY = "openai_wire"
"""The place in the memory of an episode."""
_as_json = json.JSONEncoder(ensure_ascii=False).encode
"""As `json.dumps`, which would create an encoder for each call."""


class _Written:
    """What an episode has sent, as JSON: a transcript grows, so most of each request was written for the one before."""

    def __init__(self) -> None:
        self._sent: list[Message] = []
        self._text = ""
        self._tools: tuple[Any, str] = ((), "")

    def messages(self, messages: list[Message]) -> str:
        """The messages, of which only those are written that are new; all of them where one has changed."""
        count = len(self._sent)
        if messages[:count] != self._sent:
            self._sent, self._text, count = [], "", 0
        if new := messages[count:]:
            text = _as_json([wire_message(message) for message in new])[1:-1]
            self._text = f"{self._text}, {text}" if count else text
            self._sent += own_copy(new)
        return f"[{self._text}]"

    def tools(self, tools: Sequence[Mapping[str, Any]]) -> str:
        """The schemas of the tools, which stay as they are."""
        if self._tools[0] is not tools:
            self._tools = (tools, _as_json([wire_tool(tool) for tool in tools]))
        return self._tools[1]


def request_body(model: str, request: Request) -> bytes:
    """The JSON of one request; settings that are None, also in `extra`, are left to the server."""
    sampling = request.sampling
    settings = {
        "temperature": sampling.temperature, "top_p": sampling.top_p, "max_tokens": sampling.max_tokens,
        "seed": request.seed, "logprobs": sampling.logprobs or None,
    }  # fmt: skip
    asked = {key: value for key, value in (settings | sampling.extra).items() if value is not None}
    written = request.memory.setdefault(_MEMORY, _Written())
    texts = {"messages": written.messages(request.messages)}
    if request.tools:
        texts["tools"] = written.tools(request.tools)
    beside = "".join([f', "{key}": {text}' for key, text in texts.items() if key not in asked])
    return f"{_as_json({'model': model, **asked})[:-1]}{beside}}}".encode("utf-8", "replace")


def wire_tool(tool: Mapping[str, Any]) -> dict[str, Any]:
    """A tool's schema without `return`, which only templates read: strict servers reject unknown keys."""
    function = {key: value for key, value in tool["function"].items() if key != "return"}
    return {"type": "function", "function": function}


def wire_message(message: Message) -> dict[str, Any]:
    """A message with the keys that the API knows, images as data URLs and the arguments of calls as JSON text."""
    kept: dict[str, Any] = {key: message[key] for key in ("role", "content", "tool_call_id") if key in message}
    if isinstance(kept.get("content"), list):
        kept["content"] = [_wire_part(part) for part in kept["content"]]
    if message.get("tool_calls"):
        kept["tool_calls"] = [_wire_call(call) for call in message["tool_calls"]]
    return kept


def turn_from(answer: Any) -> Turn:
    """The turn in a server's response, or a `PolicyError` that says what is missing."""
    choices = answer.get("choices") if isinstance(answer, OBJECT) else None
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], OBJECT):
        raise PolicyError("answered without a choice", kind="empty_choice")
    choice = choices[0]
    finish = choice.get("finish_reason") or "stop"
    if finish == "content_filter":
        taken = {name: count for name, count in _usage(answer).items() if count is not None}
        raise PolicyError("withheld the answer by its content filter", kind="content_filter", usage=taken)
    message = choice.get("message")
    if not isinstance(message, OBJECT):
        raise PolicyError("answered without a message", kind="empty_choice")
    prompt, completion = _usage(answer).values()
    ids = _token_ids(choice)
    return Turn(_message(message), str(finish), prompt, completion, ids, _logprobs(choice, ids))


def is_overflow(status: int, text: str) -> bool:
    """Whether an error says that the transcript does not fit the model's context."""
    return status in (400, 413, 422) and any(mark in text.lower() for mark in _OVERFLOW)


def error_text(body: str) -> str:
    """The message in an error's body, in OpenAI's format or any other, on one line."""
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        message = body
    for key in ("error", "detail", "message"):
        message = (message.get(key) or message) if isinstance(message, Mapping) else message
    return " ".join(str(message).split())


def _wire_part(part: Any) -> Any:
    """A part of a content; an image goes along as a data URL."""
    if isinstance(part, Mapping) and is_image(part.get("image")):
        return {"type": "image_url", "image_url": {"url": data_url(png_of(part["image"]))}}
    return part


def _wire_call(call: Mapping[str, Any]) -> dict[str, Any]:
    """A call with its arguments as JSON text; templates parse it, so text that is not JSON is wrapped."""
    function = call["function"]
    arguments = function["arguments"]
    value = arguments if isinstance(arguments, OBJECT) else {"unreadable": arguments}
    text = _as_json(value)
    return {"id": call.get("id", "call"), "type": "function", "function": {"name": function["name"], "arguments": text}}


def _message(given: Mapping[str, Any]) -> Message:
    """The message with its texts; the episode brings tool calls into their form, whoever made them."""
    content = given.get("content") or given.get("refusal") or ""
    if isinstance(content, list):
        content = content_text(content)
    if not isinstance(content, str):
        raise PolicyError("answered with content that is not text", kind="bad_answer")
    message: Message = {"role": "assistant", "content": sendable(content)}
    thoughts = given.get("reasoning_content") or given.get("reasoning")
    if isinstance(thoughts, str):
        message["reasoning_content"] = sendable(thoughts)
    if given.get("tool_calls"):
        message["tool_calls"] = given["tool_calls"]
    return message


def _usage(answer: Mapping[str, Any]) -> dict[str, int | None]:
    found = answer.get("usage")
    counts = found if isinstance(found, OBJECT) else {}
    return {name: _count(counts.get(name)) for name in ("prompt_tokens", "completion_tokens")}


def _count(value: Any) -> int | None:
    return value if type(value) is int and 0 <= value <= _MOST_TOKENS else None


def _token_ids(choice: Mapping[str, Any]) -> list[int] | None:
    ids = choice.get("token_ids")
    return ids if isinstance(ids, list) and all(map(_is_token_id, ids)) else None


def _is_token_id(value: Any) -> bool:
    return type(value) is int and 0 <= value < 2**63


def _logprobs(choice: Mapping[str, Any], ids: list[int] | None) -> list[float] | None:
    """One for each token, or None if any is missing."""
    logprobs = choice.get("logprobs")
    tokens = logprobs.get("content") if isinstance(logprobs, Mapping) else None
    if not isinstance(tokens, list):
        return None
    values = [_logprob(token.get("logprob")) for token in tokens if isinstance(token, Mapping)]
    finite = [value for value in values if value is not None]
    return finite if len(finite) == len(tokens if ids is None else ids) == len(tokens) else None


def _logprob(value: Any) -> float | None:
    """A finite number of any kind that a float holds."""
    if type(value) is int:
        return float(value) if abs(value) < 2**53 else None
    return value if type(value) is float and math.isfinite(value) else None
