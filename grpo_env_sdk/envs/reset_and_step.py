"""An author's `reset` and `step`, plain or async, with the SDK's books kept around them: rows, turns, rewards.

What runs the author's code is a generator that yields what a call gave and is sent the result: `through` runs it at
once where nothing is awaitable, so that one text serves plain and async classes.
"""

import functools
import inspect
from collections.abc import Callable, Generator, Mapping
from types import FunctionType
from typing import Any

import gymnasium

from grpo_env_sdk.data.messages import assistant_message, observation_messages
from grpo_env_sdk.data.opening import row_messages, row_opening
from grpo_env_sdk.data.rows import given_row
from grpo_env_sdk.envs.episode_books import EpisodeBooks, construct_again
from grpo_env_sdk.envs.row_tools import check_toolbox_is_declared, has_tools_of_rows
from grpo_env_sdk.envs.tokenizer import rows_with_tokenizer
from grpo_env_sdk.envs.traits import DEFAULT_MAX_TURNS, toolbox_of
from grpo_env_sdk.envs.user_turns import RecordedWords, opened_by_user
from grpo_env_sdk.errors import ContractError, EpisodeOverError, ScoreError
from grpo_env_sdk.isolation.author_code.author_classes import BASES
from grpo_env_sdk.isolation.calls.async_calls import Pending, awaited_through, through
from grpo_env_sdk.isolation.calls.tracebacks import defined_at, name_of
from grpo_env_sdk.rewards.rubric import check_score
from grpo_env_sdk.rewards.scorer import Scorer
from grpo_env_sdk.types import Message, Row, Score, StopReason, row_seed

Step = tuple[Any, float, bool, bool, dict[str, Any]]
Work = Generator[Any, Any, Any]
_MAY_BE_ASYNC = ("setup", "reset", "step", "close")


def is_async(cls: type) -> bool:
    """Whether a class awaits in `setup`, `reset`, `step` or `close`, so that its `reset` and `step` are coroutines."""
    methods = (method for name in _MAY_BE_ASYNC if callable(method := getattr(cls, name, None)))
    return any(_awaits_quickly(method) if isinstance(method, FunctionType) else _awaits(method) for method in methods)


def _awaits(method: Any) -> bool:
    return inspect.iscoroutinefunction(inspect.unwrap(method))


_awaits_quickly = functools.lru_cache(maxsize=64)(_awaits)
"""Asked four times for each episode; functions can be keys, what else an author calls by these names may not."""


def given_back(env: Any, work: Work) -> Any:
    """What a caller of `reset` or `step` gets: a result, and of an async class a coroutine.

    Drivers get the result where nothing has to be awaited, so that plain code of an async class runs in their threads.
    """
    books: EpisodeBooks = env._grpo
    return awaited_through(work) if books.is_async and not books.scored_by_caller else through(work)


def set_up(env: Any) -> Work:
    """The `reset` of the base class: fills the instance, and gives the opening messages."""
    row = env._grpo.row
    yield env.setup(row)
    return row_messages(row), {}


def replayed(env: Any, completion: Any, columns: Mapping[str, Any]) -> Work:
    """The score of a transcript, replayed on another instance."""
    given = columns.get("row")
    row: Row = dict(given) if isinstance(given, Mapping) and "prompt" in given else dict(columns)
    again = construct_again(env)
    books: EpisodeBooks = again._grpo
    if not isinstance(completion, str):
        books.user = RecordedWords(completion)
    try:
        yield again.reset(seed=row_seed(row), options=row)
        books.scored_by_caller = True
        said = [{"role": "assistant", "content": completion}] if isinstance(completion, str) else completion
        for message in said:
            if books.running and message.get("role") == "assistant":
                yield again.step(message)
        score = yield from _scored(again, "truncated" if books.running else "terminated")
        return score.value
    finally:
        yield again.close()


def keeping_reset(reset: Callable[..., Any]) -> Callable[..., Any]:
    """A `reset` that draws the row, and opens the books of its episode."""

    @functools.wraps(reset)
    def begin(self: Any, *, seed: int | None = None, options: Any = None) -> Any:
        if self._grpo.in_author_code:
            return _given_to_author(self, reset(self, seed=seed, options=options))
        return given_back(self, _reset(self, reset, seed, options))

    return begin


def keeping_step(step: Callable[..., Any]) -> Callable[..., Any]:
    """A `step` that writes the turn, its observation and its reward into the books."""

    @functools.wraps(step)
    def advance(self: Any, action: Any) -> Any:
        if self._grpo.in_author_code:
            return _given_to_author(self, step(self, action))
        return given_back(self, _step(self, step, action))

    return advance


def _given_to_author(env: Any, result: Any) -> Any:
    """What `super().reset()` and `super().step()` give: something to await in an async class, whatever they did."""

    async def done() -> Any:
        return result

    return Pending(done, []) if env._grpo.is_async and not inspect.isawaitable(result) else result


