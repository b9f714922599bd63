"""Async classes by hand: what is a coroutine, and what is not."""

import asyncio
import copy
import inspect
import pickle
from contextlib import asynccontextmanager, contextmanager

import pytest

from grpo_env_sdk import ToolEnv, call_message, evaluate, load, reward, tool
from grpo_env_sdk.envs.solution import Solution
from grpo_env_sdk.errors import ContractError, DeadlineError, EnvironmentFailedError, NotOpenError
from grpo_env_sdk.types import Turn

ROW = {"prompt": "Say 3.", "number": 3}


class Plain(ToolEnv):
    def build_dataset(self, tokenizer):
        return [ROW]

    def setup(self, row):
        self.seen = []

    @tool
    async def look(self) -> int:
        """Look."""
        await asyncio.sleep(0)
        self.seen.append("look")
        return self.row["number"]

    @tool
    def peek(self) -> int:
        """Peek."""
        self.seen.append("peek")
        return self.row["number"]

    @reward
    async def right(self, messages, number):
        await asyncio.sleep(0)
        return messages[-1]["content"] == str(number)


class AsyncSetup(Plain):
    async def setup(self, row):
        await asyncio.sleep(0)
        super().setup(row)


class AsyncStep(Plain):
    """An async `step` of its own around that of the base class, and a plain `reset`."""

    async def step(self, action):
        observation, reward, terminated, truncated, info = await super().step(action)
        return observation, reward, terminated, truncated, {**info, "metrics": {"own": 1.0}}


class AsyncReset(Plain):
    async def reset(self, *, seed=None, options=None):
        observation, info = await super().reset(seed=seed, options=options)
        return [*observation, {"role": "user", "content": "Begin."}], info


async def by_hand(env):
    await env.reset(options=ROW)
    for name in ("look", "peek"):
        observation, _, _, _, _ = await env.step(call_message(name))
        assert observation[0]["content"] == "3"
    _, last, terminated, _, info = await env.step("3")
    again = await env.score_episode(None, None, env.messages[env._grpo.opening :], **ROW)
    return env.seen, last, terminated, info["score"], again


def test_async_tools_and_rewards_alone_leave_reset_and_step_plain():
    env = Plain()
    env.reset(options=ROW)
    assert env.step(call_message("look"))[0][0]["content"] == "3"
    assert env.step("3")[1:3] == (1.0, True)


@pytest.mark.parametrize("env", [AsyncSetup, AsyncStep, AsyncReset])
def test_one_async_method_makes_reset_and_step_coroutines(env):
    assert asyncio.run(by_hand(env())) == (["look", "peek"], 1.0, True, 1.0, 1.0)
    waiting = env().reset(options=ROW)
    assert inspect.iscoroutine(waiting)
    waiting.close()


@pytest.mark.parametrize("env", [Plain, AsyncSetup, AsyncStep, AsyncReset])
def test_drivers_play_them_all_alike(env):
    class Says:
        name = "says"

        async def respond(self, request):
            return Turn((call_message("look"), call_message("peek"), "3")[request.turn])

    (episode,) = evaluate(env, Says(), split="all").episodes
    assert (episode.reward, episode.turns, episode.error) == (1.0, 3, None)
    assert [one["content"] for one in episode.messages if one["role"] == "tool"] == ["3", "3"]


def test_what_is_taken_for_the_result_of_an_async_method_says_await():
    class Unpacks(AsyncSetup):
        def reset(self, *, seed=None, options=None):
            observation, info = super().reset(seed=seed, options=options)
            return observation, info

    class Indexes(AsyncStep):
        async def reset(self, *, seed=None, options=None):
            return super().reset(seed=seed, options=options)[0], {}

    for cls in (Unpacks, Indexes):
        with pytest.raises(TypeError, match="await it, in an `async def`"):
            asyncio.run(cls().reset(options=ROW))


def test_errors_of_async_code_are_those_of_its_lines():
    class Fails(AsyncSetup):
        async def setup(self, row):
            raise LookupError("no such city")

    (episode,) = evaluate(Fails, "random", split="all").episodes
    assert (episode.stop_reason, episode.error.stage, episode.error.type) == ("env_error", "reset", "LookupError")
    assert "test_async_classes.py" in episode.error.traceback
    assert "grpo_env_sdk/" not in episode.error.traceback


def texts():
    return "a text"


async def later():
    return "a text"


def generator():
    answered = yield call_message("look")
    yield answered[0]["content"]


async def async_generator():
    answered = yield call_message("look")
    yield answered[0]["content"]


@pytest.mark.parametrize(
    ("solve", "said"), [(texts, ["a text"]), (later, ["a text"]), (generator, ["3"]), (async_generator, ["3"])]
)
def test_a_solution_is_a_text_or_generator_plain_or_async(solve, said):
    class Solved(Plain):
        def solve(self, row):
            return solve()

    async def messages():
        solution, found = Solution(Solved(), ROW), []
        for transcript in ([], [{"role": "assistant"}, {"role": "tool", "content": "3"}], [{}] * 4):
            message = solution.next_message(transcript)
            found.append(await message if inspect.isawaitable(message) else message)
        return [message for message in found if isinstance(message, str) and message]

    assert asyncio.run(messages()) == said


