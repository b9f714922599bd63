"""Code that changes what its whole process has in common, or forks it: no other episode is the worse for it."""

import asyncio
import builtins
import copy
import gc
import json
import locale
import math
import os
import random
import re
import resource
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import threading
import time
import warnings
from datetime import datetime
from pathlib import Path

import pytest

from grpo_env_sdk import MultiTurnEnv, evaluate
from grpo_env_sdk.rollout import thread_host


def fails(*args, **kwargs):
    """In the place of a function that all code of a process calls."""
    raise RuntimeError("not any more")


def replace_ours(word):
    """Put `fails` in the place of all functions of the SDK with a word in their name, wherever one is imported."""
    for path, module in list(sys.modules.items()):
        if path.partition(".")[0] == "grpo_env_sdk":
            for name, value in list(vars(module).items()):
                if callable(value) and not isinstance(value, type) and word in name:
                    setattr(module, name, fails)


def lists_in_lists():
    """What no recursion gets to the bottom of."""
    found = []
    for _ in range(100_000):
        found = [found]
    return [{"role": "user", "content": found}]


ACTS = {
    "recursion limit": lambda: sys.setrecursionlimit(100),
    "descriptors": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0)),
    "size of files": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)),
    "alarm": lambda: signal.setitimer(signal.ITIMER_REAL, 0.2),
    "collection": gc.disable,
    "trace": lambda: threading.settrace(fails),
    "profile": lambda: threading.setprofile(fails),
    "dumps": lambda: setattr(json, "dumps", fails),
    "loads": lambda: setattr(json, "loads", fails),
    "clock": lambda: setattr(time, "monotonic", lambda: -1e9),
    "sleep": lambda: setattr(asyncio, "sleep", fails),
    "threads": lambda: setattr(threading.Thread, "start", fails),
    "open": lambda: setattr(builtins, "open", fails),
    "warnings": lambda: warnings.simplefilter("error"),
    "locale": lambda: locale.setlocale(locale.LC_ALL, ("C", "C.UTF-8")["UTF" not in locale.setlocale(locale.LC_ALL)]),
    "umask": lambda: os.umask(0o777),
    "output": lambda: setattr(sys, "stdout", None),
    "modules": lambda: sys.modules.clear(),
    "path": lambda: sys.path.clear(),
    "finders": lambda: sys.meta_path.clear(),
    "switching": lambda: sys.setswitchinterval(100.0),
    "time of sockets": lambda: socket.setdefaulttimeout(0.001),
    "priority": lambda: os.nice(19),
    "time zone": lambda: (os.environ.update(TZ="Asia/Tokyo"), time.tzset()),
    "blocked signals": lambda: signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM}),
    "timer of its own time": lambda: signal.setitimer(signal.ITIMER_VIRTUAL, 1000),
    "one processor": lambda: os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}),
    "digits": lambda: sys.set_int_max_str_digits(640),
    "input": lambda: setattr(sys, "stdin", None),
    "no bottom": lists_in_lists,
    "reading of JSON": lambda: setattr(json.JSONDecoder, "decode", lambda *args: "x"),
    "scanner of JSON": lambda: setattr(json._default_decoder, "scan_once", None),
    "finite numbers": lambda: setattr(math, "isfinite", lambda number: False),
    "sums": lambda: setattr(math, "fsum", lambda numbers: 0.5),
    "patterns": lambda: setattr(re, "findall", fails),
    "copies": lambda: setattr(copy, "deepcopy", fails),
    "draws": lambda: setattr(random.Random, "random", fails),
    "means": lambda: delattr(statistics, "mean"),
    "scores of the SDK": lambda: replace_ours("score"),
    "packets of the SDK": lambda: replace_ours("encode"),
    "one import of the SDK": lambda: setattr(thread_host, "plain_data", fails),
    "a method of the SDK": lambda: setattr(thread_host.ThreadHosts, "given", fails),
    "what finds it": lambda: setattr(builtins, "any", setattr(math, "fsum", fails) or (lambda found: False)),
}


OUTSIDE = (time.tzname, len(os.sched_getaffinity(0)))
"""What each process finds as it was."""


