"""Environments that only workers import: what the command gets of them is data, and equal to what it would import."""

import json
import math
import os
import re
import socket
import sys
import threading
from contextlib import suppress
from dataclasses import replace

import pytest

from grpo_env_sdk import GrpoEnvWarning, Limits, ModelUser, SingleTurnEnv, ToolEnv, evaluate, load, reward, tool
from grpo_env_sdk.cli import main
from grpo_env_sdk.envs.traits import traits_of
from grpo_env_sdk.errors import DatasetError, EnvironmentFailedError, GrpoEnvError, UsageError
from grpo_env_sdk.evaluation.evaluate import Evaluator
from grpo_env_sdk.evaluation.plan import EvalPlan
from grpo_env_sdk.isolation.calls.async_calls import run_coroutine
from grpo_env_sdk.isolation.processes.env_pool import THREADS, EnvPool
from grpo_env_sdk.isolation.processes.forked import Forked
from grpo_env_sdk.policies.make import PolicySpec
from grpo_env_sdk.rewards.score_rule import RewardPart, ScoreRule
from grpo_env_sdk.rewards.scorer import Scorer
from grpo_env_sdk.rollout.described_env import _Channel, _stand_in, load_for
from grpo_env_sdk.rollout.encoding import Packet, encode
from grpo_env_sdk.rollout.process_frames import Frame
from grpo_env_sdk.rollout.sent_rows import SentRows, whole_rows
from grpo_env_sdk.rollout.user_model import user_model_of
from grpo_env_sdk.rollout.worker_channel import Worker
from tests.environments import Guess

PROCESS = EnvPool("process")
TAKES = "tests.rollout.test_described_env:Takes"
NOTING = """
import os

with open("pids", "a") as file:
    print(os.getpid(), file=file)

from tests.environments import Guess

class Noting(Guess):
    pass
"""


class Takes(SingleTurnEnv):
    """Rows of many types."""

    def __init__(self, rows=3, how=""):
        self.count, self.how = rows, how

    def build_dataset(self, tokenizer, split):
        if self.how == "raises":
            raise LookupError("no rows today")
        rows = [{"prompt": [{"role": "user", "content": f"{split} {number}"}]} for number in range(self.count)]
        return [{**row, "place": place, "deep": {"a": [1, None]}, "case_idx": 7} for place, row in enumerate(rows)]

    @reward
    def right(self, completion, deep):
        return 1.0


class Hangs(Takes):
    def build_dataset(self, tokenizer):
        threading.Event().wait()


class Ends(Takes):
    def __init__(self):
        os._exit(5)


class Asked(ToolEnv):
    user = ModelUser("openai:somebody", "You ask.", base_url="http://127.0.0.1:1/v1")

    def build_dataset(self, tokenizer):
        return [{"prompt": "Listen."}]

    @tool
    def add(self, x: int, y: int = 2) -> int:
        """Add two numbers."""
        return x + y

    @reward
    def right(self, completion):
        return 1.0


class Shows(SingleTurnEnv):
    """Rows with a picture, and columns that have no value in some rows."""

    def build_dataset(self, tokenizer):
        from PIL import Image

        pictures = [Image.new("RGB", (2, 2), (number, 0, 0)) for number in range(12)]
        return [
            {"prompt": f"Which red? {number}", "image": picture, "some": number if number % 2 else None, "names": []}
            for number, picture in enumerate(pictures)
        ]

    @reward
    def right(self, completion):
        return 1.0


class AskedByObject(Asked):
    user = ModelUser(type("Somebody", (), {"name": "x", "respond": lambda self, request: None})(), "You ask.")


def named(cls):
    return f"{cls.__module__}:{cls.__qualname__}"


def test_only_workers_import_an_environment(tmp_path, monkeypatch, capsys):
    (tmp_path / "noting.py").write_text(NOTING)
    monkeypatch.chdir(tmp_path)
    assert main(["eval", "noting:Noting", "--model", "gold", "-n", "2", "--env-pool", "process", "--out", "run"]) == 0
    assert "reward 1.000" in capsys.readouterr().out
    assert main(["rescore", "run", "--out", "again"]) == 0
    assert "noting" not in sys.modules
    pids = (tmp_path / "pids").read_text().split()
    assert len(pids) == 2  # one for each command
    assert str(os.getpid()) not in pids


