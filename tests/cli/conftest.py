import os
from pathlib import Path

import pytest

from tests.forked_commands import ForkServer

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="session")
def fork_server():
    """Runs modules as `python -m` does, each in a process of its own."""
    server = ForkServer(user_environment())
    yield server
    server.close()


@pytest.fixture
def grpo_env(tmp_path, fork_server):
    """Runs the real command in an empty folder, as a user does: gives exit code, stdout and stderr."""

    def run(*arguments, stdin="", timeout=120, **environment):
        given = {"stdin": stdin, "timeout": timeout, "environment": user_environment(**environment)}
        return fork_server.run("grpo_env_sdk", *arguments, cwd=tmp_path, **given)

    return run


def user_environment(**more):
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("OPENAI_", "COVERAGE", "COV_"))}
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return kept | {"PYTHONPATH": path, "PYTHONWARNINGS": "error", **more}