class Spoils(MultiTurnEnv):
    """Every second row uses what the row before it may have spoilt."""

    max_turns = 1
    reward_range = (0.0, 1.0)

    def build_dataset(self, tokenizer):
        return [{"prompt": f"{at} {act}", "act": act} for at, name in enumerate(ACTS) for act in (name, "")]

    def step(self, action):
        act = ACTS.get(self.row["act"])
        return (act and act()) or self.used(), 1.0, True, False, {}

    def used(self):
        """What sound code does."""
        if not self.row["act"]:
            threading.Thread(target=gc.isenabled).start()
            Path("written").write_text("1")
            subprocess.run(["true"], check=True)
            time.sleep(0.0)
            warnings.warn("harmless", stacklevel=1)
            json.loads(json.dumps({"deep": self.deep(150)}))
            numbers = [float(found) for found in re.findall("[0-9]", copy.deepcopy("12"))]
            assert math.fsum(numbers) == 2 * statistics.mean(numbers) == 3.0
            assert 0 <= random.Random(1).random() < 1
            assert (time.tzname, len(os.sched_getaffinity(0))) == OUTSIDE
            assert not signal.pthread_sigmask(signal.SIG_BLOCK, ())
            assert not any(signal.getitimer(signal.ITIMER_VIRTUAL))
            assert len(str(10**1000)) == 1001
            assert sys.stdin is not None
        return "fine"

    def deep(self, levels):
        return levels and self.deep(levels - 1)


@pytest.mark.parametrize("pool", [
    "process",
    pytest.param("sandbox", marks=pytest.mark.skipif(shutil.which("bwrap") is None, reason="no bubblewrap")),
])  # fmt: skip
def test_what_an_episode_changes_of_its_process_no_other_one_finds(pool):
    found = evaluate(Spoils, "random", split="all", env_pool=pool, env_workers=1, concurrency=1)
    acts = [*ACTS]
    after = {acts[at // 2]: one.error for at, one in enumerate(found.kept) if not one.row["act"]}
    assert after == dict.fromkeys(ACTS)


class Replaces:
    """Its one instance scores all episodes, in one worker; the first replaces functions of Python and of the SDK."""

    def build_dataset(self, tokenizer):
        return [{"prompt": f"{at}", "place": at} for at in range(4)]

    def score_episode(self, model, tokenizer, completion, place, **columns):
        self.scored = getattr(self, "scored", 0) + 1
        if place == 0:
            json.loads = math.fsum = json._default_decoder.scan_once = None
            del copy.deepcopy
            thread_host.scorers_copy = fails
            return 0.0
        return self.scored * math.fsum(copy.deepcopy(json.loads("[0.125, 0.125]")))


@pytest.mark.parametrize("together", [1, 4])
def test_in_a_worker_that_all_episodes_share_functions_of_python_are_put_back(together):
    found = evaluate(Replaces, "echo", split="all", env_pool="process", concurrency=together)
    assert [one.error for one in found.kept] == [None] * 4
    first, *others = [one.reward for one in found.kept]
    assert first == 0.0
    assert len({*others}) == 3  # each counts those that were scored before it, in whatever order that was
    assert {*others} < {0.25, 0.5, 0.75, 1.0}


class Sound(MultiTurnEnv):
    """Says in which process it is, and imports, draws and computes."""

    max_turns = 1
    reward_range = (0.0, 1.0)

    def build_dataset(self, tokenizer):
        return [{"prompt": f"{at}"} for at in range(6)]

    def step(self, action):
        import xml.dom.minidom

        random.seed(1)
        random.gauss(0, 1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            xml.dom.minidom.parseString(f"<a>{datetime.strptime('2020', '%Y')}</a>")
        return str(os.getpid()), float(asyncio.run(asyncio.sleep(0, 1))), True, False, {}


def test_sound_code_keeps_its_worker():
    found = evaluate(Sound, "echo", split="all", env_pool="process", env_workers=1, concurrency=1)
    assert [(one.reward, one.error) for one in found.kept] == [(1.0, None)] * 6
    assert len({one.messages[-1]["content"] for one in found.kept}) == 1


class Forks(MultiTurnEnv):
    """A step returns twice: here and in a child process."""

    max_turns = 1
    reward_range = (0.0, 1.0)

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Fork, {at}."} for at in range(3)]

    def step(self, action):
        child = os.fork()
        return str(child), 1.0, True, False, {}


class ForksRaising(Forks):
    def step(self, action):
        if os.fork() == 0:
            raise SystemExit("not here")
        return "", 1.0, True, False, {}


class ForksAsync(Forks):
    async def reset(self, *, seed=None, options=None):
        return await super().reset(seed=seed, options=options)

    async def step(self, action):
        await asyncio.sleep(0)
        child = os.fork()
        return str(child), 1.0, True, False, {}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # it has threads, as Python says from 3.12 on
@pytest.mark.parametrize("cls", [Forks, ForksRaising, ForksAsync])
@pytest.mark.parametrize("pool", ["thread", "process"])
def test_a_forked_child_that_comes_back_ends_there_and_the_episode_goes_on(cls, pool):
    # One after the other: filelock, which others import, refuses a fork beside another one.
    found = evaluate(cls, "random", split="all", env_pool=pool, concurrency=1)
    assert [(one.reward, one.error) for one in found.kept] == [(1.0, None)] * 3
    if pool == "thread" and cls is not ForksRaising:
        ended = [os.waitpid(int(one.messages[-1]["content"]), 0)[1] for one in found.kept]
        assert ended == [0, 0, 0]
