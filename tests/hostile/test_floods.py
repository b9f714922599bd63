"""Servers that never finish a head, and environments that give values without end: one episode's error, in time."""

import asyncio
import itertools
import threading
from contextlib import contextmanager

import pytest

from grpo_env_sdk import SingleTurnEnv, ToolEnv, call_message, evaluate, open_run, reward, tool
from grpo_env_sdk.envs.loading import load
from grpo_env_sdk.envs.traits import toolbox_of
from grpo_env_sdk.evaluation.evaluate import EvalPlan, Evaluator, start
from grpo_env_sdk.policies.make import PolicySpec
from grpo_env_sdk.policies.openai_policy import OpenAIPolicy
from grpo_env_sdk.rollout.commands import Limits
from grpo_env_sdk.types import ToolCall, Turn

HINTS = b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" * 1000
FLOODS = {
    "early hints": (b"", HINTS), "headers": (b"HTTP/1.1 200 OK\r\n", b"X-Y: z\r\n" * 1000),
    "one line": (b"HTTP/1.1 200 ", b"x" * 10_000),
    "drops": (b"HTTP/1.1 200 OK\r\nContent-Length: 9999999\r\n\r\n", b" "),
}  # fmt: skip


@contextmanager
def flooding(first, more):
    """The address of a server that sends one thing, and then another one as long as somebody listens."""
    ready, url = threading.Event(), []

    async def answer(reader, writer):
        writer.write(first)
        while not writer.is_closing():
            writer.write(more)
            await writer.drain()
            await asyncio.sleep(0.001)

    async def serve():
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        url.append(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1")
        ready.set()
        await asyncio.to_thread(done.wait)
        server.close()

    done = threading.Event()
    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    ready.wait()
    try:
        yield url[0]
    finally:
        done.set()
        thread.join()


class Gives(ToolEnv):
    """Two rows; the tool gives what the class says."""

    given = staticmethod(itertools.count)
    arguments: dict = {}  # noqa: RUF012

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Row {number}"} for number in range(2)]

    def solve(self, row):
        yield call_message("look", **self.arguments)
        yield "done"

    @tool
    def look(self, page: int = 0):
        """Look.

        Args:
            page: Which page.
        """
        return self.given()

    @reward
    def right(self, completion):
        return 1.0


@pytest.mark.parametrize("flood", FLOODS)
def test_a_server_that_never_comes_to_its_answer_is_a_failure_of_the_turn(flood, tmp_path):
    with flooding(*FLOODS[flood]) as url:
        policy = OpenAIPolicy("x", url)
        evaluate(Gives, policy, split="all", limits=Limits(policy_seconds=1.0), out=tmp_path / "run")
    for episode in open_run(tmp_path / "run").episodes():
        assert episode.error.whose == "policy"
        assert episode.reward is None


@pytest.mark.parametrize(
    "given", [itertools.count, lambda: itertools.repeat("x"), lambda: 10**5000, lambda: 1 << 100_000]
)
def test_a_tool_that_gives_what_has_no_end_answers_with_its_name_or_an_error(given, tmp_path):
    env = type("Gives", (Gives,), {"given": staticmethod(given)})
    found = evaluate(env, "gold", split="all", out=tmp_path / "run")
    assert [episode.reward for episode in found.episodes] == [1.0, 1.0]
    assert len((tmp_path / "run/episodes.jsonl").read_text()) < 60_000


def test_arguments_that_json_cannot_hold_are_an_error_of_the_call(tmp_path):
    env = type("Gives", (Gives,), {"arguments": {"page": 10**5000}})
    found = evaluate(env, "gold", split="all", out=tmp_path / "run")
    assert all(episode.tool_calls[0]["error"] == "malformed_call" for episode in found.episodes)


@pytest.mark.parametrize("call", [
    ToolCall("id", "look" * 500_000, {}), ToolCall("id", "look", {f"pag{number}": 1 for number in range(20_000)}),
    ToolCall("id", "look", {"page" * 500_000: 1}), ToolCall("id", "look", '{"page": ' * 200_000),
    ToolCall("id", "look", {"page": ["x" * 1000] * 10_000}),
], ids=["name", "names", "argument", "nested", "value"])  # fmt: skip
def test_a_call_whose_parts_are_huge_is_an_error_for_the_model(call):
    assert toolbox_of(load(Gives).env).run(call).error is not None


class NamedLikeAPath:
    """A policy whose name leads out of every folder."""

    name = "../../../out\x1b[31m/../of"

    async def respond(self, request):
        return Turn({"role": "assistant", "content": "x"})


def test_names_that_are_paths_lead_out_of_no_folder(tmp_path, monkeypatch):
    place = tmp_path / "a/b/c/d/e"
    place.mkdir(parents=True)
    monkeypatch.chdir(place)
    env = type("Single", (SingleTurnEnv,), {"build_dataset": Gives.build_dataset, "right": Gives.right})
    env.__qualname__ = "../../../../out/of"
    evaluator = Evaluator(load(env), EvalPlan(PolicySpec("echo"), split="all"), NamedLikeAPath())
    with start(evaluator, None, place / "runs") as writer:
        folder = writer.run.path
    assert folder.parent == place / "runs"
    assert folder.name.isprintable()
    assert {path.name for path in tmp_path.rglob("*") if path.is_dir()} <= {*"abcde", "runs", folder.name}