def _reset(env: Any, reset: Callable[..., Any], seed: int | None, options: Any) -> Work:
    if not options or not str(reset.__module__).startswith(BASES):  # ours seeds too, and nothing is drawn before it
        gymnasium.Env.reset(env, seed=seed)
    row, books = _row_for(env, options), env._grpo
    books.begin(row)
    books.in_author_code = True
    try:
        result = yield reset(env, seed=seed, options=row)
    finally:
        books.in_author_code = False
    if not isinstance(result, tuple) or len(result) != 2 or not isinstance(result[1], dict):
        raise ContractError(
            f"{name_of(env)}.reset returned {result!r:.80} ({defined_at(reset)}).",
            "Return (observation, info), where info is a dict.",
        )
    _observed(env, reset, result[0])
    books.open(row_opening(row, result[0]))
    return _with_tools(env, (yield from opened_by_user(env, result)))


def _with_tools(env: Any, result: tuple[Any, dict[str, Any]]) -> tuple[Any, dict[str, Any]]:
    """What `reset` returns; `info` has the schemas of the tools where they belong to the row."""
    if has_tools_of_rows(env):
        return result[0], result[1] | {"tools": toolbox_of(env).schemas}
    if env._grpo.collect_tools:
        check_toolbox_is_declared(env)
    return result


def _step(env: Any, step: Callable[..., Any], action: Any) -> Work:
    books: EpisodeBooks = env._grpo
    if not books.running:
        raise EpisodeOverError("This episode is over, or has not started.", "Call reset() first.")
    message = assistant_message(action, books.turns)
    books.messages.append(message)
    books.turns += 1
    noted = len(books.tool_calls)
    books.in_author_code = True
    try:
        result = yield step(env, message)
    finally:
        books.in_author_code = False
    observation, reward, terminated, truncated, info = _checked(env, step, result)
    observed = _observed(env, step, observation)
    books.note_answers(message, observed, noted)
    books.messages += observed
    books.step_rewards.append(reward)
    if not (terminated or truncated) and books.turns >= (DEFAULT_MAX_TURNS if env.max_turns is None else env.max_turns):
        truncated = True
        info["stop_reason"] = "max_turns"
    if terminated or truncated:
        stop_reason: StopReason = "terminated" if terminated else info.get("stop_reason", "truncated")
        reward = yield from _ended(env, reward, stop_reason, info)
    return observation, reward, terminated, truncated, info


def _ended(env: Any, reward: float, stop_reason: StopReason, info: dict[str, Any]) -> Generator[Any, Any, float]:
    """The last reward with the weighted rewards added; `info` receives each of them."""
    books: EpisodeBooks = env._grpo
    books.running = False
    if books.scored_by_caller:
        return reward
    score = yield from _scored(env, stop_reason)
    info["rewards"], info["score"] = score.parts, score.value
    return reward if score.value is None else reward + score.value - sum(books.step_rewards)


def _scored(env: Any, stop_reason: StopReason) -> Generator[Any, Any, Score]:
    """The score of the episode so far; an async class awaits its rewards in the loop that it is in."""
    books, scorer = env._grpo, Scorer(env)
    if books.is_async:
        return (yield from scorer.scoring(books.episode(stop_reason)))
    return scorer.score(books.episode(stop_reason))


def _row_for(env: Any, options: Mapping[str, Any] | None) -> Row:
    """The given row, or one drawn from the training rows."""
    if (row := given_row(options)) is not None:
        return row
    books = env._grpo
    if books.rows is None:
        books.rows, _ = rows_with_tokenizer(env, books.tokenizer, "train")
    return books.rows[int(env.np_random.integers(len(books.rows)))]  # type: ignore[no-any-return]  # an int gives a row


def _observed(env: Any, method: Any, observation: Any) -> list[Message]:
    """The observation as messages; an invalid one is reported with the method that returned it."""
    try:
        return observation_messages(observation)
    except ContractError as exc:
        place = f"{name_of(env)}.{method.__name__} ({defined_at(method)})"
        raise ContractError(f"{place}: {exc.message}", exc.hint) from None


def _checked(env: Any, step: Any, result: Any) -> Step:
    """Gymnasium's five values, with the reward a finite float."""
    if not isinstance(result, tuple) or len(result) != 5 or not isinstance(result[4], dict):
        raise ContractError(
            f"{name_of(env)}.step returned {result!r:.80} ({defined_at(step)}).",
            "Return (observation, reward, terminated, truncated, info), where info is a dict.",
        )
    observation, reward, terminated, truncated, info = result
    return observation, _step_reward(env, step, reward), bool(terminated), bool(truncated), dict(info)


def _step_reward(env: Any, step: Any, reward: Any) -> float:
    """The reward of a step as a float; None, which elsewhere means no opinion, cannot be added up."""
    hint = "Return a number: 0.0 for a step that earns nothing."
    try:
        number = check_score(reward, f"{name_of(env)}.step")
    except ScoreError as exc:
        raise ScoreError(exc.message, hint) from None
    if number is None:
        raise ScoreError(f"{name_of(env)}.step returned the reward None ({defined_at(step)}).", hint)
    return number
