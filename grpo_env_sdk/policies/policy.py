"""The interface of a policy: one async method that gets a request and returns a turn."""

import hashlib
import inspect
import warnings
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from grpo_env_sdk.envs.description import EnvDescription
from grpo_env_sdk.errors import DeadlineError, GrpoEnvError, GrpoEnvWarning
from grpo_env_sdk.isolation.calls.async_calls import awaited_within
from grpo_env_sdk.isolation.calls.tracebacks import describe_error
from grpo_env_sdk.types import Message, Row, Turn


@dataclass(frozen=True, slots=True)
class Sampling:
    """Sampling settings; None leaves a setting to the policy."""

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    seed: int = 0
    logprobs: bool = False
    extra: dict[str, Any] = field(default_factory=dict)
    """More fields of the request, for settings that only some servers have."""


async def _no_solution(messages: list[Message]) -> Any:
    raise PolicyError("There is no environment to ask for a solution.", "Play an episode: evaluate(env, 'gold').")


@dataclass(frozen=True, slots=True)
class Request:
    """A request to a policy: what the model reads, the tools, the sampling settings, and which episode it is."""

    messages: list[Message]
    tools: Sequence[dict[str, Any]] = ()
    sampling: Sampling = field(default_factory=Sampling)
    row: Row = field(default_factory=dict)
    row_index: int = 0
    sample: int = 0
    turn: int = 0
    env: EnvDescription | None = None
    """What the environment is: its kind, its tools, its name; never an instance of it."""
    memory: dict[str, Any] = field(default_factory=dict)
    """A place of the episode's own where a policy may keep what it needs from turn to turn."""
    solve: Callable[[list[Message]], Awaitable[Any]] = _no_solution
    """The environment's next gold message after a transcript; the gold policy asks for it."""
    off_the_clock: Callable[[], AbstractContextManager[None]] = nullcontext
    """While its context lasts, neither the deadline of the episode nor that of the policy runs."""
    whole: list[Message] | None = None
    """The whole transcript, where the environment's `view` chose `messages`."""

    @property
    def transcript(self) -> list[Message]:
        """The whole transcript: the messages themselves, unless they are a view of it."""
        return self.messages if self.whole is None else self.whole

    @property
    def seed(self) -> int:
        """The seed of this turn, equal in every run with the same seed."""
        key = f"{self.sampling.seed}/{self.row_index}/{self.sample}/{self.turn}".encode()
        return int.from_bytes(hashlib.blake2b(key, digest_size=4).digest()) >> 1


@runtime_checkable
class Policy(Protocol):
    """Anything that answers in an episode: a model, a script, a person.

    ```python
    class Shout:
        name = "shout"

        async def respond(self, request):
            return Turn({"role": "assistant", "content": request.messages[-1]["content"].upper()})
    ```
    """

    name: str

    async def respond(self, request: Request) -> Turn:
        """The assistant's answer to a transcript."""


class PolicyError(GrpoEnvError, RuntimeError):
    """A policy failed to answer; `kind` groups such errors in a summary, and `usage` has the tokens that it took."""

    def __init__(
        self, message: str, hint: str = "", kind: str = "policy_error", usage: Mapping[str, int] | None = None
    ) -> None:
        super().__init__(message, hint)
        self.kind = str(kind)
        self.usage = {name: count for name, count in (usage or {}).items() if isinstance(count, int)}


class NoRoomError(PolicyError):
    """No further turn fits the context: the episode ends here and is scored."""


class UnusablePolicyError(PolicyError):
    """A policy that cannot answer at all, as with a wrong key or no server; it ends the run, not one episode."""


async def close_policy(policy: Policy, seconds: float | None = None) -> None:
    """Close a policy that has a `close`; one that fails, or takes longer, is a warning, as the episodes are over."""
    if (close := getattr(policy, "close", None)) is None:
        return
    what = f"{getattr(policy, 'name', type(policy).__name__)}.close"
    try:
        closing = close()
        if inspect.isawaitable(closing):
            await awaited_within(seconds, what, closing)
    except (Exception, SystemExit) as exc:
        failed = exc.message if isinstance(exc, DeadlineError) else f"{what} raised {describe_error(exc)}."
        warnings.warn(f"{failed} The episodes are kept.", GrpoEnvWarning, stacklevel=2)
