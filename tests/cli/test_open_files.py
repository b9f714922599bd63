"""Commands that may open few files: one line that says so, and a run that is whole."""

import os
import subprocess
import sys

import pytest

from grpo_env_sdk import open_run
from grpo_env_sdk.cli.output import print_error
from grpo_env_sdk.errors import BrokenPackageError
from tests.forked_commands import user_environment

ROWS = 100
LEAK = f"""
from grpo_env_sdk import SingleTurnEnv

KEPT = []

class Leak(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [{{"prompt": f"Say {{n}}."}} for n in range({ROWS})]

    def score_episode(self, model, tokenizer, completion):
        KEPT.append(open("leak.py"))
        return 1.0
"""


@pytest.fixture
def limited(tmp_path):
    """Runs a command that may open so many files; the exit code, and what it says on stderr."""
    (tmp_path / "leak.py").write_text(LEAK)

    def run(most, *words):
        line = f'ulimit -n {most}; exec "$0" -m grpo_env_sdk "$@"'
        done = subprocess.run(["bash", "-c", line, sys.executable, *words], cwd=tmp_path, capture_output=True,
                              text=True, timeout=100, env=user_environment())  # fmt: skip
        return done.returncode, done.stderr

    return run


def test_an_environment_that_leaves_files_open_loses_no_summary(limited, tmp_path):
    code, said = limited(64, "eval", "leak:Leak", "--model", "echo", "--split", "all", "--out", "run")
    assert code == 0, said
    summary = open_run(tmp_path / "run").summary()
    assert summary["episodes"] == ROWS
    assert summary["stop_reasons"]["env_error"] > 0


@pytest.mark.parametrize("most", [7, 8])
@pytest.mark.parametrize("pool", ["thread", "process"])
def test_a_low_limit_is_one_line_that_names_it(most, pool, limited):
    words = ("eval", "leak:Leak", "--model", "echo", "--split", "all", "--out", "run", "--env-pool", pool)
    code, said = limited(most, *words)
    assert code == 2
    (line,) = (line for line in said.splitlines() if "ulimit -n" in line)
    assert line.startswith("grpo-env: ")


def test_nothing_else_is_blamed_where_files_run_out(capsys):
    try:
        raise BrokenPackageError("It cannot be imported.", "Uninstall it.") from OSError(24, os.strerror(24), "it.py")
    except BrokenPackageError as exc:
        print_error(exc, as_json=False)
    said = capsys.readouterr().err
    assert "ulimit -n" in said
    assert "Uninstall" not in said
