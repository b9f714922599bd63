"""Environment code in worker processes: what it does to its process costs one episode, and nothing else."""

import asyncio
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import replace

import pytest

from grpo_env_sdk import Limits, evaluate, load, reward
from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.isolation.processes.env_pool import EnvPool
from grpo_env_sdk.isolation.processes.fork_server import _server_behind
from grpo_env_sdk.isolation.processes.forked import Forked
from grpo_env_sdk.rewards.score_rule import RewardPart, ScoreRule
from grpo_env_sdk.rollout.commands import RunTools, Scored, Step, Stepped
from grpo_env_sdk.rollout.encoding import decode_event, encode, encode_event
from grpo_env_sdk.rollout.episode import LiveEpisode
from grpo_env_sdk.rollout.event_types import adds_up, fits
from grpo_env_sdk.rollout.host import Job
from grpo_env_sdk.rollout.process_frames import BadFrameError, Frame, Packet, Unpacker
from grpo_env_sdk.rollout.process_host import ProcessHost, ProcessHosts
from grpo_env_sdk.rollout.process_talk import Worker
from grpo_env_sdk.types import ToolCall
from tests.environments import ALL, Countdown, Guess
from tests.rollout.hostile_envs import ACTS, Counting, Digging, Hostile, Lending, ScoresByModel
from tests.rollout.test_encoding import untimed

EXAMPLES = ("arithmetic-v1", "code-v1", "hotel-v1", "judge-v1", "shapes-v1", "sql-v1", "tickets-v1", "wordle-v1")


