"""`EndpointJudge`: a model on any server with the chat completions protocol."""

import asyncio
import hashlib
import json
import os
import secrets
import warnings
from dataclasses import dataclass, field

from grpo_env_sdk import GrpoEnvError, GrpoEnvWarning, answer_text
from grpo_env_sdk.policies import PolicyError, Request, Sampling, UnusablePolicyError
from grpo_env_sdk.policies.endpoint import endpoint
from grpo_env_sdk.policies.openai_policy import OpenAIPolicy
from grpo_env_sdk.policies.retry import Retries

from grpo_env_judge.facts import Facts
from grpo_env_judge.question import UnreadableReplyError, question, read_reply
from grpo_env_judge.verdicts import Verdicts

_SAMPLING = Sampling(temperature=0.0, max_tokens=2000)
"""With enough tokens for the thoughts of a reasoning model."""


@dataclass
class EndpointJudge:
    """Asks once for each notice, within `seconds` for all attempts together; a failure gives no verdict.

    The key is read from its environment variable when it is needed, and never stored.
    """

    base_url: str
    model: str
    key_variable: str | None = None
    seconds: float = 20.0
    retries: Retries = field(default_factory=lambda: Retries(3))
    verdicts: Verdicts = field(default_factory=Verdicts)
    _complained: bool = False

    def __post_init__(self) -> None:
        try:
            server = endpoint(self.base_url, "")
        except GrpoEnvError as exc:
            raise ValueError(f"{exc.message} It can be like http://127.0.0.1:8000/v1.") from exc
        if server.authorization or "?" in server.address:  # config is written into every run
            raise ValueError(
                "base_url contains a login or a query. Put the key in an environment variable: key_variable."
            )
        if self.key_variable and not os.environ.get(self.key_variable):
            raise ValueError(
                f"key_variable is {self.key_variable!r}, and that environment variable is not set. "
                "Export it; `grpo-env test` hides keys from the environment, except with --env-pool thread."
            )
        if self.seconds <= 0 or self.retries.attempts < 1:
            told = f"seconds is {self.seconds} and attempts is {self.retries.attempts}"
            raise ValueError(f"{told}; they can be above 0, and 1 or more.")

    async def verdict(self, facts: Facts, notice: str) -> float | None:
        """The grade, from 0 to 1; None if the judge gave none."""
        asked = json.dumps([facts.as_dict(), notice]).encode()
        key = hashlib.blake2b(asked, digest_size=16).digest()
        return await self.verdicts.get(key, lambda: self._in_time(facts, notice))

    async def _in_time(self, facts: Facts, notice: str) -> float | None:
        try:
            async with asyncio.timeout(self.seconds):
                return await self._ask(facts, notice)
        except TimeoutError:
            self._complain(f"it did not reply within {self.seconds:g} s.")
        except UnusablePolicyError as exc:
            self._complain(f"{exc.message} Are base_url, model and key_variable right?")
        except PolicyError as exc:
            self._complain(exc.message)
        except UnreadableReplyError as exc:
            self._complain(f"{exc}.")
        return None

    async def _ask(self, facts: Facts, notice: str) -> float:
        """A verdict; after an unreadable reply the judge is asked again, with another seal."""
        for left in reversed(range(self.retries.attempts)):
            seal = secrets.token_hex(8)
            reply = await self._reply(Request(question(facts, notice, seal), sampling=_SAMPLING))
            try:
                return read_reply(reply, seal)
            except UnreadableReplyError:
                if not left:
                    raise
        raise AssertionError("at least one attempt is made")

    async def _reply(self, request: Request) -> str:
        """The server's reply; closes the connection, because each scoring may run in another event loop."""
        key = self.key_variable or ""
        policy = OpenAIPolicy(
            self.model, self.base_url, concurrency=1, retries=self.retries, key_variable=key
        )
        try:
            return answer_text([(await policy.respond(request)).message])
        finally:
            await policy.close()

    def _complain(self, why: str) -> None:
        """Warn once why there is no verdict; the run counts how often."""
        if not self._complained:
            self._complained = True
            told = f"The judge gave no verdict, so its reward abstains: {why}"
            warnings.warn(told, GrpoEnvWarning, stacklevel=2)
