"""A vLLM in this process that samples turns for a policy: each begins when it is asked for."""

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any
from weakref import finalize

from grpo_env_sdk.ext import UnusablePolicyError, one_line
from grpo_env_trl.inference.sampling import Answer
from grpo_env_trl.writers.engine import Engine
from grpo_env_trl.writers.stepping import Stepping

_ENDS_WITHIN = 10.0


class SteppedSampler:
    """A thread of its own steps an engine while any turn is open; it ends with this object."""

    def __init__(self, engine: Engine[Answer], ended: Callable[[], Any] = lambda: None) -> None:
        """`ended` is called once the engine is no longer used."""
        self._stepping = Stepping[Answer]()
        thread = threading.Thread(target=_work, args=(self._stepping, engine, ended), name="vllm", daemon=True)
        thread.start()
        finalize(self, _end, self._stepping, thread)

    async def written(
        self, answer: Answer, off_the_clock: Callable[[], AbstractContextManager[None]] = nullcontext
    ) -> None:
        """Wait for this answer, which nothing delays."""
        found, _ = await self._stepping.sampled(answer)
        answer.ids, answer.logprobs = found.ids, found.logprobs or []

    async def close(self) -> None:
        """Nothing is open once the episodes are over; the next environment may use the model."""


def _work(stepping: Stepping[Answer], engine: Engine[Answer], ended: Callable[[], Any]) -> None:
    try:
        stepping.run(engine)
    except Exception as exc:  # whatever vLLM raises
        stepping.fail(UnusablePolicyError(f"vLLM failed: {type(exc).__name__}: {one_line(exc)}", kind="vllm"))
    finally:
        ended()


def _end(stepping: Stepping[Answer], thread: threading.Thread) -> None:
    stepping.end()
    thread.join(_ENDS_WITHIN)
