"""The checks as tests of a project's own."""

import subprocess
import sys

from tests.cli.conftest import user_environment

SUITE = """
from grpo_env_sdk.pytest_plugin import EnvironmentContract

class TestSums(EnvironmentContract):
    env = "sums:Sums"
    effort = "quick"
    select = ("C1",)
    ignore = ("C121", "C130")
"""
SUMS = """
class Sums:
    def build_dataset(self, tokenizer):
        return [{"prompt": "What is 1 and 1?", "answer": "2"}] * ROWS

    def score_episode(self, model, tokenizer, completion, answer):
        return float(completion == answer)
"""


def run_pytest(folder, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments],
        cwd=folder, capture_output=True, text=True, timeout=100,
        env=user_environment(PYTHONPATH=f"{folder}:{user_environment()['PYTHONPATH']}"),
    )  # fmt: skip


def test_a_class_has_one_test_a_check(tmp_path):
    (tmp_path / "sums.py").write_text(SUMS.replace("ROWS", "1"))
    (tmp_path / "test_sums.py").write_text(SUITE)
    done = run_pytest(tmp_path, "-v", "test_sums.py")
    assert done.returncode == 0, done.stdout
    assert "test_sums.py::TestSums::test_environment[C101] PASSED" in done.stdout


def test_a_finding_fails_its_test_with_the_evidence(tmp_path):
    (tmp_path / "sums.py").write_text(SUMS.replace("ROWS", "0"))
    (tmp_path / "test_sums.py").write_text(SUITE)
    done = run_pytest(tmp_path, "test_sums.py")
    assert done.returncode == 1
    assert "error C102  sums:Sums.build_dataset returned no rows (sums.py:3)." in done.stdout
    assert "again     grpo-env test sums:Sums --select C102" in done.stdout
    assert "1 failed" in done.stdout
    assert "skipped" in done.stdout


def test_an_environment_needs_no_test_file(tmp_path):
    (tmp_path / "sums.py").write_text(SUMS.replace("ROWS", "0"))
    done = run_pytest(tmp_path, "-v", "--grpo-env", "sums:Sums")
    assert done.returncode == 1
    assert "sums:Sums C101" in done.stdout or "C101 PASSED" in done.stdout
    assert "1 failed" in done.stdout
