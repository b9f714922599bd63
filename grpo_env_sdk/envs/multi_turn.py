"""`MultiTurnEnv`: an environment of several turns, with Gymnasium's `reset` and `step`."""

import copy
import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

import gymnasium

from grpo_env_sdk.data.messages import assistant_message, observation_messages
from grpo_env_sdk.data.opening import row_messages, row_opening
from grpo_env_sdk.data.rows import given_row
from grpo_env_sdk.envs.episode_books import EpisodeBooks, construct_again, readable
from grpo_env_sdk.envs.protocol import check_tool_names
from grpo_env_sdk.envs.row_tools import check_toolbox_is_declared, has_tools_of_rows
from grpo_env_sdk.envs.spaces import ActionSpace, MessageSpace
from grpo_env_sdk.envs.tokenizer import rows_with_tokenizer
from grpo_env_sdk.envs.traits import toolbox_of
from grpo_env_sdk.envs.user_turns import RecordedWords, opened_by_user
from grpo_env_sdk.errors import ContractError, EpisodeOverError, ScoreError
from grpo_env_sdk.isolation.tracebacks import defined_at, name_of
from grpo_env_sdk.rewards.rubric import check_score
from grpo_env_sdk.rewards.scorer import Scorer
from grpo_env_sdk.types import Message, Row, StopReason, row_seed

Step = tuple[Any, float, bool, bool, dict[str, Any]]


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

    _grpo: EpisodeBooks

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """An instance with the books of an episode, whatever the author's constructor does."""
        if (args or kwargs) and cls.__init__ is object.__init__:
            raise TypeError(f"{cls.__name__}() takes no arguments")  # as it would without this __new__
        env = super().__new__(cls)
        vars(env)["_grpo"] = EpisodeBooks(name_of(cls), (args, kwargs))
        env.observation_space = MessageSpace()
        env.action_space = ActionSpace()
        return env

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Keep the books around an author's own `reset` and `step`: rows, turns, messages, rewards."""
        super().__init_subclass__(**kwargs)
        check_tool_names(cls)
        if "reset" in vars(cls):
            cls.reset = _keeping_reset(cls.reset)  # type: ignore[method-assign]  # wrapped in place, once a class
        if "step" in vars(cls):
            cls.step = _keeping_step(cls.step)  # type: ignore[method-assign]  # wrapped in place, once a class

    def build_dataset(self, tokenizer: Any) -> Any:
        """The rows; see `Environment.build_dataset`."""
        raise ContractError(f"{name_of(self)} has no build_dataset.", "Write one that returns rows with a prompt.")

    def get_tools(self) -> list[dict[str, Any]]:
        """The schemas of the tools that the model may call; none unless a subclass has some."""
        return []

    def setup(self, row: Row) -> None:
        """Fill `self` for the episode of this row; called by `reset`."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin the episode of the row in `options` (None draws one); gives the opening messages."""
        super().reset(seed=seed)
        row = self._grpo.row
        self.setup(row)
        return row_messages(row), {}

    def step(self, action: Message) -> Step:
        """Answer one assistant's message: observation, reward, terminated, truncated, info."""
        raise ContractError(f"{name_of(self)} has no step.", "Write step(self, action), or use ToolEnv.")

    def score_episode(self, model: Any, tokenizer: Any, completion: Any, **columns: Any) -> float | None:
        """The score of a transcript, replayed on a new instance."""
        given = columns.get("row")
        row: Row = dict(given) if isinstance(given, Mapping) and "prompt" in given else columns
        env = construct_again(self)
        books: EpisodeBooks = env._grpo
        if not isinstance(completion, str):
            books.user = RecordedWords(completion)
        try:
            env.reset(seed=row_seed(row), options=row)
            books.scored_by_caller = True
            said = [{"role": "assistant", "content": completion}] if isinstance(completion, str) else completion
            for message in said:
                if books.running and message.get("role") == "assistant":
                    env.step(message)
            return Scorer(env).score(books.episode("truncated" if books.running else "terminated")).value
        finally:
            env.close()

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_grpo": copy.copy(self._grpo)}  # a copy has its own books


def _row_for(env: MultiTurnEnv, options: Mapping[str, Any] | None) -> Row:
    """The given row, or one drawn from the training rows."""
    if (row := given_row(options)) is not None:
        return row
    books = env._grpo
    if books.rows is None:
        books.rows, _ = rows_with_tokenizer(env, books.tokenizer, "train")
    return books.rows[int(env.np_random.integers(len(books.rows)))]  # type: ignore[no-any-return]  # an int gives a row


