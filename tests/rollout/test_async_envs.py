"""Asynchronous environments on a real server: the same transcripts at any concurrency, and nothing is left open."""

import asyncio
import threading
import time
from contextlib import asynccontextmanager, contextmanager

import pytest

from grpo_env_sdk import (
    Limits,
    MultiTurnEnv,
    ToolEnv,
    call_message,
    check_env,
    evaluate,
    make,
    reward,
    to_gymnasium,
    tool,
)
from grpo_env_sdk.cli import main
from grpo_env_sdk.errors import ProcessStuckError, UsageError
from tests.remote_adder import AdderServer, RemoteGuess, RemoteTools

BOTH = pytest.mark.parametrize("env", [RemoteTools, RemoteGuess])


@pytest.fixture
def server():
    with AdderServer() as serving:
        yield serving
        assert serving.open == {}


def played(env, policy, url, **options):
    found = evaluate(env, policy, config={"url": url}, split="all", **options)
    assert [episode.error for episode in found.episodes] == [None] * len(found.episodes)
    return sorted((one.row_index, one.sample, str(one.messages), one.reward) for one in found.episodes)


@BOTH
def test_gold_reaches_the_top_with_one_client_for_all_episodes(server, env):
    assert {reward for *_, reward in played(env, "gold", server.url)} == {1.0}
    assert server.opened == 24
    assert len(server.clients) == 1


@BOTH
def test_transcripts_are_the_same_at_any_concurrency(server, env):
    alone, together = (played(env, "random", server.url, samples=3, concurrency=n) for n in (1, 64))
    assert alone == together


@BOTH
def test_checks_find_nothing_and_close_every_session(server, env):
    names = [
        "E301",
        "E302",
        "E303",
        "E304",
        "E306",
        "E307",
        "E313",
        "E320",
        "E323",
        "S210",
        "S212",
        "S230",
        "T402",
        "K710",
    ]
    report = check_env(env, config={"url": server.url}, select=names, env_pool="thread", effort="quick")
    assert report.findings == []
    assert len(server.clients) == 1


def test_a_check_finds_state_that_episodes_share(server):
    class Mixes(RemoteTools):
        """Keeps the row of an episode where every episode writes its own."""

        async def setup(self, row):
            await super().setup(row)
            self.shared.b = row["b"]

        @reward
        async def right(self, b):
            await asyncio.sleep(0.001)
            return self.shared.b == b

    report = check_env(Mixes, config={"url": server.url}, select=["E304"], env_pool="thread", effort="default")
    assert [finding.check for finding in report.findings] == ["E304"]


@BOTH
def test_gymnasium_gets_a_plain_environment(server, env):
    plain = to_gymnasium(env, {"url": server.url})
    answers = [call_message("add", number=3), "It is 3."] if env is RemoteTools else ["3", "5"]
    for _ in range(2):
        _, info = plain.reset(seed=1)
        assert info == {}
        results = [plain.step(answer) for answer in answers]
        assert [terminated for _, _, terminated, _, _ in results] == [False, env is RemoteTools]
    assert len(server.open) == 1
    plain.close()


@BOTH
def test_by_hand_reset_step_and_a_replayed_score_are_awaited(server, env):
    async def by_hand():
        played = make(f"tests.remote_adder:{env.__name__}", url=server.url)
        async with played.open_shared() as played.shared:
            await played.reset(options=next(iter(played.build_dataset(None))))
            said = [call_message("add", number=5), call_message("add", number=11), "It is 16."]
            for message in said if env is RemoteTools else ["10"]:
                _, reward, terminated, _, _ = await played.step(message)
            completion = played.messages[1:]
            again = await played.score_episode(None, None, completion, **played.row)
            await played.close()
            return reward, terminated, again

    assert asyncio.run(by_hand()) == (1.0, True, 1.0)


