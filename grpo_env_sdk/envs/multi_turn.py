"""`MultiTurnEnv`: an environment of several turns, with Gymnasium's `reset` and `step`."""

import copy
from collections.abc import Awaitable, Sequence
from typing import Any, Self

import gymnasium

from grpo_env_sdk.envs.episode_books import EpisodeBooks, readable
from grpo_env_sdk.envs.protocol import check_tool_names
from grpo_env_sdk.envs.reset_and_step import (
    Step,
    given_back,
    is_async,
    keeping_reset,
    keeping_step,
    replayed,
    set_up,
)  # fmt: skip
from grpo_env_sdk.envs.shared_resource import attributes_of_its_own, not_open
from grpo_env_sdk.envs.source_hash import note_source
from grpo_env_sdk.envs.spaces import ActionSpace, MessageSpace
from grpo_env_sdk.errors import ContractError
from grpo_env_sdk.isolation.calls.async_calls import through
from grpo_env_sdk.isolation.calls.tracebacks import name_of
from grpo_env_sdk.types import Message, Row


class MultiTurnEnv(gymnasium.Env[Any, Any]):
    """An environment of several turns; write `step`, and `setup` or `reset` to begin an episode.

    ```python
    class Guess(MultiTurnEnv):
        max_turns = 5

        def build_dataset(self, tokenizer):
            return [{"prompt": "Guess my number, 1 to 15.", "secret": n} for n in range(1, 16)]

        def step(self, action):
            text = action["content"].strip()
            if not text.isdecimal() or len(text) > 2:
                return "Say a number.", 0.0, False, False, {}
            if int(text) == self.row["secret"]:
                return "Right.", 1.0, True, False, {}
            return "Higher." if int(text) < self.row["secret"] else "Lower.", 0.0, False, False, {}
    ```
    """

    metadata = {"render_modes": []}  # noqa: RUF012  # Gymnasium's own convention
    max_turns: int = 10
    rewards: Sequence[Any] = ()
    replayable: bool = True

    row: Row = readable(lambda env: env._grpo.row)
    """The dataset row of the running episode."""
    turns: int = readable(lambda env: env._grpo.turns)
    """How many messages of the assistant this episode has seen."""
    messages: list[Message] = readable(lambda env: env._grpo.messages)
    """The transcript so far, the opening messages included."""
    shared: Any = readable(not_open)
    """What `open_shared` opened for all episodes of the run, where the class has such a method."""

    _grpo: EpisodeBooks

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """An instance with the books of an episode, whatever the author's constructor does."""
        if (args or kwargs) and cls.__init__ is object.__init__:
            raise TypeError(f"{cls.__name__}() takes no arguments")  # as it would without this __new__
        env = super().__new__(cls)
        vars(env)["_grpo"] = EpisodeBooks(name_of(cls), (args, kwargs), is_async(cls))
        env.observation_space = MessageSpace()
        env.action_space = ActionSpace()
        return env

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Keep the books around an author's own `reset` and `step`: rows, turns, messages, rewards."""
        super().__init_subclass__(**kwargs)
        note_source(cls)
        check_tool_names(cls)
        if "reset" in vars(cls):
            cls.reset = keeping_reset(cls.reset)  # type: ignore[method-assign]  # wrapped in place, once a class
        if "step" in vars(cls):
            cls.step = keeping_step(cls.step)  # type: ignore[method-assign]  # wrapped in place, once a class

    def build_dataset(self, tokenizer: Any) -> Any:
        """The rows; see `Environment.build_dataset`."""
        raise ContractError(f"{name_of(self)} has no build_dataset.", "Write one that returns rows with a prompt.")

    def get_tools(self) -> list[dict[str, Any]]:
        """The schemas of the tools that the model may call; none unless a subclass has some."""
        return []

    def setup(self, row: Row) -> Awaitable[None] | None:
        """Fill `self` for the episode of this row; called by `reset`."""
        return None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin the episode of the row in `options` (None draws one); gives the opening messages."""
        super().reset(seed=seed)
        return through(set_up(self))  # type: ignore[return-value]  # a coroutine where `setup` is one

    def step(self, action: Message) -> Step:
        """Answer one assistant's message: observation, reward, terminated, truncated, info."""
        raise ContractError(f"{name_of(self)} has no step.", "Write step(self, action), or use ToolEnv.")

    def score_episode(self, model: Any, tokenizer: Any, completion: Any, /, **columns: Any) -> float | None:
        """The score of a transcript, replayed on a new instance; a coroutine where the class is async."""
        return given_back(self, replayed(self, completion, columns))  # type: ignore[no-any-return]  # as `score`

    def __getstate__(self) -> dict[str, Any]:
        return attributes_of_its_own(self) | {"_grpo": copy.copy(self._grpo)}  # a copy has its own books


MultiTurnEnv.reset = keeping_reset(MultiTurnEnv.reset)  # type: ignore[method-assign]  # for subclasses without their own
