"""The model that speaks for the user: what it is shown, what it said, and answers that are kept."""

import asyncio
import hashlib
import os
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any, Protocol

from grpo_env_sdk.data.messages import answer_text, content_text
from grpo_env_sdk.envs.loaded_env import LoadedEnv
from grpo_env_sdk.envs.model_user import UserPrompt
from grpo_env_sdk.errors import GrpoEnvError, ProcessStuckError, UsageError
from grpo_env_sdk.isolation.calls.async_calls import awaited
from grpo_env_sdk.isolation.calls.tracebacks import short_traceback
from grpo_env_sdk.isolation.values.error_text import error_text, type_name
from grpo_env_sdk.policies.checked_turn import turn_of
from grpo_env_sdk.policies.given_policy import policy_of
from grpo_env_sdk.policies.make import PolicySpec, make_policy
from grpo_env_sdk.policies.policy import Policy, PolicyError, Request, Sampling, UnusablePolicyError, close_policy
from grpo_env_sdk.rollout.commands import AskUser, Failed, UserSaid
from grpo_env_sdk.rollout.policy_failures import what_was_tried
from grpo_env_sdk.types import Fault, Message, Row, Turn, canonical_json

KEY_VARIABLE = "OPENAI_USER_API_KEY"
"""The key of the user model's server, where it is not that of the model."""
GREETING = "Hello! How can I help you?"
"""What the user model reads first, where the conversation begins with its own words: many templates need that."""
_KEPT = 4096
_NO_USERS = ("gold", "replay")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question to whoever speaks for the user: the command, and which episode it belongs to."""

    command: AskUser
    prompt: UserPrompt
    row: Row
    row_index: int
    sample: int
    seed: int
    off_the_clock: Callable[[], AbstractContextManager[None]]


class UserSource(Protocol):
    """Who speaks for the user where the class names a model."""

    name: str

    async def says(self, asked: Asked) -> UserSaid:
        """The user's next words; raises where there are none."""

    async def close(self) -> None:
        """Let go of connections; the episodes are over."""


class UserModel:
    """A policy that plays the user; the same conversation with the same seed gets the same answer, from memory."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy_of(policy)
        self.name = self._policy.name
        self._kept: OrderedDict[str, UserSaid] = OrderedDict()
        self._asking: dict[str, asyncio.Future[None]] = {}

    async def says(self, asked: Asked) -> UserSaid:
        """What the model says to the assistant's last message."""
        request = _request(asked)
        key = hashlib.blake2b(canonical_json([request.messages, request.seed]).encode("utf-8", "replace")).hexdigest()
        while key in self._asking:  # a group opens alike
            await asyncio.wait({self._asking[key]})
        if key not in self._kept:
            self._asking[key] = asyncio.get_running_loop().create_future()
            try:
                turn = turn_of(self.name, await awaited(self._policy.respond(request)))
                self._keep(key, self._understood(turn, asked.prompt.end))
            finally:
                self._asking.pop(key).set_result(None)
        self._kept.move_to_end(key)
        return self._kept[key]

    async def close(self) -> None:
        """Close the policy, if it can be."""
        await close_policy(self._policy)

    def _keep(self, key: str, said: UserSaid) -> None:
        self._kept[key] = said
        if len(self._kept) > _KEPT:
            self._kept.popitem(last=False)

    def _understood(self, turn: Turn, end: str) -> UserSaid:
        """The text of a turn, without thoughts and without the mark that ends the episode."""
        before, mark, _ = answer_text(content_text(turn.message.get("content"))).partition(end)
        text = before.strip()
        if not (text or mark):
            raise PolicyError("It said nothing.", f"{end} is how it ends the episode.", "no_words")
        counts = {"user_prompt_tokens": turn.prompt_tokens, "user_completion_tokens": turn.completion_tokens}
        usage = {name: count for name, count in counts.items() if count is not None}
        return UserSaid(text or None, bool(mark), usage)


class RecordedUser:
    """The user of a run, which is played again: nobody is asked."""

    name = "replay"

    def __init__(self, said: Mapping[tuple[int, int], Mapping[int, tuple[str, bool]]]) -> None:
        self._said = said

    async def says(self, asked: Asked) -> UserSaid:
        """What the user said after so many turns; None where the record has nothing more."""
        words = self._said.get((asked.row_index, asked.sample), {})
        return UserSaid(*words.get(asked.command.turns, (None, True)))

    async def close(self) -> None:
        """Nothing is open."""


def user_source(loaded: LoadedEnv, policy: Any = None, concurrency: int = 64) -> UserSource | None:
    """Who speaks for the user where the class names a model: a record, if `policy` replays one."""
    if loaded.traits.user != "model":
        return None
    if (said := getattr(policy, "user_said", None)) is not None:
        return RecordedUser(said)
    check_user(loaded)
    named = user_model_of(loaded)
    if not isinstance(named, PolicySpec):
        return UserModel(named)
    variable = KEY_VARIABLE if KEY_VARIABLE in os.environ else named.key_variable
    try:
        return UserModel(make_policy(replace(named, concurrency=concurrency, key_variable=variable)))
    except UsageError as exc:
        raise UsageError(_of_user(f"The user model: {exc.message}"), _of_user(exc.hint)) from exc