def _end(env: MultiTurnEnv, reward: float, stop_reason: StopReason, info: dict[str, Any]) -> float:
    """The last reward with the weighted rewards added; `info` receives each of them."""
    books = env._grpo
    books.running = False
    if books.scored_by_caller:
        return reward
    score = Scorer(env).score(books.episode(stop_reason))
    info["rewards"], info["score"] = score.parts, score.value
    return reward if score.value is None else reward + score.value - sum(books.step_rewards)


def _keeping_reset(reset: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(reset)
    def begin(self: MultiTurnEnv, *, seed: int | None = None, options: Any = None) -> Any:
        books = self._grpo
        if books.in_author_code:
            return reset(self, seed=seed, options=options)
        gymnasium.Env.reset(self, seed=seed)
        row = _row_for(self, options)
        books.begin(row)
        books.in_author_code = True
        try:
            result = reset(self, seed=seed, options=row)
        finally:
            books.in_author_code = False
        if not isinstance(result, tuple) or len(result) != 2 or not isinstance(result[1], dict):
            raise ContractError(
                f"{name_of(self)}.reset returned {result!r:.80} ({defined_at(reset)}).",
                "Return (observation, info), where info is a dict.",
            )
        _observed(self, reset, result[0])
        books.open(row_opening(row, result[0]))
        return _with_tools(self, opened_by_user(self, result))

    return begin


def _with_tools(env: MultiTurnEnv, result: tuple[Any, dict[str, Any]]) -> tuple[Any, dict[str, Any]]:
    """What `reset` returns; `info` has the schemas of the tools where they belong to the row."""
    if has_tools_of_rows(env):
        return result[0], result[1] | {"tools": toolbox_of(env).schemas}
    if env._grpo.collect_tools:
        check_toolbox_is_declared(env)
    return result


def _keeping_step(step: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(step)
    def advance(self: MultiTurnEnv, action: Any) -> Step:
        books = self._grpo
        if books.in_author_code:
            return step(self, action)  # type: ignore[no-any-return]  # the author's own
        if not books.running:
            raise EpisodeOverError("This episode is over, or has not started.", "Call reset() first.")
        message = assistant_message(action, books.turns)
        books.messages.append(message)
        books.turns += 1
        noted = len(books.tool_calls)
        books.in_author_code = True
        try:
            result = step(self, message)
        finally:
            books.in_author_code = False
        observation, reward, terminated, truncated, info = _checked(self, step, result)
        observed = _observed(self, step, observation)
        books.note_answers(message, observed, noted)
        books.messages += observed
        books.step_rewards.append(reward)
        if not (terminated or truncated) and books.turns >= self.max_turns:
            truncated = True
            info["stop_reason"] = "max_turns"
        if terminated or truncated:
            stop_reason: StopReason = "terminated" if terminated else info.get("stop_reason", "truncated")
            reward = _end(self, reward, stop_reason, info)
        return observation, reward, terminated, truncated, info

    return advance


def _observed(env: MultiTurnEnv, method: Any, observation: Any) -> list[Message]:
    """The observation as messages; an invalid one is reported with the method that returned it."""
    try:
        return observation_messages(observation)
    except ContractError as exc:
        place = f"{name_of(env)}.{method.__name__} ({defined_at(method)})"
        raise ContractError(f"{place}: {exc.message}", exc.hint) from None


def _checked(env: MultiTurnEnv, step: Any, result: Any) -> Step:
    """Gymnasium's five values, with the reward a finite float."""
    if not isinstance(result, tuple) or len(result) != 5 or not isinstance(result[4], dict):
        raise ContractError(
            f"{name_of(env)}.step returned {result!r:.80} ({defined_at(step)}).",
            "Return (observation, reward, terminated, truncated, info), where info is a dict.",
        )
    observation, reward, terminated, truncated, info = result
    return observation, _step_reward(env, step, reward), bool(terminated), bool(truncated), dict(info)


def _step_reward(env: MultiTurnEnv, step: Any, reward: Any) -> float:
    """The reward of a step as a float; None, which elsewhere means no opinion, cannot be added up."""
    hint = "Return a number: 0.0 for a step that earns nothing."
    try:
        number = check_score(reward, f"{name_of(env)}.step")
    except ScoreError as exc:
        raise ScoreError(exc.message, hint) from None
    if number is None:
        raise ScoreError(f"{name_of(env)}.step returned the reward None ({defined_at(step)}).", hint)
    return number


MultiTurnEnv.reset = _keeping_reset(MultiTurnEnv.reset)  # type: ignore[method-assign]  # for subclasses without their own