def test_a_solution_may_say_a_list_of_messages_with_yield_from():
    def part(heard):
        yield from ["1", "2"]
        heard.append((yield "3"))

    class Solved(Plain):
        def solve(self, row):
            heard = []
            yield from part(heard)
            yield heard[0][0]["content"]

    solution = Solution(Solved(), ROW)
    answers = [[{"content": "before"}] * (2 * turn) + [{"content": "heard"}] for turn in range(5)]
    assert [solution.next_message(transcript) for transcript in answers] == ["1", "2", "3", "heard", ""]


class Shares(Plain):
    @contextmanager
    def open_shared(self):
        yield object()


class PlainShares:
    """A plain class with tools, whose instances are copies."""

    @contextmanager
    def open_shared(self):
        yield asyncio.Lock()

    def build_dataset(self, tokenizer):
        return [ROW]

    def get_tools(self):
        return [{"type": "function", "function": {"name": "look", "description": "Look.", "parameters": {}}}]

    async def look(self):
        async with self.shared:
            return "3"

    async def score_episode(self, model, tokenizer, completion):
        async with self.shared:
            return 1.0


@pytest.mark.parametrize("env", [Shares, PlainShares])
def test_every_instance_sees_the_one_object_while_it_is_open(env):
    loaded = load(env)
    with loaded.held_open(), loaded.held_open():
        assert {id(loaded.instance().shared) for _ in range(3)} == {id(loaded.env.shared)}
    assert "shared" not in vars(loaded.env)


def test_a_plain_class_with_async_tools_and_scores_uses_it():
    assert [one.reward for one in evaluate(PlainShares, "random", split="all", samples=8).episodes] == [1.0] * 8


def test_copies_and_pickles_leave_what_is_shared_behind():
    env = Shares()
    env.shared = asyncio.get_running_loop  # what cannot be pickled
    for other in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        with pytest.raises(NotOpenError, match="is not open"):
            _ = other.shared


def test_shared_of_a_class_that_opens_nothing_is_the_authors_own_name():
    env = Plain()
    with pytest.raises(NotOpenError, match="has no open_shared"):
        _ = env.shared
    assert not hasattr(env, "shared")
    env.shared = [1]
    assert copy.deepcopy(env).shared == [1]


@pytest.mark.parametrize("base", [Shares, PlainShares])
def test_rows_may_come_from_what_is_shared_which_is_opened_for_them(base):
    events = []

    class Early(base):
        @contextmanager
        def open_shared(self):
            events.append("opened")
            yield asyncio.Lock()
            events.append("left")

        def build_dataset(self, tokenizer):
            rows = [{**ROW, "prompt": type(self.shared).__name__}]
            return rows * 2

    loaded = load(Early)
    assert events == []
    assert loaded.rows()[0]["prompt"] == "Lock"
    assert (events, "shared" in vars(loaded.env)) == (["opened", "left"], False)
    assert evaluate(loaded, "random", split="all").summary["scored"] == 2
    assert events == ["opened", "left"] * 2
    events.clear()
    other = load(Early)
    with other.held_open():
        assert len(other.rows()) == 2
    assert events == ["opened", "left"]


def test_a_constructor_runs_before_anything_is_open():
    class Early(Shares):
        def __init__(self):
            self.client = self.shared

    with pytest.raises(NotOpenError, match="a run opens it after __init__"):
        load(Early)


def undecorated(self):
    yield 1


async def only_async(self):
    return 1


@asynccontextmanager
async def well(self):
    yield 1


@contextmanager
def broken(self):
    raise OSError("no such model")
    yield


@pytest.mark.parametrize(
    ("attributes", "told"),
    [
        ({"open_shared": undecorated}, "has no decorator. Decorate it with @contextmanager"),
        ({"open_shared": only_async}, "is async and has no decorator. Decorate it with @asynccontextmanager"),
        ({"open_shared": asynccontextmanager(only_async)}, "yields nothing"),
        (
            {"open_shared": contextmanager(inspect.unwrap(well))},
            "decorated with @contextmanager. Decorate it with @a",
        ),
        ({"open_shared": asynccontextmanager(undecorated)}, "is decorated with @asynccontextmanager. Decorate it with"),
        ({"open_shared": lambda self: 3}, "returned 3, which is no context manager"),
        ({"open_shared": well, "shared_on_main_thread": True}, "is async, and the class sets shared_on_main_thread"),
        ({"open_shared": well, "isolate_globals": True}, "is async, and the class sets isolate_globals"),
        ({"open_shared": broken}, "raised OSError: no such model"),
        ({"open_shared": broken, "shared_on_main_thread": True}, "raised OSError: no such model"),
    ],
)
def test_what_cannot_be_opened_is_refused_in_one_line(attributes, told):
    with pytest.raises((ContractError, EnvironmentFailedError)) as raised:
        evaluate(type("Wrong", (Plain,), attributes), "random", split="all")
    assert told in str(raised.value)


def test_an_open_that_hangs_is_given_up():
    class Hangs(Plain):
        @asynccontextmanager
        async def open_shared(self):
            await asyncio.sleep(60)
            yield

    loaded = load(Hangs, build_timeout=1.0)
    with pytest.raises(DeadlineError, match=r"Hangs\.open_shared did not come back within 1 s"), loaded.held_open():
        pass
