"""Environment code that raises anything at all: one episode's error, cut to a length, and the others are scored."""

import asyncio
import json

import pytest

from grpo_env_sdk import MultiTurnEnv, SingleTurnEnv, ToolEnv, call_message, evaluate, reward, tool


class TextRaises(Exception):
    def __str__(self):
        raise SystemExit("from __str__")

    __repr__ = __str__


class HugeText(Exception):
    def __str__(self):
        return "x" * 5_000_000


class NoText(Exception):
    def __str__(self):
        return 5


class OwnBase(BaseException):
    def __str__(self):
        raise KeyboardInterrupt


RAISED = {
    "text-raises": TextRaises, "huge-text": HugeText, "no-text": NoText, "own-base": OwnBase,
    "interrupt": KeyboardInterrupt, "exit": SystemExit, "generator-exit": GeneratorExit,
    "cancelled": asyncio.CancelledError, "stop-iteration": StopIteration,
    "group": lambda: BaseExceptionGroup("several", [KeyboardInterrupt()]),
    "syntax": lambda: SyntaxError("x", ("file", 1, 1, "y" * 5_000_000, 1, 2)),
}  # fmt: skip


class Rows:
    """Two rows, of which the second one's code raises."""

    raised = RuntimeError

    def build_dataset(self, tokenizer=None, **options):
        return [{"prompt": f"Row {index}", "bad": bool(index)} for index in range(2)]

    def maybe_raise(self, bad):
        if bad:
            raise self.raised()


class Scores(Rows, SingleTurnEnv):
    def solve(self, row):
        return "ok"

    @reward
    def right(self, completion, bad):
        self.maybe_raise(bad)
        return 1.0


class ScoresAsync(Rows, SingleTurnEnv):
    def solve(self, row):
        return "ok"

    @reward
    async def right(self, completion, bad):
        await asyncio.sleep(0)
        self.maybe_raise(bad)
        return 1.0


class Solves(Rows, SingleTurnEnv):
    def solve(self, row):
        self.maybe_raise(row["bad"])
        return "ok"

    @reward
    def right(self, completion):
        return 1.0


class Steps(Rows, MultiTurnEnv):
    def solve(self, row):
        yield "ok"

    def reset(self, *, seed=None, options=None):
        self.bad = options["bad"]
        return super().reset(seed=seed, options=options)

    def step(self, action):
        self.maybe_raise(self.bad)
        return "", 1.0, True, False, {}


class StepsAsync(Steps):
    async def step(self, action):
        await asyncio.sleep(0)
        self.maybe_raise(self.bad)
        return "", 1.0, True, False, {}


class Resets(Steps):
    def reset(self, *, seed=None, options=None):
        self.maybe_raise(options["bad"])
        self.bad = False
        return super().reset(seed=seed, options=options)


def played(cls, kind, folder):
    """The records of the sound row and of the bad one, as they are on disk."""
    env = type(cls.__name__, (cls,), {"raised": staticmethod(RAISED[kind])})
    evaluate(env, "gold", split="all", out=folder)
    text = (folder / "episodes.jsonl").read_text()
    assert len(text) < 60_000
    found = {record["row"]["bad"]: record for record in map(json.loads, text.splitlines())}
    return found[False], found[True]


@pytest.mark.parametrize("kind", RAISED)
@pytest.mark.parametrize("cls", [Scores, ScoresAsync, Solves, Steps, StepsAsync, Resets])
def test_whatever_is_raised_is_the_error_of_one_episode(cls, kind, tmp_path):
    sound, bad = played(cls, kind, tmp_path / "run")
    assert sound["reward"] == 1.0
    assert bad["reward"] is None
    assert bad["error"]["whose"] == ("policy" if cls is Solves else "environment")
    assert len(bad["error"]["message"]) < 2200
    assert len(bad["error"]["traceback"]) < 11_000


class Calls(Rows, ToolEnv):
    def solve(self, row):
        yield call_message("look", bad=row["bad"])
        yield "done"

    @reward
    def right(self, completion):
        return 1.0

    @tool
    def look(self, bad: bool) -> str:
        """Look.

        Args:
            bad: Whether to raise.
        """
        self.maybe_raise(bad)
        return "seen"


class CallsAsync(Calls):
    @tool
    async def look(self, bad: bool) -> str:
        """Look.

        Args:
            bad: Whether to raise.
        """
        await asyncio.sleep(0)
        self.maybe_raise(bad)
        return "seen"


@pytest.mark.parametrize("kind", [kind for kind in RAISED if isinstance(RAISED[kind](), Exception)])
@pytest.mark.parametrize("cls", [Calls, CallsAsync])
def test_an_exception_of_a_tool_is_its_result(cls, kind, tmp_path):
    sound, bad = played(cls, kind, tmp_path / "run")
    assert (sound["reward"], bad["reward"]) == (1.0, 1.0)
    assert bad["tool_calls"][0]["error"] in ("tool_failed", "timeout")
    assert len(bad["tool_calls"][0]["content"]) < 1200


@pytest.mark.parametrize("kind", [kind for kind in RAISED if not isinstance(RAISED[kind](), Exception)])
@pytest.mark.parametrize("cls", [Calls, CallsAsync])
def test_whatever_else_a_tool_raises_is_the_error_of_its_episode(cls, kind, tmp_path):
    sound, bad = played(cls, kind, tmp_path / "run")
    assert (sound["reward"], bad["reward"]) == (1.0, None)
    assert (bad["stop_reason"], bad["error"]["whose"]) == ("env_error", "environment")
    assert len(bad["error"]["message"]) < 2200


class HangingText(Exception):
    def __str__(self):
        import time

        time.sleep(30)
        return "late"


def test_a_text_that_never_comes_is_a_timeout_of_the_call(tmp_path):
    from grpo_env_sdk.rollout.commands import Limits

    env = type("Scores", (Scores,), {"raised": HangingText})
    found = evaluate(env, "gold", split="all", limits=Limits(call_seconds=0.5)).episodes
    assert {episode.row["bad"]: episode.stop_reason for episode in found} == {False: "terminated", True: "timeout"}
