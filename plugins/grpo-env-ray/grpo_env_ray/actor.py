"""What runs in an actor: a process that has loaded the environment, and the worker that is forked from it.

The class travels to the node as it is here, so a node needs the SDK and the environment, and not this package.
"""

import asyncio
import os
import sys
from typing import Any


class EnvActor:
    """Carries frames between a run and the worker processes of one environment, one worker after another."""

    def __init__(self) -> None:
        os.dup2(2, 1)  # what Ray prints for the run goes to its stderr: stdout may be one JSON object
        self._source: Any = None
        self._worker: Any = None
        self._number = 0

    async def start(
        self, order: dict[str, Any], sdk: str, path: list[str], memory: float | None, seconds: float | None
    ) -> dict[str, str]:
        """Load the environment here; says what is wrong, on which node, or nothing."""
        import ray

        here = {"node": ray.util.get_node_ip_address()}
        sys.path += [folder for folder in path if folder not in sys.path and os.path.isdir(folder)]
        try:
            from grpo_env_sdk import GrpoEnvError, __version__
            from grpo_env_sdk.ext import EnvPool, ForkedWorkers
        except ImportError as exc:
            wrong = f"it cannot import grpo_env_sdk: {exc}"
            return {**here, "wrong": wrong, "hint": f"pip install grpo-env-sdk=={sdk} there."}
        if __version__ != sdk:
            wrong = f"it has grpo-env-sdk {__version__}, and this process {sdk}"
            return {**here, "wrong": wrong, "hint": f"pip install grpo-env-sdk=={sdk} there."}
        pool = EnvPool("process", 1, memory)
        self._source = ForkedWorkers(pool, {**order, "memory": pool.memory_bytes})
        try:
            await self._source.start(seconds)
        except GrpoEnvError as exc:
            return {**here, "wrong": exc.message, "hint": "Install the environment's package on every node."}
        return {}

    async def worker(self, number: int, seconds: float | None) -> None:
        """Fork another worker, for which `number` stands; the one before is ended."""
        self._end_worker()
        if not self._source.runs:  # code in a worker may have killed it
            await self._source.start(seconds)
        self._worker, self._number = await self._source.worker(seconds), number

    async def ask(self, number: int, frame: bytes, seconds: float | None, clocks: int) -> tuple[str, Any, Any]:
        """What the worker answers, as bytes; or that it was late, or ended, and how."""
        from grpo_env_sdk.ext import Frame, WorkerEndedError, WorkerLateError

        if number != self._number or self._worker is None:
            return "ended", "was ended before", None
        try:
            found = await self._worker.ask(Frame.unpacked(frame), seconds, clocks)
            return "frame", found.packed(), None
        except WorkerLateError as exc:
            return "late", exc.seconds, None
        except WorkerEndedError as exc:
            return "ended", str(exc), exc.code

    async def kill(self, number: int) -> None:
        """End the worker with everything that it started, unless another one has followed."""
        if number == self._number:
            self._end_worker()

    async def answers(self) -> bool:
        """That the actor itself is not stuck."""
        await asyncio.sleep(0)
        return True

    async def leave(self) -> None:
        """End the worker and the process that it came from, which removes their folders, and then this actor."""
        import ray

        self._end_worker()
        if self._source is not None:
            self._source.close()
        ray.actor.exit_actor()

    def _end_worker(self) -> None:
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.kill()