@pytest.mark.parametrize("env", [TAKES, named(Asked), "tests.environments:Guess"])
def test_what_is_told_is_what_would_be_imported(env):
    there, here = load_for(PROCESS, env, split="test"), load(env)
    rows = here.rows("test")
    assert there.description == here.description
    assert list(there.rows("test")) == list(rows)
    assert there.rows("test").fingerprint() == rows.fingerprint()
    assert (there.rows("test").columns, there.tokenizer_name) == (rows.columns, here.tokenizer_name)
    assert list(there.rows("test")[:1].indices) == list(rows[:1].indices)


@pytest.mark.parametrize("env", [TAKES, named(Asked), named(Shows), "tests.environments:Guess"])
def test_all_rows_of_a_training_are_those_that_would_be_built(env):
    there, here = load_for(PROCESS, env, split=None), load(env)
    for split in ("train", "test", "all"):
        told, rows = there.rows(split), here.rows(split)
        assert (told.fingerprint(), list(told.indices)) == (rows.fingerprint(), list(rows.indices))
        assert (told.columns, told.offset, told.of_train) == (rows.columns, rows.offset, rows.of_train)
        assert told.dataset.features == rows.dataset.features
    assert (there.description, there.splits_itself) == (here.description, here.splits_itself)


def test_runs_of_one_environment_fork_their_workers_from_the_process_that_told_it(tmp_path, monkeypatch):
    (tmp_path / "noting.py").write_text(NOTING)
    monkeypatch.chdir(tmp_path)
    loaded = load_for(PROCESS, "noting:Noting", split=None)
    plans = [EvalPlan(split="train", rows=2), EvalPlan(split="test", rows=1, limits=Limits(call_seconds=5))]
    for plan in [*plans, plans[0]]:
        assert run_coroutine(Evaluator(loaded, plan).run(None)).summary["reward"]["mean"] == 1.0
    assert len((tmp_path / "pids").read_text().split()) == 1
    process = loaded.process.server._process
    del loaded
    assert process.poll() is not None


def test_only_the_rows_that_are_needed_are_sent():
    rows = load_for(PROCESS, TAKES, {"rows": 500}, split="test", rows=2).rows("test")
    assert len(rows) == 500
    assert [row["place"] for row in rows[:2]] == [0, 1]
    with pytest.raises(KeyError):
        rows[2]


@pytest.mark.parametrize(
    ("env", "config"),
    [
        ("tests.rollout.test_described_env:Takesy", {}),
        (TAKES, {"nothing": 1}),
        (TAKES, {"how": "raises"}),
        (TAKES, 3),
    ],
)
def test_mistakes_read_as_they_do_in_this_process(env, config):
    with pytest.raises(GrpoEnvError) as here:
        load(env, config).rows("test")
    with pytest.raises(GrpoEnvError) as there:
        load_for(PROCESS, env, config, split="test")
    assert (type(there.value), str(there.value)) == (type(here.value), str(here.value))


def test_what_the_caller_loaded_stays_as_it_was():
    loaded = load(Asked)
    there = load_for(PROCESS, loaded, split="all", user="openai:x")
    assert (there.pool, there.user_model) == (PROCESS, "openai:x")
    assert (loaded.pool, loaded.user_model) == (THREADS, None)
    assert there.resources is loaded.resources


@pytest.mark.parametrize(("cls", "seconds", "told"), [(Ends, 60, "exit code 5"), (Hangs, 4, "--limit-build")])
def test_code_that_never_gets_ready_is_one_line_in_time(cls, seconds, told, capsys):
    words = ["eval", named(cls), "--model", "echo", "--env-pool", "process", "--limit-build", str(seconds)]
    assert main(words) == 2
    assert told in (said := capsys.readouterr().err)
    assert said.count("\n") == 1


def test_the_user_model_of_a_class_is_told_by_its_name():
    assert user_model_of(load_for(PROCESS, named(Asked), split="all")) == PolicySpec(
        "openai:somebody", "http://127.0.0.1:1/v1"
    )
    with pytest.raises(GrpoEnvError, match=r"is an object.*ModelUser\("):
        load_for(PROCESS, named(AskedByObject), split="all")
    with pytest.raises(UsageError, match="no ModelUser"):
        load_for(PROCESS, TAKES, split="all", user="openai:x")


