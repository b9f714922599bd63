import json
import os
import pty
import select
import sys
from contextlib import redirect_stderr, suppress

import pytest

from grpo_env_sdk.cli import main
from tests.stub_server import StubServer, echoes, error

PHONEBOOK = "tests.environments:Phonebook"


def test_info_tells_what_an_environment_is(grpo_env):
    shown = grpo_env("info", PHONEBOOK).stdout
    for told in ("tools, at most 4 turns", "look_up(name)", "right  weight 3", "30: ", "has a gold solution", "row 0"):
        assert told in shown
    data = json.loads(grpo_env("info", PHONEBOOK, "--json", "--row", "3").stdout)
    assert data["dataset"]["rows"] == 30
    assert data["dataset"]["sample"]["case_idx"] == 3
    assert data["rewards"] == [{"name": "right", "weight": 3.0}, {"name": "looked_up", "weight": 1.0}]
    assert data["tools"][0]["function"]["name"] == "look_up"


PICTURED = """
from PIL import Image
from grpo_env_sdk import SingleTurnEnv, reward

class Pictured(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        parts = [{"type": "image", "image": Image.new("RGB", (9, 9))}, {"type": "text", "text": "Which colour?"}]
        return [{"prompt": [{"role": "user", "content": parts}]}]

    @reward
    def right(self, completion):
        return 1.0
"""


def test_info_shows_the_parts_of_a_prompt_as_play_does(grpo_env, tmp_path):
    (tmp_path / "pictured.py").write_text(PICTURED)
    assert "  user: [image] Which colour?\n" in grpo_env("info", "pictured:Pictured").stdout


def test_info_tells_a_value_that_is_given_from_a_default(grpo_env, tmp_path):
    source = "class Sized:\n    def __init__(self, size: int = 3, rows: int = 2):\n        self.rows = rows\n\n"
    source += (
        "    def build_dataset(self, tokenizer):\n        return [{'prompt': str(n)} for n in range(self.rows)]\n\n"
    )
    source += "    def score_episode(self, model, tokenizer, completion):\n        return 0.0\n"
    (tmp_path / "sized.py").write_text(source)
    shown = grpo_env("info", "sized:Sized", "--env-config", '{"size": 9}').stdout
    assert "size: integer, given 9" in shown
    assert "rows: integer, default 2" in shown


def test_info_names_a_row_by_the_number_that_row_takes(grpo_env, tmp_path):
    source = "class Named:\n    def build_dataset(self, tokenizer):\n"
    source += "        return [{'prompt': name, 'case_idx': name} for name in 'xyz']\n"
    source += "    def score_episode(self, model, tokenizer, completion):\n        return 0.0\n"
    (tmp_path / "named.py").write_text(source)
    shown = grpo_env("info", "named:Named", "--row", "2").stdout
    assert "\nrow 2\n" in shown
    assert "case_idx: z" in shown


SCORED_APART = """
from grpo_env_sdk import MultiTurnEnv

class Apart(MultiTurnEnv):
    reward_range = (0, float("inf"))

    def build_dataset(self, tokenizer):
        return [{"prompt": "Say 1."}]

    def step(self, action):
        return "", 0.5, True, False, {}

    def score_episode(self, model, tokenizer, completion):
        return 1.0
"""


def test_info_says_that_step_rewards_do_not_count_and_that_a_range_has_no_end(grpo_env, tmp_path):
    (tmp_path / "apart.py").write_text(SCORED_APART)
    shown = grpo_env("info", "apart:Apart").stdout
    assert "reward     0 to inf, by score_episode alone: step rewards do not count" in shown
    assert json.loads(grpo_env("info", "apart:Apart", "--json").stdout)["reward_range"] == [0.0, None]


def test_a_person_plays_an_episode(grpo_env):
    typed = 'look_up name=No Body\nlook_up name=Nobody\nlook_up {"name": "Person0"}\n100\n'
    done = grpo_env("play", PHONEBOOK, stdin=typed)
    assert "'Body' belongs to no argument. Quote a value with spaces: name=\"a b\"." in done.stdout
    assert "nobody is called Nobody" in done.stdout
    assert 'tool look_up: {"number": "100"}' in done.stdout
    assert "reward 1 (terminated, 3 turns)\n  right: 1\n  looked_up: 1" in done.stdout
    assert grpo_env("play", PHONEBOOK, stdin="").returncode == 130
    ended = grpo_env("play", PHONEBOOK, "--json", stdin="")
    assert ended.returncode == 2
    assert "stdin ended" in json.loads(ended.stdout)["error"]["message"]


