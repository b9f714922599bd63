"""What a command says reaches nobody: its log is on a full disk, or whoever read it is gone."""

import json
import os
import subprocess
import sys

import pytest

from grpo_env_sdk.cli import main
from grpo_env_sdk.isolation.processes.lossy_output import reader_is_gone
from tests.forked_commands import user_environment

TALKATIVE = """
import sys
from grpo_env_sdk import SingleTurnEnv, reward

class Talks(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [{"prompt": f"Say {number}.", "number": number} for number in range(6)]

    @reward
    def said(self, completion, number):
        print("x" * 5000, file=sys.stderr)
        print("y" * 5000)
        return completion == str(number)

    def solve(self, row):
        return str(row["number"])
"""


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
@pytest.mark.parametrize("pool", ["thread", "process"])
@pytest.mark.parametrize("gone", [False, True], ids=["full disk", "no reader"])
def test_a_log_that_nobody_can_write_or_reads_costs_no_run(tmp_path, pool, gone):
    (tmp_path / "talkative.py").write_text(TALKATIVE)
    if gone:
        reading, told = os.pipe()
        os.close(reading)
    else:
        told = os.open("/dev/full", os.O_WRONLY)
    words = ["eval", "talkative:Talks", "--model", "gold", "--split", "all", "--env-pool", pool, "--out", "run"]
    try:
        ended = subprocess.run(
            [sys.executable, "-m", "grpo_env_sdk", *words, "--json"], stdout=subprocess.PIPE, stderr=told, text=True,
            cwd=tmp_path, env=user_environment(), check=False,
        )  # fmt: skip
    finally:
        os.close(told)
    assert ended.returncode == 0
    assert json.loads(ended.stdout)["scored"] == 6
    assert len((tmp_path / "run" / "episodes.jsonl").read_text().splitlines()) == 6


def test_a_pipe_is_read_until_its_other_side_is_closed():
    reading, writing = os.pipe()
    assert not reader_is_gone(writing)
    os.close(reading)
    assert reader_is_gone(writing)
    os.close(writing)


def test_another_broken_pipe_than_that_of_the_output_is_no_success(monkeypatch):
    def breaks(arguments):
        raise BrokenPipeError

    monkeypatch.setattr("grpo_env_sdk.cli._dispatch", breaks)
    with pytest.raises(BrokenPipeError):
        main(["list"])
