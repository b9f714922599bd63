"""Mistakes that `grpo-env train` finds without torch and TRL, whose import takes seconds."""

import subprocess
import sys
from importlib.util import find_spec

import pytest
from training.test_run_folder import begun

from grpo_env_sdk.runs.guarded_files import lock_run

CODE = """
import sys
from grpo_env_sdk.cli import main
print(main(["train", *sys.argv[1:]]), {"torch", "trl", "transformers"} & {*sys.modules})
"""


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("hotel-v1 --out run", "'run' already has a run. Resume it with --resume run"),
        ("hotel-v1 --output-dir run/checkpoints", "'run/checkpoints' is not empty."),
        ("hotel-v1 --out held", "Another process is writing a run to 'held'."),
        ("--resume held", "Another process is writing to 'held'"),
        ("--resume run --max-steps 5", "'run' goes on after step 6, so --max-steps 5 leaves nothing to train."),
        pytest.param("hotel-v1 --use-vllm", "--use-vllm needs vLLM", marks=[
            pytest.mark.skipif(find_spec("vllm") is not None, reason="vLLM is installed")
        ]),
    ],
)  # fmt: skip
def test_what_is_wrong_with_folders_steps_and_vllm_is_found_before_they_are_imported(words, told, tmp_path):
    for name in ("run", "held"):
        begun(tmp_path / name, steps=6, checkpoints=(6, 7))
    with lock_run(tmp_path / "held"):
        command = [sys.executable, "-c", CODE, *words.split()]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout == "2 set()\n", done.stderr
    assert told in done.stderr
