"""A training that is stopped, killed or out of disk goes on from its last whole checkpoint, with the same numbers."""

import functools
import linecache
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from lessons import Spell
from quick import flags, quick_run
from transformers import TrainerCallback

from grpo_env_sdk.cli import main
from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.runs.live_rows import LiveRow, LiveRows, left_in
from grpo_env_sdk.runs.reading import RunError, open_run
from grpo_env_trl.runs.run_folder import RunFolder
from grpo_env_trl.training.stopping import StopOnInterrupt

LONG = {"max_steps": 4, "save_strategy": "steps", "save_steps": 2, "num_train_epochs": 1}
UNMEASURED = LONG | {"eval_rows": 0}
TIMES = ("time", "left", "runtime", "per_second")


@pytest.fixture(autouse=True)
def interruptible():
    """Ctrl-C and a closed terminal do what they do in Python, also where whoever started the tests ignores them."""
    usual = {signal.SIGINT: signal.default_int_handler, signal.SIGHUP: signal.SIG_DFL}
    before = {number: signal.signal(number, handler) for number, handler in usual.items()}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


class At(TrainerCallback):
    """Does something after a step, or as it begins."""

    def __init__(self, step, act):
        self.step, self.act = step, act

    def on_step_begin(self, args, state, control, **kwargs):
        if state.global_step + 1 == self.step:
            self.act()


def interrupt():
    os.kill(os.getpid(), signal.SIGINT)


def numbers_of(run):
    """What was logged, without what a clock said."""
    return [
        {name: value for name, value in entry.items() if not any(word in name for word in TIMES)}
        for entry in RunFolder(Path(run)).logged()
    ]


@pytest.fixture(scope="module")
def whole(models, tmp_path_factory):
    """What a training that nobody stops logs, with an adapter or without; each is trained once."""

    @functools.cache
    def numbers(adapter):
        return numbers_of(
            quick_run(Spell, models(), tmp_path_factory.mktemp("whole") / "run", use_peft=adapter, **LONG).run
        )

    return numbers


@pytest.mark.parametrize("adapter", [False, True])
def test_ctrl_c_saves_and_a_resumed_training_logs_the_numbers_of_one_that_went_on(
    adapter, whole, models, workplace, capsys
):
    stopped = quick_run(Spell, models(), "run", callbacks=[At(3, interrupt)], use_peft=adapter, **LONG)
    assert (stopped.finished, stopped.steps) == (False, 3)
    assert "Finishing this step and saving a checkpoint; press Ctrl-C again to stop at once." in capsys.readouterr().err
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert open_run("run").summary() is None
    assert main(["train", "--resume", "run"]) == 0
    assert [entry["step"] for entry in RunFolder(Path("run")).logged()] == [1, 2, 3, 4]
    assert numbers_of("run") == whole(adapter)
    again = open_run("run").summary()
    assert again["finished"] is True
    assert again["heldout"]["before"] == stopped.heldout["before"]
    assert main(["train", "--resume", "run"]) == 2
    assert "'run' is finished. To train its model further: --model run" in capsys.readouterr().err


def test_a_training_that_died_in_environment_code_goes_on_in_processes_with_the_same_numbers(
    whole, models, workplace, capsys
):
    quick_run("lessons:Spell", models(), "run", callbacks=[At(3, interrupt)], **LONG)
    assert left_in(Path("run")) == []
    with LiveRows(Path("run")).during(LiveRow(7, 0, "score", "lessons:Spell")):  # as a killed process leaves it
        assert main(["train", "--resume", "run"]) == 0
    told = capsys.readouterr().err
    assert "row 7 (score)" in told
    assert "--env-pool process" in told
    assert numbers_of("run") == whole(False)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_sigterm_and_a_closed_terminal_save_as_ctrl_c_does(number, models, workplace, capsys):
    before = signal.getsignal(number)
    ended = At(3, lambda: os.kill(os.getpid(), number))
    stopped = quick_run(Spell, models(), "run", callbacks=[ended], **UNMEASURED)
    assert (stopped.finished, stopped.steps) == (False, 3)
    assert signal.getsignal(number) is before
    assert [*RunFolder(Path("run")).checkpoints()] == [2, 3]


def test_as_many_checkpoints_are_kept_as_asked_for_and_a_cut_one_is_passed_over(models, workplace, capsys):
    settings = UNMEASURED | {"save_steps": 1, "save_total_limit": 2}
    stopped = quick_run(Spell, models(), "run", callbacks=[At(3, interrupt)], **settings)
    kept = RunFolder(Path("run")).checkpoints()
    assert (stopped.steps, [*kept]) == (3, [2, 3])
    random_state = kept[3] / "rng_state.pth"
    random_state.write_bytes(random_state.read_bytes()[:100])
    assert main(["train", "--resume", "run", "--quiet"]) == 0
    assert "checkpoint-3 is damaged: rng_state.pth has 100 bytes" in capsys.readouterr().err
    assert [entry["step"] for entry in RunFolder(Path("run")).logged()] == [1, 2, 3, 4]


@pytest.mark.parametrize("cut_off", ["before", "before-greedy"])
def test_a_training_stopped_while_it_measured_measures_again(cut_off, models, workplace):
    quick_run(Spell, models(), "run", callbacks=[At(1, interrupt)])
    (workplace / "run/heldout" / cut_off / "summary.json").unlink()
    shutil.rmtree(workplace / "run/checkpoints")  # there is none before the first step
    assert main(["train", "--resume", "run", "--quiet"]) == 0
    assert open_run("run").summary()["heldout"]["before"]["greedy"] is not None


