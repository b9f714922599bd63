import pytest

from tests.forked_commands import user_environment


@pytest.fixture
def grpo_env(tmp_path, fork_server):
    """Runs the real command in an empty folder, as a user does: gives exit code, stdout and stderr."""

    def run(*arguments, stdin="", timeout=120, **environment):
        given = {"cwd": tmp_path, "stdin": stdin, "environment": user_environment(**environment)}
        return fork_server.run("grpo_env_sdk", *arguments, timeout=timeout, **given)

    return run
