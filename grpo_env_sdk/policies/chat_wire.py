"""The chat completions protocol: a request as bytes, an answer as a turn; nothing of sockets."""

import json
from collections.abc import Mapping
from typing import Any

from grpo_env_sdk.messages import assistant_message
from grpo_env_sdk.policies.policy import PolicyError, Request
from grpo_env_sdk.types import Message, Turn

_OVERFLOW = ("context_length_exceeded", "maximum context length", "context length", "too many tokens")


def request_body(model: str, request: Request) -> bytes:
    """The JSON of one request; what is None stays with the server."""
    sampling = request.sampling
    body: dict[str, Any] = {"model": model, "messages": [_wire(message) for message in request.messages]}
    if request.tools:
        body["tools"] = [{"type": "function", "function": _offered(tool)} for tool in request.tools]
    settings = {
        "temperature": sampling.temperature, "top_p": sampling.top_p, "max_tokens": sampling.max_tokens,
        "seed": request.seed, "logprobs": sampling.logprobs or None,
    }  # fmt: skip
    body |= {key: value for key, value in settings.items() if value is not None}
    return json.dumps(body | sampling.extra, ensure_ascii=False).encode("utf-8", "replace")


def turn_from(answer: Any, turn: int) -> Turn:
    """The turn in a server's answer, or a `PolicyError` that says what is wrong with it."""
    choices = answer.get("choices") if isinstance(answer, Mapping) else None
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], Mapping):
        raise PolicyError(f"The server answered without a choice: {_short(answer)}", kind="empty_choice")
    choice = choices[0]
    finish = choice.get("finish_reason") or "stop"
    if finish == "content_filter":
        raise PolicyError("The server's content filter withheld the answer.", kind="content_filter")
    said = choice.get("message")
    if not isinstance(said, Mapping):
        raise PolicyError(f"The server answered without a message: {_short(choice)}", kind="empty_choice")
    usage = answer.get("usage")
    usage = usage if isinstance(usage, Mapping) else {}
    return Turn(
        _message(said, turn),
        str(finish),
        _count(usage.get("prompt_tokens")),
        _count(usage.get("completion_tokens")),
        _token_ids(choice),
        _logprobs(choice),
    )


def is_overflow(status: int, text: str) -> bool:
    """Whether an error says that the transcript no longer fits the model's context."""
    return status in (400, 413, 422) and any(mark in text.lower() for mark in _OVERFLOW)


def error_text(body: str) -> str:
    """What an error's body says, from OpenAI's form or as it stands, on one line."""
    try:
        told = json.loads(body)
    except ValueError:
        told = body
    if isinstance(told, Mapping):
        inner = told.get("error", told.get("detail", told))
        told = inner.get("message", inner) if isinstance(inner, Mapping) else inner
    return " ".join(str(told).split())[:300]


def _offered(tool: Mapping[str, Any]) -> dict[str, Any]:
    """A tool's function without what only templates read: strict servers refuse unknown keys."""
    return {key: value for key, value in tool["function"].items() if key != "return"}


def _wire(message: Message) -> dict[str, Any]:
    kept: dict[str, Any] = {key: message[key] for key in ("role", "content", "tool_call_id") if key in message}
    if message.get("tool_calls"):
        kept["tool_calls"] = [_wire_call(call) for call in message["tool_calls"]]
    return kept


def _wire_call(call: Mapping[str, Any]) -> dict[str, Any]:
    """A call with its arguments as JSON text; templates parse it, so what was no JSON is wrapped."""
    function = call["function"]
    arguments = function["arguments"]
    value = arguments if isinstance(arguments, Mapping) else {"unreadable": arguments}
    text = json.dumps(value, ensure_ascii=False)
    return {"id": call.get("id", "call"), "type": "function", "function": {"name": function["name"], "arguments": text}}


def _message(said: Mapping[str, Any], turn: int) -> Message:
    content = said.get("content")
    if isinstance(content, list):
        content = "".join(str(part.get("text", "")) for part in content if isinstance(part, Mapping))
    message: Message = {"role": "assistant", "content": content or said.get("refusal") or ""}
    thoughts = said.get("reasoning_content") or said.get("reasoning")
    if isinstance(thoughts, str):
        message["reasoning_content"] = thoughts
    if said.get("tool_calls"):
        message["tool_calls"] = said["tool_calls"]
    return assistant_message(message, turn)


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) else None


def _token_ids(choice: Mapping[str, Any]) -> list[int] | None:
    ids = choice.get("token_ids")
    return ids if isinstance(ids, list) and all(isinstance(item, int) for item in ids) else None


def _logprobs(choice: Mapping[str, Any]) -> list[float] | None:
    told = choice.get("logprobs")
    tokens = told.get("content") if isinstance(told, Mapping) else None
    if not isinstance(tokens, list):
        return None
    return [float(token["logprob"]) for token in tokens if isinstance(token, Mapping) and "logprob" in token]


def _short(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=repr)[:200]