def test_a_person_whose_text_begins_like_a_tool_is_told_that_it_was_text(grpo_env):
    done = grpo_env("play", PHONEBOOK, stdin="lookup Person0\n")
    assert "note: sent as text, as no tool is named 'lookup'. Did you mean 'look_up'?" in done.stdout
    assert "assistant: lookup Person0" in done.stdout
    assert "note:" not in grpo_env("play", PHONEBOOK, stdin="100\n").stdout


LEFT = {b"\x04": "You left before the end, so there is no reward.", b"\x03": "Interrupted."}


@pytest.mark.parametrize("key", LEFT, ids=["Ctrl-D", "Ctrl-C"])
def test_a_person_at_a_terminal_leaves_with_one_key(key, tmp_path):
    shown, code = at_a_terminal([sys.executable, "-m", "grpo_env_sdk", "play", PHONEBOOK], b"> ", key)
    assert code == 130
    assert shown.endswith(f"\r\n{LEFT[key]}\r\n")


def at_a_terminal(command, prompt, key):
    """What a command shows on a terminal, and its exit code, where a person presses a key at its prompt.

    The person presses it again after a while: a key between the prompt and the read after it may be lost.
    """
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(command[0], command)
    shown, pressed = b"", False
    with suppress(OSError):  # how a terminal ends on Linux
        while True:
            quiet = not select.select([terminal], [], [], 3 if pressed else 120)[0]
            assert pressed or not quiet, shown
            shown += b"" if quiet else os.read(terminal, 1024)
            at_prompt = prompt in shown and b"\n" not in shown.rpartition(prompt)[2]
            if at_prompt and (quiet or not pressed):
                os.write(terminal, key)
                pressed = True
    os.close(terminal)
    return shown.decode(), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def test_whoever_begins_a_package_is_told_to_test_it(grpo_env):
    steps = grpo_env("init", "demo-task").stdout.partition("Next:\n")[2].split("\n")
    assert steps.index("  grpo-env test demo-task-v1") < steps.index("  grpo-env play demo-task-v1 --gold")


def test_the_gold_solution_is_watched(grpo_env):
    done = grpo_env("play", PHONEBOOK, "--gold", "--row", "4")
    assert 'assistant: -> look_up(name="Person4")' in done.stdout
    record = json.loads(grpo_env("play", PHONEBOOK, "--gold", "--row", "4", "--json").stdout)
    assert (record["row_index"], record["reward"]) == (4, 1.0)


def test_eval_writes_a_run_that_every_command_takes(grpo_env, tmp_path):
    plan = ("eval", PHONEBOOK, "-k", "2", "--split", "all", "--model")
    done = grpo_env(*plan, "random", "--out", "a", "--by", "half", "--baselines")
    assert done.returncode == 0, done.stderr
    assert "baseline gold    1.000" in done.stdout
    assert "half = 0" in done.stdout
    data = json.loads(grpo_env(*plan, "gold", "--out", "b", "--json").stdout)
    assert (data["run"], data["reward"]["mean"], data["pass_at_k"]) == ("b", 1.0, {"1": 1.0, "2": 1.0})
    assert set(data) >= {"episodes", "scored", "rewards", "zero_spread_share", "stop_reasons", "errors"}

    listed = json.loads(grpo_env("runs", "--dir", ".", "--json").stdout)["runs"]
    assert {run["run"] for run in listed} == {"a", "b"}
    assert grpo_env("runs", "show", "a").stdout.splitlines()[:2] == done.stdout.splitlines()[:2]
    compared = json.loads(grpo_env("diff", "a", "b", "--json").stdout)
    assert compared["after"]["mean"] == 1.0
    rescored = json.loads(grpo_env("rescore", "a", "--out", "c", "--json").stdout)
    assert rescored["difference"]["mean"] == 0.0
    exported = grpo_env("view", "a", "b", "--export", "page.html")
    assert exported.returncode == 0
    assert "<script" in (tmp_path / "page.html").read_text()
    assert grpo_env("runs", "rm", "a").returncode == 2
    assert grpo_env("runs", "rm", "a", "--yes").stdout == "deleted a\n"
    assert not (tmp_path / "a").exists()


def test_replay_says_again_what_a_run_recorded(grpo_env):
    grpo_env("eval", PHONEBOOK, "--model", "random", "--out", "a")
    again = json.loads(grpo_env("eval", PHONEBOOK, "--model", "replay:a", "--out", "b", "--json").stdout)
    assert again["reward"] == json.loads(grpo_env("runs", "show", "a", "--json").stdout)["summary"]["reward"]


def test_several_environments_give_one_object_a_line(grpo_env):
    done = grpo_env("eval", PHONEBOOK, "tests.environments:Guess", "--model", "gold", "--json")
    assert [json.loads(line)["env"] for line in done.stdout.splitlines()] == [PHONEBOOK, "tests.environments:Guess"]


