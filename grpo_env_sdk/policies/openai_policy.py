"""A policy for any server with the chat completions API, over one connection pool."""

import asyncio
import json
import os
import random
import warnings
from typing import NoReturn

import aiohttp
from yarl import URL

from grpo_env_sdk.data.images import images_in
from grpo_env_sdk.errors import GrpoEnvWarning
from grpo_env_sdk.plain_text import counted
from grpo_env_sdk.policies.answer_limit import answer_within_limit
from grpo_env_sdk.policies.endpoint import KEY_VARIABLE, endpoint, usual_url
from grpo_env_sdk.policies.openai_wire import error_text, is_overflow, request_body, turn_from
from grpo_env_sdk.policies.policy import NoRoomError, PolicyError, Request, UnusablePolicyError
from grpo_env_sdk.policies.retry import RETRIED, AdaptiveGate, Retries
from grpo_env_sdk.policies.web_pages import WebPages, is_web_page
from grpo_env_sdk.types import Turn

_LONG_ANSWER = 1 << 18
"""The characters of an answer that is read in a thread, so that other episodes go on."""
HOPELESS = 20
"""The run ends after so many failed requests without any answer."""

_NOBODY_THERE = "Is a server running there? --base-url sets another address."
_REDIRECTS = (301, 302, 303, 307, 308)
_NO_CHAT_SERVER = "Is a chat completions server there? Most want --base-url to end in /v1."
_REFUSED_FOR_ALL = {
    401: "Is the key right?",
    403: "May this key use this model?",
    404: "Are the model and --base-url right? Most servers want it to end in /v1.",
}

_UNREADABLE = (400, 415, 422)
_MAYBE_BLIND = "The prompts have images: can this model see them?"


def _turn_in(text: str) -> Turn:
    return turn_from(json.loads(text))


class _TransientError(Exception):
    """A failure that is worth a retry: the error, and the wait that the server asks for."""

    def __init__(self, error: PolicyError, retry_after: str | None = None, is_page: bool = False) -> None:
        super().__init__(str(error))
        self.error = self.__cause__ = error
        self.is_page = is_page
        self.retry_after = retry_after


