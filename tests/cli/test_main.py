import json
import os
import subprocess
import sys

import pytest

import grpo_env_sdk
from grpo_env_sdk.cli import main
from grpo_env_sdk.registry import entry_points as installed
from grpo_env_sdk.registry import plugins

COMMANDS = ("list", "info", "init", "play", "eval", "runs", "diff", "rescore", "view")
PHONEBOOK = "tests.environments:Phonebook"
GRPO_ENV = (sys.executable, "-m", "grpo_env_sdk")


def test_help_names_every_command(grpo_env):
    shown = grpo_env("--help").stdout
    assert all(f"\n  {command} " in shown for command in COMMANDS)
    assert grpo_env().stdout == shown


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_every_command_has_an_example(grpo_env, command):
    shown = grpo_env(command, "--help")
    assert shown.returncode == 0
    assert f"example:\n  grpo-env {command}" in shown.stdout


def test_the_version_names_the_core_and_what_brings_environments(grpo_env):
    assert f"grpo-env-sdk {grpo_env_sdk.__version__}\n" in grpo_env("--version").stdout
    assert json.loads(grpo_env("--version", "--json").stdout)["grpo-env-sdk"] == grpo_env_sdk.__version__


@pytest.mark.parametrize(("arguments", "told"), [
    (["evl"], "No command named 'evl'. Did you mean 'eval'?"),
    (["--versoin"], "No option named '--versoin'. Did you mean '--version'?"),
    (["eval", "x-v1", "--modle", "gold"], "Did you mean '--model'?"),
    (["eval"], "eval needs an environment."),
    (["eval", PHONEBOOK], "eval needs --model."),
    (["eval", PHONEBOOK, "--model", "gold", "-n", "0"], "-n/--rows must be a whole number of at least 1, got 0."),
    (["eval", PHONEBOOK, "--model", "gold", "-n", "many"], "-n/--rows must be a whole number of at least 1, got many."),
    (["eval", PHONEBOOK, "--model", "glod"], "No policy named 'glod'. Did you mean 'gold'?"),
    (["eval", PHONEBOOK, "--model", "./nowhere"], "There is no folder './nowhere', which looks like a path."),
    (["eval", PHONEBOOK, "--model", "gold", "--by", "hlaf"], "--by hlaf: no such column. Did you mean 'half'?"),
    (["eval", PHONEBOOK, "--model", "gold", "--prices", "1"], "--prices must be two numbers, got '1'."),
    (["eval", PHONEBOOK, "--model", "gold", "--prices", "1,nan"], "prices must be a finite number, got nan."),
    (["eval", PHONEBOOK, "--model", "gold", "--temperature", "nan", "--dry-run"], "temperature must be a finite"),
    (["eval", PHONEBOOK, "--model", "gold", "--top-p", "inf"], "top_p must be a finite number, got inf."),
    (["eval", PHONEBOOK, "--model", "gold", "--top-p", "1.5"], "got 1.5. A valid value is 0.5."),
    (["eval", PHONEBOOK, "--model", "gold", "--temperature=-1"], "temperature must be at least 0, got -1.0."),
    (["eval", PHONEBOOK, "--model", "gold", "--prices=1,-1"], "prices must be at least 0, got -1.0."),
    (["eval", PHONEBOOK, "--model", "gold", "--max-errors", "nan"], "--max-errors must be a number of at least 0,"),
    (["eval", PHONEBOOK, "--model", "gold", "--seed", "9" * 30], "seed must be a whole number of 64 bits, got 999"),
    (["eval", PHONEBOOK, "--model", "gold", "-n", "9" * 30], "rows must be below 2**53, got 999"),
    (["eval", PHONEBOOK, "--model", "gold", "--extra-body", "[1]"], "--extra-body is '[1]', not an object."),
    (["eval", PHONEBOOK, "--model", "gold", "--config", "no.toml"], "--config no.toml cannot be read"),
    (["eval", "--resume", "runs/x", "-k", "2"], "the settings of the run, so -k/--samples cannot be set."),
    (["eval", "--resume", "runs/x"], "There is no run 'runs/x'."),
    (["diff", "runs/x", "runs/y", "--most=-1"], "--most must be a whole number of at least 0, got -1."),
    (["rescore", "runs/x", "--most=-1"], "--most must be a whole number of at least 0, got -1."),
    (["eval", "tests.environments:Phonebok", "--model", "gold"], "Did you mean 'Phonebook'?"),
    (["info", PHONEBOOK, "--env-config", "{"], "--env-config is not JSON"),
    (["info", PHONEBOOK, "--env-config", '{"x": 1}'], "takes no config 'x'. It takes no config."),
    (["info", PHONEBOOK, "--row", "99"], "There is no row 99. The dataset has rows 0 to 29."),
    (["info", "tests.environments:re"], "not a class. Name a class or a function."),
    (["play", "tests.environments:ALL"], "not a class"),
    (["runs", "show"], "runs show needs a run."),
    (["runs", "swhow"], "Did you mean 'show'?"),
    (["runs", "."], "`grpo-env runs show .` shows that run."),
    (["diff"], "diff needs two runs."),
    (["diff", "a"], "diff needs two runs."),
    (["diff", "a", "--most", "3", "b"], "There is no run 'a'."),
    (["diff", "a", "b"], "There is no run 'a'."),
    (["rescore", "a"], "There is no run 'a'."),
    (["view", "a"], "There is no run 'a'."),
    (["init", "My Task"], "Use 'my-task'"),
    (["runs", "list", "nope"], "`grpo-env runs list` takes no 'nope'. `grpo-env runs show nope` shows a run"),
])  # fmt: skip
def test_bad_input_is_one_line_with_the_next_step_and_exit_code_2(grpo_env, tmp_path, arguments, told):
    done = grpo_env(*arguments)
    assert done.returncode == 2, done
    assert told in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""
    assert list(tmp_path.iterdir()) == []


