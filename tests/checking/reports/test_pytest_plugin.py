"""The checks as tests of a project's own."""

import pytest

from tests.forked_commands import user_environment

SUITE = """
from grpo_env_sdk.pytest_plugin import EnvironmentContract

class TestSums(EnvironmentContract):
    env = "sums:Sums"
    effort = "quick"
    select = ("C10", "C11")
    ignore = ("C103",)
"""
SUMS = """
class Sums:
    def build_dataset(self, tokenizer):
        return [{"prompt": "What is 1 and 1?", "answer": "2"}] * ROWS

    def score_episode(self, model, tokenizer, completion, answer):
        return float(completion == answer)
"""


@pytest.fixture
def run_pytest(tmp_path, fork_server):
    """Runs the tests of a project."""
    path = f"{tmp_path}:{user_environment()['PYTHONPATH']}"
    place = {"cwd": tmp_path, "environment": user_environment(PYTHONPATH=path)}
    return lambda *arguments: fork_server.run("pytest", "-p", "no:cacheprovider", *arguments, **place)


def test_a_class_has_one_test_a_check_and_a_finding_fails_its_test_with_the_evidence(tmp_path, run_pytest):
    (tmp_path / "sums.py").write_text(SUMS.replace("ROWS", "1"))
    (tmp_path / "test_sums.py").write_text(SUITE)
    (tmp_path / "empty.py").write_text(SUMS.replace("ROWS", "0"))
    selecting_by_text = SUITE.replace('("C10", "C11")', '"C10,C11"')
    (tmp_path / "test_empty.py").write_text(selecting_by_text.replace("sums:Sums", "empty:Sums"))
    done = run_pytest("-v", "test_sums.py", "test_empty.py")
    assert done.returncode == 1
    assert "test_sums.py::TestSums::test_environment[C101] PASSED" in done.stdout
    assert "error C102  empty:Sums.build_dataset returned no rows (empty.py:3)." in done.stdout
    assert "again     grpo-env test empty:Sums --select C102" in done.stdout
    assert "1 failed" in done.stdout
    assert "SKIPPED" in done.stdout


def test_an_environment_needs_no_test_file(tmp_path, run_pytest):
    (tmp_path / "sums.py").write_text(SUMS.replace("ROWS", "0"))
    done = run_pytest("-v", "--grpo-env", "sums:Sums")
    assert done.returncode == 1
    assert "sums:Sums C101" in done.stdout or "C101 PASSED" in done.stdout
    assert "1 failed" in done.stdout


def test_a_misspelt_class_fails_once_and_names_the_right_one(tmp_path, run_pytest):
    (tmp_path / "sums.py").write_text(SUMS)
    (tmp_path / "test_sums.py").write_text(SUITE.replace("sums:Sums", "sums:Suns"))
    done = run_pytest("-rs", "test_sums.py", "--grpo-env", "sums:Suns")
    assert done.returncode == 1
    assert "Did you mean 'Sums'?" in done.stdout
    assert "2 failed" in done.stdout  # one of the class, one of the flag
    assert "skipped" in done.stdout


def test_an_environment_that_nothing_provides_is_an_invalid_argument(run_pytest):
    done = run_pytest("--grpo-env", "hotle-v1")
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "Did you mean 'hotel-v1'?" in done.stderr
