"""The completions API of a vLLM server as data: tokens to a request, an answer to sampled tokens; no I/O."""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from grpo_env_sdk.ext import UnusablePolicyError

START = '--logprobs-mode processed_logprobs --weight-transfer-config \'{"backend": "nccl"}\''
"""What a server that trains needs beside its model."""


_ROUNDING = 1e-3
"""A log-probability may be above 0 by so much."""


class Sampled(NamedTuple):
    """One turn: its tokens, the log-probability of each, and how many tokens of its context the server had cached."""

    ids: list[int]
    logprobs: list[float]
    cached: int | None
    """None where the server does not say: `--enable-prompt-tokens-details` lets it."""


class TransientError(Exception):
    """A failure that is worth a retry: what happened, and a word that groups such failures."""

    def __init__(self, message: str, kind: str, retry_after: str | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.retry_after = retry_after


def request_body(model: str, context: Sequence[int], most: int, seed: int, sampling: Mapping[str, Any]) -> bytes:
    """One request for at most `most` tokens after a context, with their ids and log-probabilities."""
    asked = {"model": model, "prompt": list(context), "max_tokens": most, "seed": seed}
    exact = {"n": 1, "logprobs": 0, "return_token_ids": True}
    return json.dumps({**sampling, **asked, **exact}).encode()


def sampled_from(text: str, url: str, context: Sequence[int], most: int) -> Sampled:
    """The sampled tokens in an answer and the log-probability of each; NaN where the server has none for a token."""
    answer = _answer(text, url)
    choice = _choice(answer, text, url)
    if choice.get("finish_reason") in ("abort", "error"):
        raise TransientError(f"{url} gave up a turn ({choice['finish_reason']})", "aborted")
    ids = choice.get("token_ids")
    if not isinstance(ids, list) or not all(type(item) is int and item >= 0 for item in ids):
        raise _unsuitable(f"{url} answers without the ids of the tokens", "It has to be vLLM, 0.22 or later.")
    if choice.get("prompt_token_ids") not in (None, list(context)):
        raise _unsuitable(f"{url} continued another prompt than the one sent", "Is something in between?")
    if not ids or len(ids) > most:
        raise _unsuitable(f"{url} sampled {len(ids)} tokens where 1 to {most} were asked for", "Is it a vLLM server?")
    logprobs = choice.get("logprobs")
    numbers = logprobs.get("token_logprobs") if isinstance(logprobs, Mapping) else None
    if not isinstance(numbers, list) or len(numbers) != len(ids):
        raise _unsuitable(f"{url} answers without the log-probability of every token", f"Start it with {START}.")
    return Sampled(ids, [_logprob(number, url) for number in numbers], _cached(answer))


def _answer(text: str, url: str) -> Mapping[str, Any]:
    try:
        answer = json.loads(text)
    except (ValueError, RecursionError) as exc:
        raise TransientError(f"{url} answered with something that is not JSON: {_short(text)}", "bad_answer") from exc
    return answer if isinstance(answer, Mapping) else {}


def _cached(answer: Mapping[str, Any]) -> int | None:
    """The cached tokens in the usage of an answer, of which nothing else depends on."""
    usage = answer.get("usage")
    details = usage.get("prompt_tokens_details") if isinstance(usage, Mapping) else None
    cached = details.get("cached_tokens") if isinstance(details, Mapping) else None
    return cached if type(cached) is int and cached >= 0 else None


def _choice(answer: Mapping[str, Any], text: str, url: str) -> Mapping[str, Any]:
    choices = answer.get("choices")
    if not isinstance(choices, list) or len(choices) != 1 or not isinstance(choices[0], Mapping):
        raise TransientError(f"{url} answered without a choice: {_short(text)}", "bad_answer")
    return choices[0]


def _logprob(number: Any, url: str) -> float:
    """A number as it stands; vLLM has null or NaN for a token where its own arithmetic failed, and TRL allows that."""
    if number is None:
        return math.nan
    if isinstance(number, bool) or not isinstance(number, int | float) or number > _ROUNDING:
        raise _unsuitable(
            f"{url} answers with {number!r:.40} as the log-probability of a token", f"Start it with {START}."
        )
    return float(number)


def _unsuitable(message: str, hint: str) -> UnusablePolicyError:
    return UnusablePolicyError(f"{message}.", hint, "unsuitable_server")


def _short(text: str) -> str:
    return repr(" ".join(text.split())[:120])
