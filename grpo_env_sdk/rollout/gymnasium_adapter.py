"""`to_gymnasium`: an environment of any kind as a `gymnasium.Env`."""

import asyncio
import weakref
from contextlib import aclosing
from typing import Any

import gymnasium

from grpo_env_sdk.data.messages import assistant_message
from grpo_env_sdk.data.rows import given_row
from grpo_env_sdk.envs.awaited_env import AwaitedEnv
from grpo_env_sdk.envs.episode_books import books_of
from grpo_env_sdk.envs.loaded_env import LoadedEnv
from grpo_env_sdk.envs.loading import load
from grpo_env_sdk.envs.shared_resource import opens_shared
from grpo_env_sdk.envs.spaces import ActionSpace, MessageSpace
from grpo_env_sdk.envs.tokenizer import opened
from grpo_env_sdk.envs.traits import is_multi_turn
from grpo_env_sdk.errors import DeadlineError, EnvironmentFailedError, EpisodeOverError, GrpoEnvError, UsageError
from grpo_env_sdk.isolation.author_code.arguments import suggesting_names
from grpo_env_sdk.isolation.calls.async_calls import run_coroutine
from grpo_env_sdk.isolation.loops.loop_thread import LoopThread
from grpo_env_sdk.policies.policy import Request
from grpo_env_sdk.rollout.commands import Limits
from grpo_env_sdk.rollout.driver import Rollout, drive
from grpo_env_sdk.rollout.host import HostFactory, Job
from grpo_env_sdk.rollout.in_threads import check_scorable
from grpo_env_sdk.rollout.thread_host import ThreadHosts
from grpo_env_sdk.rollout.user_model import UserSource, user_source
from grpo_env_sdk.rollout.workplace import Workplace
from grpo_env_sdk.types import Episode, Message, Row, Turn


@suggesting_names
def to_gymnasium(
    env: Any,
    config: dict[str, Any] | None = None,
    *,
    limits: Limits | None = None,
    tokenizer: Any = None,
    user: Any = None,
) -> gymnasium.Env[Any, Any]:
    """An environment of any kind, by name, class or instance, as a `gymnasium.Env`.

    ```python
    env = to_gymnasium("hotel-v1", {"difficulty": "hard"})
    observation, info = env.reset(seed=1)
    observation, reward, terminated, truncated, info = env.step("No hotel fits.")
    ```

    `tokenizer`, or the name of its model, is for a `build_dataset` that uses it; `user` speaks for the user in
    place of the policy that the class's `ModelUser` names.
    """
    if limits is not None and not isinstance(limits, Limits):
        raise UsageError(f"limits must be Limits(...), got {limits!r:.80}.", "Write limits=Limits(call_seconds=20).")
    loaded = load(env, config, tokenizer=tokenizer, user=user)
    check_scorable(loaded)
    if not is_multi_turn(loaded.env) or loaded.traits.user == "model":
        return GymnasiumAdapter(loaded, limits or Limits())
    if limits is not None:
        raise UsageError(
            f"{loaded.spec.id} has a reset and step of its own, which take no limits.", "Leave limits out."
        )
    own: gymnasium.Env[Any, Any] = loaded.env
    books = books_of(own)
    assert books is not None
    if tokenizer is not None:
        books.tokenizer = opened(tokenizer)
    return OpenedEnv(loaded) if books.is_async or opens_shared(own) else own


