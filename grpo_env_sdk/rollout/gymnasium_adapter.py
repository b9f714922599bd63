"""`to_gymnasium`: an environment of any kind as a `gymnasium.Env`."""

import weakref
from dataclasses import replace
from typing import Any

import gymnasium

from grpo_env_sdk.data.messages import assistant_message
from grpo_env_sdk.data.rows import given_row
from grpo_env_sdk.envs.loading import LoadedEnv, load
from grpo_env_sdk.envs.spaces import ActionSpace, MessageSpace
from grpo_env_sdk.envs.traits import is_multi_turn
from grpo_env_sdk.errors import DeadlineError, EnvironmentFailedError, EpisodeOverError, GrpoEnvError, UsageError
from grpo_env_sdk.isolation.loop_thread import LoopThread
from grpo_env_sdk.isolation.thread_pool import ThreadPool
from grpo_env_sdk.rollout.driver import check_scorable
from grpo_env_sdk.rollout.episode import Command, Done, Generate, Generated, Limits, LiveEpisode
from grpo_env_sdk.rollout.thread_host import EpisodeHost
from grpo_env_sdk.types import Episode, Message, Turn


def to_gymnasium(env: Any, config: dict[str, Any] | None = None, *, limits: Limits | None = None) -> Any:
    """An environment of any kind, by name, class or instance, as a `gymnasium.Env`.

    ```python
    env = to_gymnasium("hotel-v1", {"difficulty": "hard"})
    observation, info = env.reset(seed=1)
    observation, reward, terminated, truncated, info = env.step("No hotel fits.")
    ```
    """
    loaded = load(env, config)
    check_scorable(loaded)
    if not is_multi_turn(loaded.env):
        return GymnasiumAdapter(loaded, limits or Limits())
    if limits is not None:
        raise UsageError(
            f"{loaded.spec.id} has a reset and step of its own, which know no limits.", "Leave limits out."
        )
    return loaded.env


class GymnasiumAdapter(gymnasium.Env[Any, Any]):
    """The episodes of an environment without `reset` and `step`, answered by whoever calls."""

    metadata = {"render_modes": []}  # noqa: RUF012  # Gymnasium's own convention

    def __init__(self, loaded: LoadedEnv, limits: Limits) -> None:
        traits = loaded.traits
        self.observation_space = MessageSpace()
        self.action_space = ActionSpace()
        self.reward_range = traits.reward_range
        self._loaded = loaded
        self._limits = replace(limits, turns=min(limits.turns or traits.max_turns, traits.max_turns))
        self._rows = loaded.rows("train")
        self._pool, self._loop = ThreadPool(size=1), LoopThread()
        self._live: LiveEpisode | None = None
        self._host: EpisodeHost | None = None
        weakref.finalize(self, _let_go, self._pool, self._loop)

    @property
    def messages(self) -> list[Message]:
        """The transcript so far, the opening messages included."""
        return self._live.messages if self._live else []

    def get_tools(self) -> list[dict[str, Any]]:
        """The schemas of what may be called."""
        return self._loaded.tools

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin the episode of the row in `options` (None draws a training row); gives the opening messages."""
        super().reset(seed=seed)
        self.close()
        row = given_row(options) or self._rows[int(self.np_random.integers(len(self._rows)))]
        loaded = self._loaded
        self._live = LiveEpisode(loaded.spec.id, loaded.traits.kind, row, tools=loaded.tools, limits=self._limits)
        self._host = EpisodeHost(loaded, self._pool, self._limits)
        self._advance(self._live, self._host, self._live.start())
        return self._shown_since(0), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Answer one message; with the last comes the score, which is the reward of the whole episode."""
        if self._live is None or self._host is None:
            raise EpisodeOverError("This episode is over, or was never begun.", "Call reset() first.")
        message = assistant_message(action, self._live.turns)
        seen = len(self._live.messages) + 1
        episode = self._advance(self._live, self._host, self._live.feed(Generated(Turn(message))))
        if episode is None:
            return self._shown_since(seen), 0.0, False, False, {}
        info: dict[str, Any] = {"score": episode.reward, "rewards": episode.rewards, "stop_reason": episode.stop_reason}
        if episode.metrics:
            info["metrics"] = episode.metrics
        terminated = episode.stop_reason == "terminated"
        return self._shown_since(seen), episode.reward or 0.0, terminated, not terminated, info

    def close(self) -> None:
        """Put away the episode that runs; `reset` begins another."""
        host, self._host = self._host, None
        if host is not None:
            self._loop.run(host.close())

    def _advance(self, live: LiveEpisode, host: EpisodeHost, command: Command) -> Episode | None:
        """Do the environment's part until an action is wanted, or the episode is over and has a record."""
        while not isinstance(command, Generate | Done):
            command = live.feed(self._loop.run(host.perform(command)))
        if isinstance(command, Generate):
            return None
        self.close()
        if command.episode.error:
            raise _failure(command.episode)
        return command.episode

    def _shown_since(self, seen: int) -> list[Message]:
        """What the environment has said that the caller has not seen."""
        return [dict(message) for message in self.messages[seen:]]


def _failure(episode: Episode) -> GrpoEnvError:
    """What an episode without a score is to a caller, who would take 0.0 for a bad answer."""
    fault = episode.error
    assert fault is not None
    if episode.stop_reason == "timeout":
        return DeadlineError(fault.message, "Mend what hangs, or give it longer: limits=Limits(call_seconds=...).")
    error = EnvironmentFailedError(
        f"{episode.env} failed in {fault.stage}: {fault.type}: {fault.message}", "Mend it there; reset() begins anew."
    )
    if fault.traceback:
        error.add_note(fault.traceback)
    return error


def _let_go(pool: ThreadPool, loop: LoopThread) -> None:
    """End the threads of a face that is gone."""
    pool.close()
    loop.close()
