import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture
def grpo_env(tmp_path):
    """Runs the real command in an empty folder, as a user does: gives exit code, stdout and stderr."""

    def run(*arguments, stdin="", timeout=120, **environment):
        return subprocess.run(
            [sys.executable, "-m", "grpo_env_sdk", *arguments], cwd=tmp_path, input=stdin, text=True,
            capture_output=True, timeout=timeout, env=user_environment(**environment),
        )  # fmt: skip

    return run


def user_environment(**more):
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("OPENAI_", "COVERAGE", "COV_"))}
    return kept | {"PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error", **more}