@pytest.mark.parametrize(("policy", "url"), [
    ("scripted:/home/somebody/keys.jsonl", None), ("openai:x", "http://127.0.0.1:1/v1"), ("some/model", None),
])  # fmt: skip
def test_code_in_a_sandbox_chooses_no_file_and_no_server_for_the_user_model(policy, url):
    told = {**told_of(), "user": [policy, url]}
    assert (_stand_in(told, PROCESS).user.policy, _stand_in(told, PROCESS).user.base_url) == (policy, url)
    assert _stand_in(told, EnvPool("sandbox")).user == ModelUser()


def test_the_name_of_a_user_model_at_the_usual_server_is_taken_from_a_sandbox():
    assert _stand_in({**told_of(), "user": ["openai:x", None]}, EnvPool("sandbox")).user.policy == "openai:x"


def test_an_environment_in_a_sandbox_without_a_user_model_says_how_to_name_one(monkeypatch, capsys):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-to-be-sent")
    assert main(["eval", named(Asked), "--model", "echo", "--split", "all", "--env-pool", "sandbox"]) == 2
    assert re.search(r"sandbox does not choose.*--user-model", capsys.readouterr().err)


def test_a_worker_that_tells_its_rows_slowly_is_late():
    theirs, ours = socket.socketpair()
    ours.setblocking(False)
    reading, writing = os.pipe()
    os.close(writing)
    row = Frame("event", 0, encode([{"prompt": "x"}])).packed()
    told = told_rows(indices=list(range(10_000)), total=10_000)
    ended = threading.Event()

    def drip():
        with suppress(OSError):
            while not ended.wait(0.05):
                theirs.sendall(row)

    thread = threading.Thread(target=drip)
    with theirs, _Channel(Worker(Forked(lambda: None, lambda fate: None, ours, reading)), "guess", 1.0) as talk:
        thread.start()
        with pytest.raises(EnvironmentFailedError, match="--limit-build"):
            talk.rows("all", told, None)
        ended.set()
        thread.join()


def test_notes_of_its_loading_are_shown_here():
    with pytest.warns(GrpoEnvWarning, match="case_idx|tokenizer"):
        load_for(PROCESS, "tests.rollout.test_described_env:Reads", split="all")


class Reads(Takes):
    def build_dataset(self, tokenizer):
        return [{"prompt": tokenizer.apply_chat_template([{"role": "user", "content": "Hi."}], tokenize=False)}]

    @reward
    def right(self, completion):
        return 1.0


def test_the_python_api_imports_a_name_only_in_workers(tmp_path, monkeypatch):
    (tmp_path / "noting.py").write_text(NOTING)
    monkeypatch.chdir(tmp_path)
    found = evaluate("noting:Noting", "gold", rows=1, split="all", env_pool="process")
    assert found.summary["reward"]["mean"] == 1.0
    assert "noting" not in sys.modules


class Where(Reads):
    def build_dataset(self, tokenizer):
        return [{"prompt": "Hi.", "built_in": os.getpid()}]


def test_the_rows_of_a_class_are_built_in_workers_too():
    (episode,) = evaluate(Where, "echo", split="all", env_pool="process").kept
    assert episode.row["built_in"] != os.getpid()


class Blobs(Reads):
    def build_dataset(self, tokenizer):
        return [{"prompt": "Hi.", "parts": [b"x"] * 70_000}]


def test_a_row_that_no_message_holds_is_one_line():
    with pytest.raises(DatasetError, match="a message of 70000 pictures or arrays"):
        load_for(PROCESS, "tests.rollout.test_described_env:Blobs", split="all")


def told_of(**changes):
    made = Guess()
    told = {
        "traits": traits_of(made), "tools": [], "score_rule": Scorer(made).rule, "name": "Guess", "source_hash": None,
        "tokenizer": None, "opens_shared": False, "user": None, "notes": [], "declared": {},
        "splits_itself": False, "has_state": False, "splits": {"all": told_rows()},
    }  # fmt: skip
    return {**told, **changes}


def told_rows(columns=("prompt",), indices=(0,), offset=0, total=1):
    return SentRows(columns, indices, offset, total)