class OpenedEnv(AwaitedEnv):
    """An environment of several turns that awaits, or shares resources: `reset` opens them, and `close` closes them."""

    def __init__(self, loaded: LoadedEnv) -> None:
        super().__init__(loaded, loaded.env)
        self._hosts = Workplace(loaded)
        weakref.finalize(self, self._hosts.close)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin the episode of the row in `options` (None draws a training row)."""
        run_coroutine(self._hosts.begin())
        return super().reset(seed=seed, options=options)

    def close(self) -> None:
        """Close the environment, and what its class shares."""
        super().close()
        run_coroutine(self._hosts.end())


class GymnasiumAdapter(gymnasium.Env[Any, Any]):
    """The episodes of an environment without `reset` and `step`, answered by the caller."""

    metadata = {"render_modes": []}  # noqa: RUF012  # Gymnasium's own convention

    def __init__(self, loaded: LoadedEnv, limits: Limits) -> None:
        traits = loaded.traits
        self.observation_space = MessageSpace()
        self.action_space = ActionSpace()
        self.reward_range = traits.reward_range
        self._loaded = loaded
        self._limits = limits
        self._rows = loaded.rows("train")
        self._user = user_source(loaded)
        self._hosts, self._loop = ThreadHosts(loaded, limits.call_seconds, threads=1), LoopThread()
        self._caller: _Caller | None = None
        self.row: Row = {}
        """The row of the running episode, or of the last one."""
        self._messages: list[Message] = []
        self._tools = loaded.tools
        weakref.finalize(self, _let_go, self._hosts, self._loop, self._user)

    @property
    def messages(self) -> list[Message]:
        """The transcript so far, the opening messages included."""
        return self._messages

    def get_tools(self) -> list[dict[str, Any]]:
        """The schemas of what may be called; where each row has its own, those of the running episode."""
        return self._tools

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start the episode of the row in `options` (None draws a training row); gives the opening messages."""
        super().reset(seed=seed)
        self._leave()
        run_coroutine(self._hosts.begin())  # in this thread, as some resources want the main one
        self.row = given_row(options) or self._rows[int(self.np_random.integers(len(self._rows)))]
        self._caller = _Caller(self.row, self._user)
        self._loop.run(self._caller.begin(self._hosts, self._limits, self._loop))
        self._advance(self._caller, None)
        return self._shown_since(0), {"tools": self._tools} if self._loaded.traits.tools_of_rows else {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Answer one message; with the last comes the score, which is the reward of the whole episode."""
        if self._caller is None:
            raise EpisodeOverError("This episode is over, or has not started.", "Call reset() first.")
        message = assistant_message(action, self._caller.turns)
        seen = len(self._messages) + 1
        episode = self._advance(self._caller, message)
        if episode is None:
            return self._shown_since(seen), 0.0, False, False, {}
        info: dict[str, Any] = {"score": episode.reward, "rewards": episode.rewards, "stop_reason": episode.stop_reason}
        if episode.metrics:
            info["metrics"] = episode.metrics
        terminated = episode.stop_reason == "terminated"
        return self._shown_since(seen), episode.reward or 0.0, terminated, not terminated, info

    def close(self) -> None:
        """End the running episode without a score, and close what the class shares; `reset` begins another."""
        self._leave()
        run_coroutine(self._hosts.end())

    def _leave(self) -> None:
        caller, self._caller = self._caller, None
        if caller is not None:
            self._loop.run(caller.leave())

    def _advance(self, caller: "_Caller", answer: Message | None) -> Episode | None:
        """Wait until the next message is wanted, or the episode is over and has a record."""
        try:
            found = self._loop.run(caller.exchange(answer))
        except BaseException:  # Ctrl-C leaves an answer without its request
            self._leave()
            raise
        self._messages = found.messages
        if isinstance(found, Request):
            self._tools = list(found.tools)
            return None
        self._leave()
        if found.error:
            raise _failure(found)
        return found

    def _shown_since(self, seen: int) -> list[Message]:
        """What the environment has said that the caller has not seen yet."""
        return [dict(message) for message in self.messages[seen:]]


class _Caller:
    """The policy of an episode that is answered from outside, message by message; it is its own source of rows."""

    name = "caller"
    indices = (0,)

    def __init__(self, row: Row, user: UserSource | None) -> None:
        self._row = row
        self._user = user
        self._asked: asyncio.Queue[Request | Episode | BaseException] = asyncio.Queue()
        self._answers: asyncio.Queue[Message] = asyncio.Queue()
        self._episode: asyncio.Task[None] | None = None
        self.turns = 0

    def row(self, index: int) -> Row:
        """The one row."""
        return self._row

    async def respond(self, request: Request) -> Turn:
        """The answer from `exchange`; the caller may take any time."""
        self._asked.put_nowait(request)
        with request.off_the_clock():
            return Turn(await self._answers.get())

    async def begin(self, hosts: HostFactory, limits: Limits, loop: LoopThread) -> None:
        """Let the driver run the episode in this event loop."""
        self._episode = loop.keep(asyncio.create_task(self._run(hosts, limits)))

    async def exchange(self, answer: Message | None) -> Request | Episode:
        """Hand over an answer; the request for the next one, or the record of the episode."""
        if answer is not None:
            self.turns += 1
            self._answers.put_nowait(answer)
        found = await self._asked.get()
        if isinstance(found, BaseException):
            raise found
        return found

    async def leave(self) -> None:
        """Cancel the episode if it still runs."""
        if self._episode is not None:
            self._episode.cancel()
            await asyncio.wait([self._episode])

    async def _run(self, hosts: HostFactory, limits: Limits) -> None:
        try:
            rollout = Rollout(self, limits=limits, user=self._user)
            async with aclosing(drive(hosts, self, rollout, [Job(0)])) as episodes:
                self._asked.put_nowait(await anext(episodes))
        except Exception as exc:
            self._asked.put_nowait(exc)


def _failure(episode: Episode) -> GrpoEnvError:
    """The error for an episode without a score: a reward of 0.0 would look like a bad answer."""
    fault = episode.error
    assert fault is not None
    if episode.stop_reason == "timeout":
        return DeadlineError(
            fault.message, "Fix the call that hangs, or allow more time: limits=Limits(call_seconds=...)."
        )
    error = EnvironmentFailedError(
        f"{episode.env} failed in {fault.stage}: {fault.type}: {fault.message}",
        "Fix it there; reset() starts the next episode.",
    )
    if fault.traceback:
        error.add_note(fault.traceback)
    return error


def _let_go(hosts: ThreadHosts, loop: LoopThread, user: UserSource | None) -> None:
    """End the threads of an adapter that was garbage collected."""
    loop.close(user)  # first: an episode that still runs closes its environment in a thread of the hosts
    hosts.close()