@pytest.mark.parametrize(("name", "text"), [
    ("plan.toml", 'envs = ["tests.environments:Guess"]\nmodel = "gold"\nrows = 1\nsamples = 3\nout = "run"\n'),
    ("plan.yaml", 'env: tests.environments:Guess\nmodel: gold\nrows: 1\nsamples: 3\nout: run\n'),
])  # fmt: skip
def test_flags_come_from_a_file_and_those_given_win(grpo_env, tmp_path, name, text):
    (tmp_path / name).write_text(text)
    data = json.loads(grpo_env("eval", "--config", name, "--samples", "2", "--json").stdout)
    assert (data["env"], data["episodes"]) == ("tests.environments:Guess", 2)


def test_a_flag_that_says_the_usual_wins_over_the_file_too(grpo_env, tmp_path):
    (tmp_path / "plan.toml").write_text('model = "gold"\nsamples = 4\nsplit = "all"\n')
    done = grpo_env("eval", "tests.environments:Guess", "--config", "plan.toml", "--samples", "1", "--json")
    assert json.loads(done.stdout)["episodes"] == 15


def test_a_wrong_flag_in_a_file_is_answered_with_the_nearest(grpo_env, tmp_path):
    (tmp_path / "plan.toml").write_text('modle = "gold"\n')
    assert "has 'modle', which is not a flag. Did you mean 'model'?" in grpo_env("eval", "--config", "plan.toml").stderr
    (tmp_path / "plan.toml").write_text('samples = "many"\n')
    assert "plan.toml: -k/--samples must be" in grpo_env("eval", "--config", "plan.toml").stderr


def test_a_dry_run_checks_everything_and_writes_nothing(grpo_env, tmp_path):
    done = grpo_env("eval", PHONEBOOK, "--model", "gold", "-k", "4", "--dry-run")
    assert "episodes by gold would run; nothing was written" in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_a_server_that_is_not_there_ends_the_run_with_one_line_and_leaves_nothing(grpo_env, tmp_path):
    done = grpo_env("eval", PHONEBOOK, "--model", "openai:x", "--base-url", "http://127.0.0.1:9/v1")
    assert done.returncode == 2
    assert "No answer from http://127.0.0.1:9/v1/chat/completions" in done.stderr
    assert "Is a server running there?" in done.stderr
    assert list((tmp_path / "runs").iterdir()) == []


def test_requests_that_were_sent_again_are_told_at_the_end(grpo_env):
    with StubServer(echoes) as server:
        server.plays(error(429, "slow down", "0"), error(503, "busy"), echoes)
        flags = ("--base-url", server.url, "--rows", "1", "-k", "1", "--json")
        done = grpo_env("eval", PHONEBOOK, "--model", "openai:x", *flags)
    assert done.returncode == 0
    assert json.loads(done.stdout)["sent_again"] == 2
    assert f"note: 2 requests had to be sent again; the last error: {server.url}" in done.stderr
    assert "answered 503: busy." in done.stderr


BROKEN = """
import asyncio, time
class Broken:
    def build_dataset(self, tokenizer):
        print("building")
        return [{"prompt": f"{n}"} for n in range(3)]
    def score_episode(self, model, tokenizer, completion):
        print("scoring")
        raise ValueError("no verdict") from KeyError("cause")
class Hanging(Broken):
    async def score_episode(self, model, tokenizer, completion):
        await asyncio.to_thread(time.sleep, 1000)
class Blocking(Broken):
    async def score_episode(self, model, tokenizer, completion):
        open("blocking", "w").close()
        time.sleep(1000)
"""


@pytest.fixture
def broken(tmp_path):
    (tmp_path / "broken.py").write_text(BROKEN)


def test_a_run_that_scored_nothing_says_why_and_exits_with_1(grpo_env, broken):
    done = grpo_env("eval", "broken:Broken", "--model", "echo", "--split", "all")
    assert done.returncode == 1
    assert "3 of 3 have no reward" in done.stdout
    assert "failed: 3 by environment score: ValueError, e.g. row 0: no verdict" in done.stdout


def test_a_mean_of_very_few_held_out_rows_is_noted(grpo_env):
    told = "held out; --split all takes all"
    assert told in grpo_env("eval", "tests.environments:Countdown", "--model", "gold").stderr
    assert told not in grpo_env("eval", "tests.environments:Countdown", "--model", "gold", "--split", "all").stderr


