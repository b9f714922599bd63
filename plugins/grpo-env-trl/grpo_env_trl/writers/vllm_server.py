"""Each turn by itself, from a vLLM server: an episode goes on the moment that its own turn is sampled."""

import asyncio
import json
import random
import time
import warnings
from collections.abc import Callable, Coroutine, Iterator, Mapping
from concurrent.futures import Future, wait
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any, TypeVar

import aiohttp

from grpo_env_sdk import GrpoEnvWarning
from grpo_env_sdk.ext import (
    RETRIED,
    PolicyError,
    Retries,
    UnusablePolicyError,
    answer_within_limit,
    error_text,
    is_overflow,
)
from grpo_env_trl import trl_facts
from grpo_env_trl.writers.figures import Figures
from grpo_env_trl.writers.meeting import has_failed, meet
from grpo_env_trl.writers.vllm_servers import PATIENCE, RESUME, VLLMServer, VLLMServers, restarted
from grpo_env_trl.writers.vllm_wire import Sampled, TransientError, request_body, sampled_from
from grpo_env_trl.writers.waiting import FIRST
from grpo_env_trl.writers.writer import Ask, Written

T = TypeVar("T")
Response = tuple[int, str, str | None]
"""A status, a text, and the wait that was asked for."""

_RETRIES = Retries(longest_wait=10.0)
_NOT_SUCH_JSON = (ValueError, KeyError, TypeError, RecursionError)
_UNLIKE_OTHERS = 5
"""A turn that failed so often while others were answered fails its episode."""


class ServerTurns:
    """Sends every turn to a server as it comes; an episode that ends closes its connection, which aborts the turn."""

    named_after = FIRST
    """Seconds without an answer after which a warning says so."""

    def __init__(
        self,
        servers: VLLMServers,
        max_turn_tokens: int | None,
        sampling: Mapping[str, Any],
        patience: float,
        adapter: Callable[[], str] = str,
    ) -> None:
        """`sampling` are the fields of a request that say how to sample, `patience` the seconds without any answer.

        `adapter` names what the next turn is sampled with; an empty name is the model itself.
        """
        self.figures = Figures()
        self._adapter = adapter
        self._servers, self._max_turn_tokens = servers, max_turn_tokens
        self._sampling, self._patience = sampling, patience
        self._rng = random.Random()
        self._before: dict[int, VLLMServer] = {}
        self._session: aiohttp.ClientSession | None = None
        self._open, self._since, self._answered = 0, 0.0, 0.0
        self._named = -1.0
        """When a warning last named what is waited for."""

    @property
    def context_length(self) -> int:
        """The most tokens that each server reads, prompt and completion together."""
        return self._servers.context_length

    async def write(self, ask: Ask) -> Written:
        """The tokens of this turn; transient failures are retried, here or at another server."""
        started, attempt = time.monotonic(), 0
        most = min(ask.most, self._max_turn_tokens or ask.most)
        with self._busy(started):
            while True:
                server = self._servers.choose(self._before.get(ask.place))
                self._before[ask.place] = server
                try:
                    sampled = await self._ask(server, ask, most)
                except TransientError as exc:
                    attempt += 1
                    self._give_up_if_hopeless(exc, started, attempt)
                    if await self._stays(server, exc):
                        await asyncio.sleep(_RETRIES.wait_seconds(attempt - 1, exc.retry_after, self._rng))
                else:
                    self._answered = time.monotonic()
                    self._count(ask, sampled)
                    return Written(sampled.ids, sampled.logprobs, self._answered - started)

    async def close(self) -> None:
        """Close what is connected."""
        if self._session is not None:
            await self._session.close()

    def _count(self, ask: Ask, sampled: Sampled) -> None:
        if sampled.cached is not None:
            self.figures.read += len(ask.context)
            self.figures.cached += sampled.cached

    async def _ask(self, server: VLLMServer, ask: Ask, most: int) -> Sampled:
        body = request_body(self._adapter() or server.served.model, ask.context, most, ask.seed, self._sampling)
        server.open += 1
        try:
            status, text, again = await self._watched(server, self._post(f"{server.url}/v1/completions", body))
        except (aiohttp.ClientError, OSError, asyncio.IncompleteReadError, TimeoutError) as exc:
            told = str(exc) or type(exc).__name__
            raise TransientError(f"No answer from {server.url}: {told:.300}", "connection") from exc
        finally:
            server.open -= 1
        if status != 200:
            raise _refused(server.url, status, text, again)
        return sampled_from(text, server.url, ask.context, most)

    async def _post(self, address: str, body: bytes) -> Response:
        headers = {"Content-Type": "application/json"}
        async with self._connected().post(address, data=body, headers=headers, allow_redirects=False) as answer:
            return answer.status, await answer_within_limit(answer, address), answer.headers.get("Retry-After")

    async def _watched(self, server: VLLMServer, asking: Coroutine[Any, Any, Response]) -> Response:
        """The answer, however long it takes, as long as the server says that it is well."""
        task = asyncio.ensure_future(asking)
        try:
            while True:
                done, _ = await asyncio.wait({task}, timeout=self._patience)
                if done:
                    return task.result()
                await self._get(f"{server.url}/health")
        except asyncio.CancelledError:
            self.figures.aborted += 1
            raise
        finally:
            task.cancel()  # which closes the connection

    async def _stays(self, server: VLLMServer, failure: TransientError) -> bool:
        """Whether to try the same server again; one that is down is left out where others live."""
        try:
            info = await self._get(f"{server.url}/server_info?config_format=json")
            now = str(info["vllm_config"]["instance_id"]) if server.served.instance else ""
        except (aiohttp.ClientError, OSError, TimeoutError, PolicyError, *_NOT_SUCH_JSON):
            if len(self._servers.live) == 1 or server.gone:
                return not server.gone
            self._servers.leave_out(server, str(failure))
            return False
        if now != server.served.instance:
            self._servers.leave_out(server, restarted(server.url))
            return False
        return True

    async def _get(self, address: str) -> Any:
        limit = aiohttp.ClientTimeout(total=PATIENCE)
        async with self._connected().get(address, timeout=limit, raise_for_status=True) as answer:
            text = await answer_within_limit(answer, address)
            return json.loads(text) if text else None

    def _give_up_if_hopeless(self, failure: TransientError, started: float, attempt: int) -> None:
        """Raise: the episode's error where others are answered, and the end of the run where nobody is."""
        if self._answered > started and attempt >= _UNLIKE_OTHERS:
            raise PolicyError(str(failure), kind=failure.kind) from failure
        waited = time.monotonic() - max(started, self._answered)
        if waited > self.named_after and self._named < self._answered:
            self._named = time.monotonic()
            text = f"{failure} (for {waited:.0f} s; the training ends after {self._patience:g})."
            warnings.warn(text, GrpoEnvWarning, stacklevel=2)
        if waited > self._patience:
            told = f"{failure} (tried for {self._patience:g} seconds)."
            raise UnusablePolicyError(told, RESUME, failure.kind) from failure

    @contextmanager
    def _busy(self, now: float) -> Iterator[None]:
        if not self._open:
            self._since = now
        self._open += 1
        try:
            yield
        finally:
            self._open -= 1
            self.figures.waited += time.monotonic() - now
            if not self._open:
                self.figures.busy += time.monotonic() - self._since

    def _connected(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                cookie_jar=aiohttp.DummyCookieJar(),  # a server could fill another one without end
                connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=3),  # uvicorn closes idle ones after 5 s
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=PATIENCE),
            )
        return self._session


