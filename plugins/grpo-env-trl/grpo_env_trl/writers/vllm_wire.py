"""The completions API of a vLLM server as data: tokens to a request, an answer to sampled tokens; no I/O."""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from grpo_env_sdk.ext import UnusablePolicyError

START = '--logprobs-mode processed_logprobs --weight-transfer-config \'{"backend": "nccl"}\''
"""What a server that trains needs beside its model."""


_ROUNDING = 1e-3
"""A log-probability may be above 0 by so much."""


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
    return json.dumps({**asked, **sampling, **exact}).encode()


def sampled_from(text: str, url: str, context: Sequence[int], most: int) -> tuple[list[int], list[float]]:
    """The sampled tokens in an answer and the log-probability of each; NaN where the server has none for a token."""
    choice = _choice(text, url)
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
    return ids, [_logprob(number, url) for number in numbers]


def _choice(text: str, url: str) -> Mapping[str, Any]:
    try:
        answer = json.loads(text)
    except (ValueError, RecursionError) as exc:
        raise TransientError(f"{url} answered with something that is not JSON: {_short(text)}", "bad_answer") from exc
    choices = answer.get("choices") if isinstance(answer, Mapping) else None
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