def test_a_note_of_few_rows_comes_before_the_numbers(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    with redirect_stderr(sys.stdout):
        main(["eval", "tests.environments:Countdown", "--model", "gold"])
    shown = capsys.readouterr().out
    assert shown.index("--split all takes all") < shown.index("episodes/s") < shown.index("reward 1.000")


def test_scoring_that_gave_none_is_said_to(grpo_env, tmp_path):
    (tmp_path / "silent.py").write_text(
        "class Silent:\n    def build_dataset(self, tokenizer):\n        return [{'prompt': 'Hi.'}] * 3\n\n"
        "    def score_episode(self, model, tokenizer, completion):\n        completion == 'Hello.'\n"
    )
    done = grpo_env("eval", "silent:Silent", "--model", "echo", "--split", "all")
    assert (done.returncode, "scoring gave None for 3 episodes" in done.stdout) == (1, True)


def test_nothing_but_json_reaches_stdout_whatever_an_environment_prints(grpo_env, broken):
    done = grpo_env("eval", "broken:Broken", "--model", "echo", "--split", "all", "--json")
    assert json.loads(done.stdout)["errors"] == {"environment score: ValueError": 3}
    assert "scoring" in done.stderr
    played = grpo_env("play", "broken:Broken", "--json", stdin="x\n")
    assert (played.returncode, json.loads(played.stdout)["stop_reason"]) == (1, "env_error")


LOUD = """
import atexit, ctypes, os, subprocess, sys, threading

from grpo_env_sdk import SingleTurnEnv, reward

OVER = threading.Event()
C = ctypes.CDLL(None)

def speak():
    OVER.wait()
    os.write(1, b"thread ")

def leave():
    print("exit", end=" ")
    OVER.set()
    thread.join()

atexit.register(leave)
thread = threading.Thread(target=speak, daemon=True)
thread.start()

class Loud(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [{"prompt": "Speak."}]

    @reward
    def fine(self, completion):
        subprocess.run(["echo", "program"])
        os.write(1, b"descriptor ")
        C.printf(b"buffer of C ")
        print("first stdout", end=" ", file=sys.__stdout__)
        return 1.0
"""


@pytest.mark.parametrize("pool", ["thread", "process"])
def test_neither_programs_nor_c_code_nor_what_runs_at_the_end_write_between_the_json(pool, grpo_env, tmp_path):
    (tmp_path / "loud.py").write_text(LOUD)
    done = grpo_env("eval", "loud:Loud", "--model", "echo", "--split", "all", "--json", "--env-pool", pool)
    assert json.loads(done.stdout)["scored"] == 1, done
    written = ["program", "descriptor", *["buffer of C", "first stdout", "exit", "thread"] * (pool == "thread")]
    assert [text for text in written if text not in done.stderr] == []


def test_a_thread_that_never_ends_does_not_hold_the_command(grpo_env, broken):
    limits = ("--limit-call", "0.2")
    done = grpo_env("eval", "broken:Hanging", "--model", "echo", "--split", "all", *limits, "--json", timeout=60)
    assert json.loads(done.stdout)["stop_reasons"] == {"timeout": 3}


def test_names_and_flags_come_in_any_order(grpo_env):
    done = grpo_env("eval", PHONEBOOK, "--model", "gold", "tests.environments:Guess", "--json")
    assert len(done.stdout.splitlines()) == 2


def test_list_shows_the_ids_that_have_one_of_the_words_in_them(grpo_env):
    listed = json.loads(grpo_env("list", "HOTEL", "--json").stdout)["environments"]
    assert [item["id"] for item in listed] == ["hotel-v1"]
    done = grpo_env("list", "hotl")
    assert done.returncode == 2
    assert "'hotl'" in done.stderr
    assert "Did you mean 'hotel-v1'? `grpo-env list`" in done.stderr


def test_info_says_that_a_view_decides_what_the_model_reads(grpo_env):
    assert "a view decides what the model reads" in grpo_env("info", "tests.views_envs:Doors").stdout


NEVER_WHOLE = """
class NeverWhole:
    def build_dataset(self, tokenizer):
        return [{"prompt": f"{n}?", "answer": str(n)} for n in range(3)]

    def score_episode(self, model, tokenizer, completion, answer):
        return 0.9 * (completion == answer)

    def solve(self, row):
        return row["answer"]
"""


@pytest.mark.parametrize(("policy", "pass_at", "noted"), [
    ("gold", [], True), ("gold", ["--pass-at", "0.9"], False), ("echo", [], False),
])  # fmt: skip
def test_gold_that_never_passes_is_noted(policy, pass_at, noted, workplace, capsys):
    workplace.write("never_whole.py", NEVER_WHOLE)
    assert main(["eval", "never_whole:NeverWhole", "--model", policy, "--split", "all", *pass_at]) == 0
    assert ("gold never passes" in capsys.readouterr().out) == noted