def test_another_environment_does_not_go_on_with_a_run(models, workplace, capsys):
    source = "from lessons import Spell\n\n\nclass Mine(Spell):\n    steepness = {}\n"
    (workplace / "mine.py").write_text(source.format(1))
    quick_run("mine:Mine", models(), "run", callbacks=[At(1, interrupt)], eval_rows=0)
    (workplace / "mine.py").write_text(source.format(22))
    del sys.modules["mine"]
    linecache.checkcache()
    assert main(["train", "--resume", "run"]) == 2
    assert "grpo-env: 'run' cannot be resumed: the environment's code changed" in capsys.readouterr().err


def test_a_second_ctrl_c_stops_at_once():
    with StopOnInterrupt() as stopper:
        interrupt()
        assert stopper.asked
        with pytest.raises(KeyboardInterrupt):
            interrupt()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_second_sigterm_still_saves():
    with StopOnInterrupt() as stopper:
        for _ in range(2):
            os.kill(os.getpid(), signal.SIGTERM)
        assert stopper.asked


def test_a_full_disk_leaves_the_last_whole_checkpoint_and_is_one_line(models, workplace):
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)

    def fill():
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, most))

    try:
        with pytest.raises(UsageError, match=r"'run' cannot be written any more: .*\. Free some space, then") as caught:
            quick_run(Spell, models(), "run", callbacks=[At(3, fill)], **UNMEASURED)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    assert str(caught.value).endswith("continue: grpo-env train --resume run")
    assert "\n" not in str(caught.value)
    assert [path.name for path in workplace.glob("run/checkpoints/checkpoint-*")] == ["checkpoint-2"]
    assert main(["train", "--resume", "run", "--quiet"]) == 0
    assert [entry["step"] for entry in RunFolder(Path("run")).logged()] == [1, 2, 3, 4]


@pytest.mark.parametrize("step", [1, 4])
def test_a_run_folder_that_is_deleted_meanwhile_is_one_line(step, models, workplace):
    with pytest.raises(RunError, match=r"'run' was deleted or moved .* Begin again") as caught:
        quick_run(Spell, models(), "run", callbacks=[At(step, lambda: shutil.rmtree("run"))], **UNMEASURED)
    assert "\n" not in str(caught.value)


RUN = "import sys; from grpo_env_sdk.cli import main; sys.exit(main(sys.argv[1:]))"


def environment():
    """That of a person, in which the modules of these tests are found."""
    here = Path(__file__).parent
    return os.environ | {"PYTHONPATH": f"{here}:{here.parent}", "OMP_NUM_THREADS": "1"}


def start(*words):
    return subprocess.Popen(
        [sys.executable, "-c", RUN, "train", *words], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=environment(), preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip


def wait_for(path, process):
    while not path.exists() and process.poll() is None:
        time.sleep(0.02)


@pytest.mark.slow
def test_ctrl_c_in_a_terminal_exits_with_130_and_the_printed_command_goes_on(models, workplace):
    process = start("lessons:Spell", "--model", models(), *flags(**LONG | {"max_steps": 40}))
    wait_for(workplace / "run/checkpoints/checkpoint-2/grpo_env_checkpoint.json", process)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=900)
    assert process.returncode == 130, told
    *_, before, command = told.splitlines()
    assert before.startswith("Stopped after step ")
    assert command == "  grpo-env train --resume run"
    done = start(*command.split()[2:])
    assert done.communicate(timeout=900)[1].splitlines()[-1].startswith("Evaluate it:")
    assert [entry["step"] for entry in RunFolder(Path("run")).logged()] == [*range(1, 41)]


@pytest.mark.slow
def test_a_killed_training_goes_on_from_its_last_whole_checkpoint_with_equal_numbers(models, workplace):
    long = flags(**LONG | {"max_steps": 30})
    process = start("lessons:Spell", "--model", models(), *long)
    wait_for(workplace / "run/checkpoints/checkpoint-6", process)  # it is being written now
    process.kill()
    process.communicate()
    done = start("--resume", "run")
    _, told = done.communicate(timeout=900)
    assert done.returncode == 0, told
    whole = start("lessons:Spell", "--model", models(), *flags(**LONG | {"max_steps": 30, "out": "whole"}))
    whole.communicate(timeout=900)
    assert [entry["step"] for entry in RunFolder(Path("run")).logged()] == [*range(1, 31)]
    assert numbers_of("run") == numbers_of("whole")
    keys = [(episode.row_index, episode.sample) for episode in open_run("run").episodes()]
    assert len(set(keys)) == len(keys)


@pytest.mark.slow
def test_two_processes_on_one_run_are_kept_apart(models, workplace):
    process = start("lessons:Spell", "--model", models(), *flags(**LONG | {"max_steps": 300}))
    wait_for(workplace / "run/checkpoints/checkpoint-2", process)
    other = start("--resume", "run")
    _, told = other.communicate(timeout=900)
    process.kill()
    process.communicate()
    assert other.returncode == 2
    assert "grpo-env: Another process is writing to 'run'." in told.splitlines()[-1]