@pytest.mark.parametrize(
    "forged",
    [
        "null", "[]", json.dumps({"traits": 1}), json.dumps({"$": "Traits", "fields": {}}), '{"$": "os.system"}',
        encode(told_of(traits=None)).text, encode(told_of(splits={})).text, encode(told_of(splits={"all": None})).text,
        encode(told_of(traits=replace(traits_of(Guess()), kind="root"))).text, encode(told_of(user=["x", 3])).text,
        *(encode(told_of(splits={"all": told_rows(**rows)})).text for rows in (
            {"indices": ["0"]}, {"total": "many"},
            {"indices": [0, 0]}, {"indices": [1]}, {"indices": [-1]}, {"total": -1}, {"total": 10**30},
            {"offset": -1, "indices": [-1]}, {"offset": 10**30, "indices": [10**30]},
        )),
        *(encode(told_of(traits=replace(traits_of(Guess()), **traits))).text for traits in (
            {"reward_range": ()}, {"reward_range": (0.0, 1.0, 2.0)}, {"reward_range": (math.nan, 1.0)},
            {"reward_range": (1.0, 0.0)}, {"max_turns": 0}, {"max_live": -1}, {"call_seconds": math.nan},
            {"episode_seconds": 10**400}, {"episode_seconds": -1.0}, {"user": "model"},
        )),
        encode(told_of(user=[])).text, encode(told_of(user=["openai:x", None])).text,
        encode(told_of(score_rule=ScoreRule((RewardPart("x", range=(1.0,)),)))).text,
        encode(told_of(score_rule=ScoreRule((RewardPart("x", weight=math.inf),)))).text,
    ],
)  # fmt: skip
def test_a_forged_description_is_refused(forged):
    with pytest.raises(EnvironmentFailedError, match="nonsense"):
        answered(forged, lambda talk: talk.told(["all"]))


@pytest.mark.parametrize(("splits_itself", "train", "test"), [
    (False, {"indices": [0], "total": 3}, {"indices": [1], "total": 3}), (False, {"total": 2}, {"total": 2}),
    (False, {"total": 2}, {"indices": [1], "total": 2, "columns": ["prompt", "x"]}), (False, {}, {}),
    (True, {"indices": [0], "total": 2}, {"indices": [2], "offset": 2}), (True, {}, {"indices": [2], "offset": 2}),
    (True, {"indices": [1, 0], "total": 2}, {"indices": [2], "offset": 2}), (True, {"total": 1 << 30}, {"offset": 1}),
])  # fmt: skip
def test_a_description_whose_splits_do_not_make_a_whole_is_refused(splits_itself, train, test):
    splits = {"train": told_rows(**train), "test": told_rows(**test)}
    forged = encode(told_of(splits_itself=splits_itself, splits=splits)).text
    with pytest.raises(EnvironmentFailedError, match="nonsense"):
        answered(forged, lambda talk: talk.told(["train", "test"]))


def test_rows_of_a_training_that_are_no_rows_of_an_environment_are_refused():
    rows = {"train": told_rows(total=2), "test": told_rows(indices=[1], total=2)}
    sent = {"train": {0: {"prompt": "text"}}, "test": {1: {"prompt": [{"role": "user", "content": "messages"}]}}}
    with pytest.raises(DatasetError, match="two kinds of prompts"):
        whole_rows(rows, sent, splits_itself=False)


@pytest.mark.parametrize("forged", [
    "null", "[]", "[1]", '[{"x": 1}]', '[{"prompt": 5}]', '[{"prompt": [5]}]', '[{"prompt": null}]',
    '[{"prompt": "x", "image": {"$": "image", "mode": "RGB", "size": [1000000, 1000000], "blob": 0}}]',
    '{"prompt": "x"}', '[{"$": "bytes"}]',
])  # fmt: skip
def test_forged_rows_are_refused(forged):
    with pytest.raises(EnvironmentFailedError, match="nonsense"):
        answered(forged, lambda talk: talk.rows("all", told_rows(), None))


def answered(text, ask):
    """What comes of a question to a worker that answers so."""
    theirs, ours = socket.socketpair()
    ours.setblocking(False)
    reading, writing = os.pipe()
    os.close(writing)
    worker = Worker(Forked(lambda: None, lambda fate: None, ours, reading))
    with theirs, _Channel(worker, "guess", 5.0) as talk:
        theirs.sendall(Frame("event", 0, Packet(text, [b"\0"])).packed())
        return ask(talk)