def test_an_error_under_json_is_one_object_on_stdout(grpo_env):
    done = grpo_env("eval", PHONEBOOK, "--model", "glod", "--json")
    assert done.returncode == 2
    assert json.loads(done.stdout)["error"]["type"] == "UsageError"
    assert "Did you mean 'gold'?" in json.loads(done.stdout)["error"]["hint"]
    assert done.stderr == ""


def test_a_reader_that_has_seen_enough_is_no_error(grpo_env, tmp_path):
    import subprocess
    import sys

    from tests.forked_commands import user_environment

    done = subprocess.run(
        f"{sys.executable} -m grpo_env_sdk info {PHONEBOOK} | head -1", shell=True, cwd=tmp_path, text=True,
        capture_output=True, env=user_environment(),
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")


TRAINER = """
    from grpo_env_sdk import CommandSpec, hookimpl

    @hookimpl
    def grpo_env_register_commands():
        return [CommandSpec("train", "train a model", "{}:train")]
"""


def test_two_trainers_are_an_error_that_names_both(site, capsys):
    for name in ("one-trainer", "other-trainer"):
        module = name.replace("-", "_")
        site.install(name, plugins={"hooks": module}, modules={f"{module}.py": TRAINER.format(module)})
    assert main(["train", "hotel-v1"]) == 2
    told = capsys.readouterr().err
    assert "The command 'train' is provided by " in told
    assert "one-trainer" in told
    assert "other-trainer" in told
    assert told.endswith("pip uninstall all of them but one.\n")


@pytest.mark.parametrize(("command", "told"), [
    ("train", "`grpo-env train` needs the trainer plugin, which is not installed. pip install grpo-env-trl"),
    ("trian", "No command named 'trian'. Did you mean 'train'?"),
])  # fmt: skip
def test_where_no_trainer_is_installed_it_says_what_to_install(site, monkeypatch, capsys, command, told):
    monkeypatch.setattr(sys, "path", [path for path in sys.path if not path.endswith("site-packages")])
    installed.forget()
    plugins.forget()
    assert main([command, "hotel-v1"]) == 2
    assert told in capsys.readouterr().err


def test_a_note_is_printed_once(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert main(["play", "tests.test_closing:Leaves", "--gold"]) == 0
    err = capsys.readouterr().err
    assert [err.count(told) for told in ("closed badly", "nothing to close")] == [1, 1]
    assert main(["play", "tests.test_closing:Leaves", "--gold"]) == 0  # the next command has its own
    assert capsys.readouterr().err == err


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
@pytest.mark.parametrize("flags", [(), ("--json",)])
def test_output_that_cannot_be_written_is_one_line_and_no_failed_check(flags):
    with open("/dev/full", "w") as full:
        ended = subprocess.run([*GRPO_ENV, "list", *flags], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (2, "grpo-env: The output cannot be written: No space left on device.\n")


def test_a_command_whose_streams_are_closed_says_nothing_and_ends_well():
    command = f"exec {' '.join(GRPO_ENV)} list <&- >&- 2>&-"
    assert subprocess.run(["/bin/sh", "-c", command], check=False).returncode == 0


def test_a_working_directory_that_was_removed_is_one_line(tmp_path, monkeypatch, capsys):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert main(["info", PHONEBOOK]) == 2
    assert "The working directory no longer exists. cd to another folder" in capsys.readouterr().err


LEFT = """
import atexit, os, signal
from grpo_env_sdk import cli
from grpo_env_sdk.__main__ import command
signal.signal(signal.SIGINT, signal.default_int_handler)
cli.main = lambda: 130
atexit.register(lambda: os.kill(os.getpid(), signal.SIGINT))
command()
"""


def test_ctrl_c_again_while_an_interrupted_command_ends_is_no_traceback():
    done = subprocess.run([sys.executable, "-c", LEFT], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "")


EARLY = """
import sys

class Interrupts:
    def find_spec(self, name, *place):
        if name == "grpo_env_sdk.cli":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupts())
from grpo_env_sdk.__main__ import command
command()
"""


def test_ctrl_c_before_the_command_has_begun_is_one_line():
    done = subprocess.run([sys.executable, "-c", EARLY], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "Interrupted.\n")