def test_a_replayed_run_has_the_scores_of_the_first(server, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    config = ("--env-config", f'{{"url": "{server.url}"}}')
    assert main(["eval", "tests.remote_adder:RemoteTools", "--model", "gold", *config, "--out", "run"]) == 0
    assert main(["rescore", "run", "--out", "again"]) == 0
    assert main(["play", "tests.remote_adder:RemoteTools", *config, "--gold"]) == 0
    assert "reward 1 (terminated, 3 turns)" in capsys.readouterr().out


class Opens(ToolEnv):
    """Notes when it is opened and closed."""

    events: list = []  # noqa: RUF012

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Say {number}."} for number in range(12)]

    @contextmanager
    def open_shared(self):
        self.events.append(("opened", threading.current_thread() is threading.main_thread()))
        try:
            yield self.events
        finally:
            self.events.append("closed")

    @tool
    def look(self) -> int:
        """How many events there were."""
        return len(self.shared)

    @reward
    def good(self):
        return float(self.shared[-1] != "closed")


@pytest.fixture
def events():
    Opens.events.clear()
    return Opens.events


@pytest.mark.parametrize("on_main_thread", [False, True])
def test_a_plain_resource_is_opened_once_and_on_the_main_thread_where_asked(events, on_main_thread):
    env = type("Asks", (Opens,), {"shared_on_main_thread": on_main_thread})
    episodes = evaluate(env, "random", split="all").episodes
    assert {episode.reward for episode in episodes} == {1.0}
    assert events == [("opened", on_main_thread), "closed"]


def test_a_run_in_another_thread_cannot_open_what_wants_the_main_one(events):
    async def inside_a_loop():
        return evaluate(type("Asks", (Opens,), {"shared_on_main_thread": True}), "random")

    with pytest.raises(UsageError, match="wants the main thread"):
        asyncio.run(inside_a_loop())
    assert events == []


def test_a_policy_that_fails_leaves_nothing_open(events):
    class Leaves:
        name = "leaves"

        async def respond(self, request):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate(Opens, Leaves())
    assert events[-1] == "closed"


def test_a_resource_that_cannot_be_opened_is_one_line_and_no_episode(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fails.py").write_text(
        "from contextlib import asynccontextmanager\n"
        "from tests.remote_adder import RemoteTools\n"
        "class Fails(RemoteTools):\n"
        "    @asynccontextmanager\n"
        "    async def open_shared(self):\n"
        "        raise ConnectionRefusedError('nobody listens at port 9')\n"
        "        yield\n"
    )
    assert main(["eval", "fails:Fails", "--model", "random"]) == 2
    (line,) = [line for line in capsys.readouterr().err.splitlines() if line.startswith("grpo-env:")]
    assert "Fails.open_shared raised ConnectionRefusedError: nobody listens at port 9 (fails.py:6)" in line
    report = check_env("fails:Fails", select=["C1"], env_pool="thread")
    assert [finding.check for finding in report.findings] == ["C102"]


def test_a_resource_that_ends_by_itself_ends_the_run():
    class Ends(RemoteTools):
        @asynccontextmanager
        async def open_shared(self):
            async def crash():
                await self.ended.wait()
                raise ConnectionResetError("the server has gone")

            self.ended = asyncio.Event()
            async with asyncio.TaskGroup() as group:
                group.create_task(crash())
                yield self.ended

        async def setup(self, row):
            self.shared.set()
            await asyncio.sleep(0.01)

        async def close(self):
            pass

    with pytest.raises(ProcessStuckError, match="open_shared ended in the middle of the run: ConnectionResetError"):
        evaluate(Ends, "random", split="all", concurrency=2)


class Blocks(MultiTurnEnv):
    """Row 3 does not await; every other row takes no time of its own."""

    seconds = 1.5

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Row {number}.", "number": number} for number in range(8)]

    async def step(self, action):
        await asyncio.sleep(0.01)
        if self.row["number"] == 3:
            time.sleep(self.seconds)
        await asyncio.sleep(0.01)
        return "on", 1.0, True, False, {}


def test_code_that_does_not_await_costs_its_own_episode_alone():
    episodes = evaluate(Blocks, "random", split="all", limits=Limits(call_seconds=1.0)).episodes
    assert [one.row_index for one in episodes if one.stop_reason == "timeout"] == [3]
    (late,) = [one for one in episodes if one.error]
    assert "blocks the event loop" in late.error.message
    assert "test_async_envs.py" in late.error.message


def test_code_that_never_awaits_ends_the_run_with_its_place():
    env = type("Stuck", (Blocks,), {"seconds": 4.0})
    with pytest.raises(ProcessStuckError, match=r"step has blocked the event loop .*test_async_envs\.py"):
        evaluate(env, "random", split="all", limits=Limits(call_seconds=0.5))