@contextmanager
def standard_error_in(path):
    """The descriptor that processes inherit, and not only what Python prints."""
    kept = os.dup(2)
    with open(path, "w") as file:
        os.dup2(file.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


@pytest.fixture(scope="module")
def attacked(tmp_path_factory):
    folder = tmp_path_factory.mktemp("attacked")
    with standard_error_in(folder / "stderr"):
        found = evaluate(
            Hostile, "random", config={"pids": str(folder / "pids")}, split="all", limits=Limits(call_seconds=1.0),
            samples=2, env_pool="process", env_workers=2, env_memory=0.5,
        )  # fmt: skip
    return folder, {(episode.row["act"], episode.sample): episode for episode in found.kept}


def test_every_episode_of_an_attack_has_a_record_and_the_harmless_ones_a_score(attacked):
    _, episodes = attacked
    assert len(episodes) == 2 * len(ACTS)
    for act in ("behave", "wander", "write", "fork"):
        for sample in range(2):
            assert (episodes[act, sample].reward, episodes[act, sample].error) == (1.0, None)


@pytest.mark.parametrize(
    ("act", "told"),
    [
        ("crash", "SIGSEGV"),
        ("exit", "exit code 3"),
        ("slam", "a descriptor was closed"),
    ],
)
def test_a_process_that_ends_costs_its_episode_which_says_how_and_in_which_row(attacked, act, told):
    for sample in range(2):
        episode = attacked[1][act, sample]
        assert (episode.stop_reason, episode.reward, episode.error.stage) == ("env_error", None, "step")
        assert told in episode.error.message
        assert f"row {episode.row_index}, sample {sample}" in episode.error.message


@pytest.mark.parametrize("act", ["spin", "match", "hang"])
def test_code_that_holds_the_interpreter_or_hangs_is_a_timeout(attacked, act):
    for sample in range(2):
        episode = attacked[1][act, sample]
        assert (episode.stop_reason, episode.error.type) == ("timeout", "DeadlineError")
        assert "step did not come back within 1 s" in episode.error.message


def test_a_tool_s_own_time_holds_too():
    (episode,) = evaluate(Digging, "gold", split="all", limits=Limits(call_seconds=300), env_pool="process").kept
    assert episode.stop_reason == "timeout"
    assert "the tool 'dig' did not come back within 0.5 s" in episode.error.message


def test_memory_beyond_the_limit_and_an_exit_are_errors_of_the_episode(attacked):
    assert attacked[1]["hoard", 0].error.type == "MemoryError"
    assert attacked[1]["leave", 0].error.type == "SystemExit"


def test_each_worker_has_a_folder_of_its_own_that_an_episode_cannot_leave_for_the_next(attacked):
    _, episodes = attacked
    told = [json.loads(one.messages[-1]["content"]) for one in episodes.values() if one.error is None]
    assert all(where["folder"] == where["temporary"] != os.getcwd() for where in told)
    assert all(where["new"] == "" for where in told)
    assert not any(os.path.exists(where["folder"]) for where in told)


def test_what_it_prints_is_shown_and_is_no_answer_and_no_output_of_the_command(attacked):
    folder, _ = attacked
    shown = (folder / "stderr").read_text()
    assert (shown.count("written\n"), shown.count("printed, and never flushed\n")) == (2, 2)


def test_processes_that_an_episode_left_are_gone_with_the_run(attacked):
    folder, _ = attacked
    pids = [int(pid) for pid in (folder / "pids").read_text().split()]
    assert len(pids) == 6
    assert not any(map(_is_alive, pids))


def test_nothing_outlives_a_run_that_is_killed(tmp_path):
    pids = tmp_path / "pids"
    script = (
        "from grpo_env_sdk import evaluate\nfrom tests.rollout.hostile_envs import Hostile\n"
        f"evaluate(Hostile, 'random', config={{'pids': {str(pids)!r}, 'only': 'fork_and_hang'}}, split='all', "
        "env_pool='process')\n"
    )
    run = subprocess.Popen([sys.executable, "-c", script], env={**os.environ, "PYTHONPATH": os.getcwd()})
    try:
        _wait_until(lambda: pids.exists() and pids.read_text().endswith("\n"))
    finally:
        run.send_signal(signal.SIGKILL)
        run.wait()
    for pid in map(int, pids.read_text().split()):
        _wait_until(lambda pid=pid: not _is_alive(pid))


def test_code_that_kills_the_process_that_workers_come_from_is_followed_by_another(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    found = evaluate(Hostile, "random", config={"only": "topple behave"}, split="all", env_pool="process",
                     env_workers=1)  # fmt: skip
    toppled, behaved = found.kept
    assert (toppled.error.type, "row 0" in toppled.error.message) == ("ProcessEndedError", True)
    assert (behaved.reward, behaved.error) == (1.0, None)
    assert list(tmp_path.iterdir()) == [], "what it could not remove itself"


def test_code_that_stops_the_process_that_workers_come_from_costs_no_other_episode():
    found = evaluate(Hostile, "random", config={"only": "halt exit behave behave"}, split="all", env_pool="process",
                     env_workers=1)  # fmt: skip
    assert [episode.reward for episode in found.kept] == [1.0, None, 1.0, 1.0]


def test_no_worker_is_asked_of_a_process_that_has_ended_with_its_workers():
    loaded = load(Guess)
    loaded.pool = EnvPool("process", 1)

    async def ended():
        hosts = ProcessHosts(loaded)
        try:
            await hosts.begin()
            (worker,), server = hosts._idle, hosts._source._server
            os.kill(server._process.pid, signal.SIGKILL)
            while not worker.forked.ended:
                pass  # with the interpreter held, nobody has heard of the end of the process
            return not server.runs
        finally:
            hosts.close()

    assert all(asyncio.run(ended()) for _ in range(2))


SANDBOX = pytest.param(
    "sandbox", marks=pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
)


@pytest.mark.parametrize("pool", ["process", SANDBOX])
def test_a_process_that_something_has_stopped_is_ended_with_its_workers(pool):
    loaded = load(Guess)
    loaded.pool = EnvPool(pool, 1)

    async def stopped():
        hosts = ProcessHosts(loaded)
        try:
            await hosts.begin()
            (worker,), server = hosts._idle, hosts._source._server
            os.kill(_server_behind(server._process.pid), signal.SIGSTOP)
            worker.kill()
            _wait_until(lambda: not server.runs)
        finally:
            hosts.close()

    asyncio.run(stopped())


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
def test_a_sandbox_has_no_network_no_keys_and_nothing_to_write_but_scratch(tmp_path, monkeypatch):
    secret = tmp_path / "secret"
    secret.write_text("a secret")
    with socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setenv("OPEN_PORT", str(server.getsockname()[1]))
        monkeypatch.setenv("RUN_PID", str(os.getpid()))
        monkeypatch.setenv("MY_API_KEY", "a key")
        config = {"only": "pry", "pids": str(secret)}
        told = [evaluate(Hostile, "random", config=config, split="all", env_pool=pool).kept[0].error.message
                for pool in ("sandbox", "process")]  # fmt: skip
    (Hostile.place / "written").unlink()
    assert told[0] == "[]"
    assert all(word in told[1] for word in ("MY_API_KEY", str(secret), "written", "the network", "the run"))


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
def test_a_sandbox_cannot_fill_the_machine_s_memory_with_files_nor_read_the_key_that_signs_runs(tmp_path, monkeypatch):
    state = tmp_path / ".local" / "state" / "grpo-env"
    state.mkdir(parents=True)
    (state / "signing.key").write_text("a key")
    monkeypatch.syspath_prepend(str(tmp_path))  # a home with code to import
    config = {"only": "fill", "pids": f"{state} {state.parent}"}
    (episode,) = evaluate(Hostile, "random", config=config, split="all", env_pool="sandbox").kept
    assert episode.error.message == "[]"


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
def test_a_sandbox_has_no_rights_of_root_and_no_setting_of_the_machine(tmp_path, monkeypatch):
    (tmp_path / ".ssh").mkdir()
    monkeypatch.syspath_prepend(str(tmp_path))
    config = {"only": "escape", "pids": str(tmp_path / ".ssh")}
    (episode,) = evaluate(Hostile, "random", config=config, split="all", env_pool="sandbox").kept
    assert episode.error.message == "[]"


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
def test_a_sandbox_reads_no_keys_below_its_folders_and_reaches_no_socket_or_pipe_there(tmp_path, monkeypatch):
    folder = tmp_path / "w"
    for name in ("sub/.env", ".env.local", ".pgpass", "sub/id_ed25519", "state/grpo-env/signing.key", "sub/shown"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("a secret")
    os.mkfifo(folder / "sub" / "pipe")
    reading = os.open(folder / "sub" / "pipe", os.O_RDWR)
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "state"))
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("sub/socket")
        server.listen()
        config = {"only": "peek", "pids": str(folder)}
        (episode,) = evaluate(Hostile, "random", config=config, split="all", env_pool="sandbox").kept
    os.close(reading)
    assert episode.error.message == "['shown']"


def test_a_sandbox_is_refused_with_how_to_install_it_where_there_is_no_bubblewrap(tmp_path):
    script = "from grpo_env_sdk import evaluate\nevaluate('hotel-v1', 'gold', env_pool='sandbox')"
    run = subprocess.run([sys.executable, "-c", script], env={**os.environ, "PATH": str(tmp_path)}, check=False,
                         capture_output=True, text=True)  # fmt: skip
    assert "apt install bubblewrap" in run.stderr


STEPPED = (
    '{"$": "Stepped", "fields": {"observation": "", "reward": 1, "terminated": true, "truncated": false, '
    '"metrics": {"m": %s}}}'
)

FAILED = (
    '{{"$": "Failed", "fields": {{"reason": "env_error", "stage": "{stage}", "fault": {{"$": "Fault", "fields": '
    '{{"whose": "{whose}", "stage": "step", "type": "X", "message": "", "traceback": ""}}}}}}}}'
)


@pytest.mark.parametrize(
    "forged",
    [
        "[]", "not json", '"text"', "{}", '{"$": "array", "dtype": "O", "shape": [1], "blob": 0}',
        '{"$": "os.system", "fields": {"command": "true"}}', '{"$": "Stepped", "fields": {"reward": "high"}}',
        '{"$": "Stepped", "fields": {"observation": "", "reward": "high", "terminated": true, "truncated": false}}',
        '{"$": "Stepped", "fields": {"observation": "", "reward": 1, "terminated": 7, "truncated": false}}',
        '{"$": "Scored", "fields": {"values": [1.0]}}',
        '{"$": "Failed", "fields": {"reason": "magic", "fault": null}}', STEPPED % f"1{'0' * 400}", STEPPED % "NaN",
        STEPPED % '{"$": "array", "dtype": "u1", "shape": [9], "blob": 1}',
        STEPPED.replace('"reward": 1', f'"reward": 1{"0" * 400}') % "1",
        STEPPED.replace('"metrics"', '"stop_reason": "cancelled", "metrics"') % "1",
        FAILED.format(stage="environment", whose="policy"), FAILED.format(stage="environment", whose="sdk"),
        FAILED.replace("env_error", "policy_error").format(stage="environment", whose="environment"),
    ],
)  # fmt: skip
def test_whatever_a_worker_answers_is_an_event_or_an_error(forged):
    async def answered():
        theirs, ours = socket.socketpair()
        hosts = Forging(Guess, ours, theirs, forged)
        try:
            return await ProcessHost(hosts, Job(3), 1).perform(Step({"role": "assistant", "content": "1"}))
        finally:
            theirs.close()

    event = asyncio.run(answered())
    assert (event.reason, event.fault.type) == ("env_error", "ProcessEndedError")
    assert "row 3, sample 0 was ended, as it sent no answer but" in event.fault.message


def test_a_stage_that_no_episode_has_counts_as_the_environment():
    failed = decode_event(Packet(FAILED.format(stage="nowhere", whose="environment")))
    live = LiveEpisode(load(Guess).description, load(Guess).rows("all")[0])
    live.start()
    assert live.feed(replace(failed, seconds=2.0)).episode.timings["environment"] == 2.0


@pytest.mark.parametrize("weight", ["1" + "0" * 400, "NaN", "Infinity"])
def test_a_rule_whose_weights_are_no_numbers_is_an_error(weight):
    rule = encode(ScoreRule((RewardPart("right", 77.0),))).text.replace("77.0", weight)
    event = decode_event(Packet(f'{{"$": "Scored", "fields": {{"values": [1.0], "rule": {rule}}}}}'))
    assert not adds_up(event)


@pytest.mark.parametrize(
    ("calls", "time", "said"),
    [(0, "60", "more time"), *((1, time, "it sent a time that") for time in ("null", "1e300", "NaN", '"long"', "["))],
)
def test_a_worker_gives_itself_no_more_time_than_its_calls_have(calls, time, said):
    async def answered():
        theirs, ours = socket.socketpair()
        hosts = Forging(Guess, ours, theirs, time, "clock")
        try:
            return await ProcessHost(hosts, Job(3), 1).perform(RunTools([ToolCall("1", "dig", {})] * calls, [], 0))
        finally:
            theirs.close()

    assert said in asyncio.run(answered()).fault.message


class Forging(ProcessHosts):
    """Hosts whose one worker answers whatever is asked with the same text."""

    def __init__(self, env, ours, theirs, text, kind="event"):
        loaded = load(env)
        loaded.pool = EnvPool("process", 1)
        super().__init__(loaded)
        ours.setblocking(False)
        theirs.sendall(Frame(kind, 1, Packet(text, [b"12345678", b""])).packed())
        self.forged = Worker(Forked(lambda: None, lambda fate: None, ours, -1))

    async def worker(self):
        return self.forged


def test_every_event_of_an_honest_host_has_the_types_that_it_declares():
    honest = Stepped("x", 1, True, False, {"near": 0.5}, "max_turns", [{"name": "look"}])
    assert fits(decode_event(encode_event(honest)), Stepped)
    assert not fits(honest, Scored)


def _is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _wait_until(holds):
    for _ in range(3000):
        if holds():
            return
        time.sleep(0.01)
    pytest.fail("it never happened")


def played(env, policy, pool, **more):
    found = evaluate(env, policy, split="all", rows=6, samples=2, env_pool=pool, **more)
    return {(episode.row_index, episode.sample): untimed(episode) for episode in found.kept}


@pytest.mark.parametrize("env", ALL)
def test_records_are_those_of_the_thread_pool(env):
    assert played(env, "random", "process") == played(env, "random", "thread")


@pytest.mark.slow
@pytest.mark.parametrize("env", EXAMPLES)
@pytest.mark.parametrize("policy", ["gold", "random"])
def test_records_of_the_examples_are_those_of_the_thread_pool(env, policy):
    if policy == "gold" and not load(env).traits.solvable:
        pytest.skip("it has no gold")
    assert played(env, policy, "process") == played(env, policy, "thread")


def test_a_shared_instance_that_keeps_state_lives_in_one_worker():
    found = evaluate(Counting, "echo", split="all", env_pool="process", env_workers=2)
    assert sorted(episode.reward for episode in found.kept) == [1, 2, 3, 4, 5, 6]


def test_what_a_class_shares_is_opened_once_in_each_worker_and_closed(tmp_path):
    found = evaluate(Lending, "echo", config={"log": str(tmp_path / "log")}, split="all", env_pool="process",
                     env_workers=2)  # fmt: skip
    assert {episode.reward for episode in found.kept} == {1.0}
    told = (tmp_path / "log").read_text().split()
    assert 1 <= told.count("opened") <= 2
    assert told.count("opened") == told.count("closed")


@pytest.mark.parametrize(
    ("refused", "told"),
    [
        ({"env": Countdown()}, "instance"),
        ({"env": ScoresByModel}, "uses_model"),
        ({"env": type("Inner", (Countdown,), {"__qualname__": "f.<locals>.Inner"})}, "defined in a function"),
        ({"env": type("Typed", (Countdown,), {"__module__": "__main__"})}, "script or notebook"),
        ({"env": Countdown, "env_workers": 0}, "env_workers"),
        ({"env": Countdown, "env_pool": "threads"}, "Did you mean 'thread'"),
        ({"env": Countdown, "env_pool": "thread", "env_workers": 2}, "--env-pool process"),
        ({"env": Countdown, "env_memory": -1.0}, "env_memory"),
        ({"env": Countdown, "env_memory": float("inf")}, "env_memory"),
        ({"env": Countdown, "env_memory": 0.01}, "Give a process more: --env-memory"),
    ],
)
def test_what_cannot_run_in_another_process_is_refused_in_one_line(refused, told):
    with pytest.raises(UsageError, match=told):
        evaluate(**{"policy": "echo", "env_pool": "process", "split": "all", **refused})


def test_a_reward_that_is_a_closure_is_refused_for_another_process():
    from grpo_env_sdk.rollout.process_order import order_for

    @reward
    def inner(completion):
        return 1.0

    with pytest.raises(UsageError, match=r"The reward inner .* no function of a module"):
        order_for(load("hotel-v1", rewards=[inner]))


def test_a_scorer_that_reads_the_model_of_the_run_is_told_that_it_is_elsewhere():
    from grpo_env_sdk.rollout.absent_model import AbsentModel

    for use in (lambda model: model.generate, lambda model: model(1), lambda model: setattr(model, "x", 1)):
        with pytest.raises(UsageError, match="hotel-v1 scores with the live model"):
            use(AbsentModel("hotel-v1"))


def test_frames_come_back_however_they_are_cut():
    sent = [Frame("perform", 7, Packet('{"a": "é"}', [b"", b"blob" * 100])), Frame("quit", 0, Packet("null"))]
    data, unpacker, found = b"".join(frame.packed() for frame in sent), Unpacker(), []
    for at in range(len(data)):
        unpacker.feed(data[at : at + 1])
        while frame := unpacker.next():
            found.append(frame)
    assert found == sent


@pytest.mark.parametrize(
    "junk",
    [
        b"\xff" * 64,
        b"\x01\x00\x00\x00\x00\xff\xff\xff\xff\x00\x00\x00\x00",
        b"\x05\x00\x00\x00\x01\x00\x00\x00\x04\x00\x10\x00\x00",
    ],
)
def test_junk_is_no_frame(junk):
    unpacker = Unpacker()
    unpacker.feed(junk)
    with pytest.raises(BadFrameError):
        unpacker.next()


def test_a_pool_says_how_many_workers_it_has():
    assert EnvPool("process", 3).workers == 3
    assert EnvPool("process").workers == len(os.sched_getaffinity(0))