class ServerWriter(ServerTurns):
    """The writer of a batch on a server.

    No process waits for another before all its episodes are over. Scorers may use the model in the meantime.
    """

    def __init__(
        self,
        trainer: Any,
        loop: asyncio.AbstractEventLoop,
        servers: VLLMServers,
        max_turn_tokens: int | None,
        lend: Callable[[], AbstractContextManager[Any]],
    ) -> None:
        super().__init__(
            servers, max_turn_tokens, trl_facts.server_sampling(trainer), trl_facts.server_patience(trainer)
        )
        self._trainer, self._loop, self._lend = trainer, loop, lend

    def when_quiet(self) -> None:
        """Nothing to do: no turn waits for another."""

    def pump(self, begin: Callable[[], "Future[T]"]) -> T:
        """Wait until the episodes of every process are over."""
        with self.figures.timed("ranks"):
            self._trainer.accelerator.wait_for_everyone()  # rank 0 may still send weights; the others do not wait
        with ExitStack() as ending:
            ending.callback(lambda: asyncio.run_coroutine_threadsafe(self.close(), self._loop).result(PATIENCE))
            with self._lend(), self.figures.timed("wall"):
                episodes = begin()
                ending.callback(episodes.cancel)  # has no effect once they are over
                wait([episodes])
            meet(self._trainer, self.figures, has_failed(episodes))
            return episodes.result()


def _refused(url: str, status: int, text: str, again: str | None) -> Exception:
    """What a status other than 200 means."""
    message, kind = f"{url} answered {status}: {error_text(text)[:300]}", f"http_{status}"
    if is_overflow(status, text):
        return PolicyError(message, "The prompt does not fit the server's --max-model-len.", "context_overflow")
    if status in RETRIED:
        return TransientError(message, kind, again)
    return UnusablePolicyError(message, "The server must take requests of this training.", kind)