def check_user(loaded: LoadedEnv) -> None:
    """Raise where a model is to speak for the user, and neither the class nor a command names one."""
    named = user_model_of(loaded) if loaded.traits.user == "model" else ""
    if named is None:
        none = "and a class in a sandbox does not choose its file or server" if loaded.pool.kind == "sandbox" else ""
        raise UsageError(
            f"{loaded.spec.id} needs a model that speaks for the user, {none or 'and its class names none'}.",
            "Name one: --user-model openai:NAME, with --user-base-url for its server.",
        )
    if isinstance(named, PolicySpec) and named.model.partition(":")[0] in _NO_USERS:
        raise UsageError(f"{named.model} cannot speak for the user.", "Use openai:NAME, scripted:FILE or a model.")


def user_model_of(loaded: LoadedEnv) -> Any:
    """The policy, or the spec of one, that speaks for the user; None where nobody names one."""
    declared = loaded.env.user
    own = _user_in(declared.policy, declared.base_url)
    named = _user_in(loaded.user_model) or own
    if isinstance(named, PolicySpec) and not named.model:  # the model of the class, at another address
        return replace(own, base_url=named.base_url) if isinstance(own, PolicySpec) else own
    if isinstance(named, PolicySpec) and named.model == getattr(own, "name", None):
        return own  # as the manifest of a run names it
    return named


def _user_in(given: Any, base_url: str | None = None) -> PolicySpec | Policy | None:
    if given is None or isinstance(given, PolicySpec):
        return given
    return PolicySpec(given, base_url) if isinstance(given, str) else policy_of(given)


async def said_by_model(
    user: UserSource | None, asked: Asked, seconds: float | None, deadlines: list[asyncio.Timeout]
) -> UserSaid | Failed:
    """What the user says within the time of a policy; a failure is the user's, never that of the model under test."""
    if user is None:
        raise UsageError("Nobody speaks for the user here.", "Give Rollout(user=...), as user_source makes it.")
    started = time.perf_counter()
    try:
        async with asyncio.timeout(seconds) as deadline:
            deadlines.append(deadline)
            return replace(await user.says(asked), seconds=time.perf_counter() - started)
    except UnusablePolicyError as exc:
        raise UnusablePolicyError(f"The user model {user.name}: {exc.message}", _of_user(exc.hint), exc.kind) from exc
    except ProcessStuckError:
        raise
    except TimeoutError as exc:
        if not deadline.expired():
            return _failed(user, exc, started)
        late = PolicyError(f"It gave no answer within {seconds:g} s.{what_was_tried(exc)}", kind="DeadlineError")
        return replace(_failed(user, late, started), reason="timeout")
    except Exception as exc:
        return _failed(user, exc, started)
    finally:
        del deadlines[1:]


def _failed(user: UserSource, exc: Exception, started: float) -> Failed:
    kind, usage = (exc.kind, exc.usage) if isinstance(exc, PolicyError) else (type_name(exc), {})
    trace = "" if isinstance(exc, GrpoEnvError) else short_traceback(exc)
    fault = Fault("user", "answer", kind, f"The user model {user.name}: {error_text(exc)}", trace)
    of_user = {f"user_{name}": count for name, count in usage.items()}
    return Failed("user_error", fault, "user", time.perf_counter() - started, of_user)


def _request(asked: Asked) -> Request:
    """The question as a policy reads it, with a seed of the user's own; samples of a row open alike."""
    command, prompt = asked.command, asked.prompt
    seed = int.from_bytes(hashlib.blake2b(f"user/{asked.seed}".encode(), digest_size=4).digest())
    sampling = Sampling(prompt.temperature, None, prompt.max_tokens, seed)
    sample = asked.sample if command.turns else 0
    return Request(
        conversation(command.messages, prompt.text), (), sampling, {}, asked.row_index, sample, command.asked,
        memory={"end": prompt.end}, off_the_clock=asked.off_the_clock,
    )  # fmt: skip


def conversation(messages: Sequence[Message], prompt: str) -> list[Message]:
    """The transcript as the user sees it: roles swapped, without rules for the assistant, calls, results, thoughts."""
    seen: list[Message] = []
    for message in messages:
        text = content_text(message.get("content"))
        if message["role"] == "user":
            seen.append({"role": "assistant", "content": text})
        elif message["role"] == "assistant" and not message.get("tool_calls"):
            seen.append({"role": "user", "content": answer_text(text)})
    if not seen or seen[0]["role"] == "assistant":
        seen.insert(0, {"role": "user", "content": GREETING})
    return [{"role": "system", "content": prompt}, *seen]


def _of_user(text: str) -> str:
    """A message about a policy, with the flags that name the user's."""
    return text.replace("--model", "--user-model").replace("--base-url", "--user-base-url")
