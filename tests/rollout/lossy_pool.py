"""A pool of a plugin: workers of this machine, which are lost as often as an option says."""

from grpo_env_sdk import hookimpl
from grpo_env_sdk.ext import EnvPool, ForkedWorkers, PoolFlag, PoolSpec, WorkerLostError


@hookimpl
def grpo_env_register_pools():
    return [
        PoolSpec(
            "lossy", "processes that are lost", "tests.rollout.lossy_pool:workers",
            (PoolFlag("losses", "N", "how many workers are lost"),), ("at_most",),
        )
    ]  # fmt: skip


def workers(loaded, order):
    return LossyWorkers(
        EnvPool("process", getattr(loaded.env, "at_most", 2)), order, int(loaded.pool.options.get("losses", 0))
    )


class LossyWorkers(ForkedWorkers):
    moves = 2

    def __init__(self, pool, order, losses):
        super().__init__(pool, order)
        self.losses = losses

    async def worker(self, seconds):
        return LossyLink(await super().worker(seconds), self)


class LossyLink:
    """A worker that is lost at its second command, while there are losses left."""

    def __init__(self, worker, source):
        self._worker, self._source, self._asked = worker, source, 0

    def __getattr__(self, name):
        return getattr(self._worker, name)

    async def ask(self, frame, seconds, clocks=0):
        self._asked += frame.kind == "perform"
        if self._asked == 2 and self._source.losses > 0:
            self._source.losses -= 1
            self.kill()
            raise WorkerLostError("its machine is gone.")
        return await self._worker.ask(frame, seconds, clocks)