class OpenAIPolicy:
    """A model behind HTTP; the key comes only from an environment variable, and no message shows it."""

    def __init__(
        self,
        model: str,
        base_url: str | None = None,
        *,
        concurrency: int = 64,
        retries: Retries | None = None,
        key_variable: str = KEY_VARIABLE,
        send_key: bool = True,
    ) -> None:
        self.name = f"openai:{model}"
        self.model = model
        base_url = base_url or usual_url()
        key = os.environ.get(key_variable, "")
        self._endpoint = endpoint(base_url, key if send_key else "", key_variable)
        self._address = URL(self._endpoint.address)
        self._no_key = f"No key was sent: {key_variable} is not set." if not key else "No key was sent."
        self.url = self._endpoint.url
        self._retries = retries or Retries()
        self._budget = self._retries.budget_for(concurrency)
        self._gate = AdaptiveGate(concurrency)
        self._rng = random.Random()
        self._session: aiohttp.ClientSession | None = None
        self._worked = False
        self._failed = 0
        self._pages = WebPages()
        self._told_too_long = False
        self.sent_again = 0
        """How many requests were sent again."""
        self._last_error = ""

    @property
    def retried(self) -> str:
        """How many requests were sent again, and why the last of them, in a sentence; empty if none was."""
        if not self.sent_again:
            return ""
        last = self._last_error.rstrip(".")
        return f"{counted(self.sent_again, 'request')} had to be sent again; the last error: {last}."

    async def respond(self, request: Request) -> Turn:
        """The model's turn; transient failures are retried, within the retry budget of the run."""
        body = request_body(self.model, request)
        me = self._pages.begin()
        try:
            return await self._asked_until_answered(body, request, me)
        finally:
            self._pages.end(me)

    async def _asked_until_answered(self, body: bytes, request: Request, me: object) -> Turn:
        attempt = 0
        last: PolicyError | None = None
        while True:
            try:
                async with self._gate:
                    shrunk = self._gate.shrunk
                    answer = await self._ask(body, request)
            except asyncio.CancelledError as exc:
                raise exc from last  # so that whoever ended this can say what the server answered
            except _TransientError as exc:
                if exc.error.kind == "http_429":
                    self._gate.refused(shrunk)
                if exc.is_page and not self._worked and self._pages.are_all(me):
                    raise UnusablePolicyError(exc.error.message, _NO_CHAT_SERVER, exc.error.kind) from exc
                attempt, last = attempt + 1, exc.error
                if attempt >= self._retries.attempts or not self._budget.take():
                    raise self._final(exc.error) from exc
                self.sent_again, self._last_error = self.sent_again + 1, last.message
                await self._wait(self._retries.wait_seconds(attempt - 1, exc.retry_after, self._rng), last)
            else:
                self._worked = True
                self._budget.succeeded()
                self._gate.succeeded()
                return answer

    async def _wait(self, seconds: float, last: PolicyError) -> None:
        try:
            await asyncio.sleep(seconds)
        except asyncio.CancelledError as exc:
            raise exc from last

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def _ask(self, body: bytes, request: Request) -> Turn:
        try:
            async with self._connected().post(
                self._address, data=body, proxy=self._endpoint.proxy, allow_redirects=False
            ) as response:
                text = await answer_within_limit(response, self.url)
        except (aiohttp.ClientError, ConnectionError, asyncio.IncompleteReadError) as exc:
            raise self._unreached(exc) from exc
        if response.status != 200:
            self._refused(response, text, request)
        try:
            if len(text) > _LONG_ANSWER:
                return await asyncio.to_thread(_turn_in, text)
            return _turn_in(text)
        except (ValueError, RecursionError) as exc:
            bad = self._bad("answered with something that is not JSON", "bad_answer", text)
            raise _TransientError(bad, is_page=is_web_page(text)) from exc
        except PolicyError as exc:
            if exc.kind == "content_filter":
                raise PolicyError(f"{self.url} {exc.message}.", kind=exc.kind, usage=exc.usage) from exc
            raise _TransientError(self._bad(exc.message, exc.kind, text)) from exc

    def _unreached(self, exc: Exception) -> Exception:
        """A broken connection is retried; if there never was one, the run ends."""
        message = f"No answer from {self.url}: {self._endpoint.redacted(str(exc), 300) or type(exc).__name__}"
        nobody = isinstance(exc, aiohttp.ClientConnectorError | aiohttp.ServerTimeoutError)
        if nobody and not self._worked:
            return UnusablePolicyError(message, _NOBODY_THERE, "connection")
        return _TransientError(PolicyError(message, kind="connection"))

    def _refused(self, response: aiohttp.ClientResponse, text: str, request: Request) -> NoReturn:
        """Raise what a status other than 200 means; a transcript that became too long ends its episode."""
        status, kind = response.status, f"http_{response.status}"
        message = f"{self.url} answered {status}: {self._endpoint.redacted(error_text(text), 300) or response.reason}"
        if status in _REDIRECTS:
            target = self._endpoint.redacted(response.headers.get("Location", "").partition("?")[0], 300)
            message = f"{self.url} answered {status}: go to {target or 'another address'}"
            raise UnusablePolicyError(message, "Prompts go only to --base-url; give the other one there.", kind)
        if is_overflow(status, text):
            if request.turn > 0:
                self._say_too_long(message)
                raise NoRoomError(message)
            raise PolicyError(message, "The prompt and --max-tokens must fit together.", "context_overflow")
        if status in RETRIED:
            raise _TransientError(PolicyError(message, kind=kind), response.headers.get("Retry-After"))
        if status == 401 or (status in _REFUSED_FOR_ALL and not self._worked):
            unknown = status == 401 and not self._endpoint.authorization
            raise UnusablePolicyError(message, self._no_key if unknown else _REFUSED_FOR_ALL[status], kind)
        if status in _UNREADABLE and not self._worked and images_in(request.messages):
            raise UnusablePolicyError(message, _MAYBE_BLIND, kind)
        raise self._final(PolicyError(message, kind=kind))

    def _say_too_long(self, message: str) -> None:
        """Say once what to do about transcripts that outgrow the context."""
        if not self._told_too_long:
            self._told_too_long = True
            warnings.warn(
                f"{message.rstrip('.')}. Such episodes end by max_tokens: a view on the class keeps what the model "
                "reads short (grpo_env_sdk.views), as do fewer turns or shorter observations.",
                GrpoEnvWarning,
                stacklevel=2,
            )

    def _final(self, error: PolicyError) -> PolicyError:
        """The error itself, or one that ends the run if many requests failed and none was ever answered."""
        self._failed += 1
        if self._worked or self._failed < HOPELESS:
            return error
        hint = f"{self._failed} requests have failed, and none was answered."
        return UnusablePolicyError(error.message, hint, error.kind)

    def _connected(self) -> aiohttp.ClientSession:
        if self._session is None:
            headers = {"Content-Type": "application/json"}
            if self._endpoint.authorization:
                headers["Authorization"] = self._endpoint.authorization
            self._session = aiohttp.ClientSession(
                headers=headers,
                cookie_jar=aiohttp.DummyCookieJar(),  # a server could fill another one without end
                connector=aiohttp.TCPConnector(limit=0),  # AdaptiveGate limits the requests
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=30),  # the driver has a deadline for a turn
                # No `trust_env`: for every request it would look for a proxy and read ~/.netrc again, in two threads.
            )
        return self._session

    def _bad(self, what: str, kind: str, text: str) -> PolicyError:
        return PolicyError(f"{self.url} {what}: {self._endpoint.redacted(text, 200)!r}", kind=kind)
