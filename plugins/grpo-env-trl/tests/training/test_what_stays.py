"""What is left of a training that ends badly, and that it goes on from there."""

import shutil

import pytest
from lessons import Spell
from quick import quick_run
from test_interrupting import UNMEASURED, At

from grpo_env_sdk.cli import main
from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.ext import UnusablePolicyError
from grpo_env_sdk.runs.reading import open_run
from grpo_env_trl.runs.run_folder import RunFolder
from grpo_env_trl.writers.vllm_servers import RESUME

SHORT = UNMEASURED | {"max_steps": 2, "save_steps": 1}


def stop_at_once():
    raise KeyboardInterrupt


def test_a_training_that_records_no_episodes_keeps_its_checkpoints(models, workplace):
    with pytest.raises(KeyboardInterrupt):
        quick_run(Spell, models(), "run", callbacks=[At(2, stop_at_once)], sample_every=0, **SHORT)
    assert [*RunFolder(workplace / "run").checkpoints()] == [1]
    assert main(["train", "--resume", "run", "--quiet"]) == 0
    assert [entry["step"] for entry in RunFolder(workplace / "run").logged()] == [1, 2]


def test_a_training_that_ends_before_its_first_step_leaves_nothing(models, workplace):
    with pytest.raises(KeyboardInterrupt):
        quick_run(Spell, models(), "run", callbacks=[At(1, stop_at_once)], **SHORT)
    assert not (workplace / "run").exists()


def test_a_report_that_cannot_be_written_is_one_line_and_comes_with_the_resumed_training(models, workplace):
    report = workplace / "run" / "report.html"
    with pytest.raises(
        UsageError, match=r"'run' cannot be written any more: .*report.html.*\. Correct that, then"
    ) as told:
        quick_run(Spell, models(), "run", callbacks=[At(2, report.mkdir)], **SHORT)
    assert str(told.value).endswith("continue: grpo-env train --resume run")
    assert open_run("run").summary() is None
    report.rmdir()
    assert main(["train", "--resume", "run", "--quiet"]) == 0
    assert report.is_file()
    assert open_run("run").summary()["finished"] is True


def no_folder(path):
    shutil.rmtree(path, ignore_errors=True)
    path.write_text("a file")


def test_held_out_rows_that_cannot_be_written_are_one_line_about_the_training(models, workplace):
    heldout = workplace / "run" / "heldout"
    with pytest.raises(UsageError, match="'run' cannot be written any more") as told:
        quick_run(Spell, models(), "run", callbacks=[At(2, lambda: no_folder(heldout))], **SHORT | {"eval_rows": 2})
    assert str(told.value).endswith("Correct that, then continue: grpo-env train --resume run")
    assert "take another --out" not in str(told.value)


def test_a_model_that_was_trained_on_is_measured_again(models, workplace):
    made = quick_run(Spell, models(), "run", **SHORT | {"eval_rows": 2})
    (made.run / "summary.json").unlink()  # as if it had been killed just before
    measured = made.run / "heldout/after/summary.json"
    first = measured.stat().st_mtime_ns
    assert main(["train", "--resume", "run", "--quiet"]) == 0
    assert measured.stat().st_mtime_ns == first  # by the same model
    (made.run / "summary.json").unlink()
    assert main(["train", "--resume", "run", "--quiet", "--max-steps", "3"]) == 0
    assert measured.stat().st_mtime_ns != first


def no_server():
    raise UnusablePolicyError("The vLLM server is gone.", RESUME)


@pytest.mark.parametrize(("step", "then"), [(1, "begin again"), (2, "continue: grpo-env train --resume run")])
def test_a_server_that_is_gone_is_told_with_the_command_that_works_then(step, then, models, workplace):
    with pytest.raises(UnusablePolicyError) as told:
        quick_run(Spell, models(), "run", callbacks=[At(step, no_server)], **SHORT)
    assert told.value.hint == f"Start it again, then {then}"
    assert (workplace / "run").exists() == (step > 1)
