"""Any server that speaks the chat completions protocol, over one pooled session."""

import asyncio
import json
import os
import random

import aiohttp

from grpo_env_sdk.policies.chat_wire import error_text, is_overflow, request_body, turn_from
from grpo_env_sdk.policies.policy import PolicyError, Request, UnusablePolicyError
from grpo_env_sdk.policies.retrying import RETRIED, AdaptiveGate, RetryBudget, wait_seconds
from grpo_env_sdk.types import Turn

KEY_VARIABLE = "OPENAI_API_KEY"
URL_VARIABLE = "OPENAI_BASE_URL"
DEFAULT_URL = "https://api.openai.com/v1"
MAX_ANSWER_BYTES = 32 * 2**20
_REFUSED_FOR_ALL = {401: "Is the key right?", 403: "May this key use this model?", 404: "Are model and URL right?"}


class _Transient(Exception):
    """A failure that may pass: what it was, and how long the server asked to wait."""

    def __init__(self, error: PolicyError, retry_after: str | None = None) -> None:
        super().__init__(str(error))
        self.error = error
        self.retry_after = retry_after


class OpenAIPolicy:
    """A model behind HTTP; the key comes from the environment variable alone, and never reaches a message."""

    def __init__(self, model: str, base_url: str | None = None, *, concurrency: int = 64, attempts: int = 6) -> None:
        self.name = f"openai:{model}"
        self.model = model
        self.url = (base_url or os.environ.get(URL_VARIABLE) or DEFAULT_URL).rstrip("/") + "/chat/completions"
        self._key = os.environ.get(KEY_VARIABLE, "")
        self._attempts = attempts
        self._budget = RetryBudget()
        self._gate = AdaptiveGate(concurrency)
        self._rng = random.Random()
        self._session: aiohttp.ClientSession | None = None
        self._worked = False

    async def respond(self, request: Request) -> Turn:
        """The model's turn; failures that may pass are tried again, within the budget of the run."""
        body = request_body(self.model, request)
        for attempt in range(self._attempts):
            try:
                async with self._gate.through():
                    turn = await self._ask(body, request.turn)
            except _Transient as exc:
                if attempt + 1 == self._attempts or not self._budget.take():
                    raise self._final(exc.error) from exc
                await asyncio.sleep(wait_seconds(attempt, exc.retry_after, self._rng))
            else:
                self._worked = True
                self._budget.succeeded()
                self._gate.succeeded()
                return turn
        raise AssertionError("the last attempt returns or raises")

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def _ask(self, body: bytes, turn: int) -> Turn:
        try:
            async with self._connected().post(self.url, data=body) as response:
                text = await self._read(response)
                if response.status != 200:
                    return self._refused(response, text)
        except (aiohttp.ClientError, ConnectionError, asyncio.IncompleteReadError) as exc:
            reason = self._without_key(str(exc)) or type(exc).__name__
            raise _Transient(PolicyError(f"No answer from {self.url}: {reason}", kind="connection")) from exc
        try:
            return turn_from(json.loads(text), turn)
        except (ValueError, RecursionError) as exc:
            shown = self._without_key(" ".join(text.split())[:120])
            error = PolicyError(f"{self.url} answered with what is no JSON: {shown!r}", kind="bad_answer")
            raise _Transient(error) from exc
        except PolicyError as exc:
            if exc.kind == "empty_choice":
                raise _Transient(exc) from exc
            raise

    def _refused(self, response: aiohttp.ClientResponse, text: str) -> Turn:
        """What an answer other than 200 means: too long a transcript is a turn, the rest raises."""
        status = response.status
        if is_overflow(status, text):
            return Turn({"role": "assistant", "content": ""}, "length")
        told = f"{self.url} answered {status}: {self._without_key(error_text(text)) or response.reason}"
        if status in RETRIED:
            if status == 429:
                self._gate.refused()
            raise _Transient(PolicyError(told, kind=f"http_{status}"), response.headers.get("Retry-After"))
        error = PolicyError(told, _REFUSED_FOR_ALL.get(status, ""), kind=f"http_{status}")
        if status in _REFUSED_FOR_ALL:
            raise UnusablePolicyError(error.message, error.hint, error.kind)
        raise self._final(error)

    def _final(self, error: PolicyError) -> PolicyError:
        """The error itself, or one that ends the run where this server has never answered yet."""
        if self._worked or error.kind == "empty_choice":
            return error
        hint = error.hint or "Is a server running there? --base-url names another."
        return UnusablePolicyError(error.message, hint, error.kind)

    async def _read(self, response: aiohttp.ClientResponse) -> str:
        data = bytearray()
        async for chunk in response.content.iter_any():
            data += chunk
            if len(data) > MAX_ANSWER_BYTES:
                raise PolicyError(f"{self.url} answered with more than {MAX_ANSWER_BYTES} bytes.", kind="huge_answer")
        return data.decode("utf-8", "replace")

    def _connected(self) -> aiohttp.ClientSession:
        if self._session is None:
            headers = {"Content-Type": "application/json"}
            if self._key:
                headers["Authorization"] = f"Bearer {self._key}"
            self._session = aiohttp.ClientSession(
                headers=headers,
                connector=aiohttp.TCPConnector(limit=0),  # the gate is the limit
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=30),  # the driver has a deadline for all of it
                trust_env=True,
            )
        return self._session

    def _without_key(self, text: str) -> str:
        return text.replace(self._key, "***") if self._key else text
