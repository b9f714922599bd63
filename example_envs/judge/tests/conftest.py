import sys
from pathlib import Path

import pytest

from grpo_env_judge.endpoint_judge import EndpointJudge
from grpo_env_judge.facts import Facts

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def server():
    """A server whose judge finds everything perfect, until a test says otherwise."""
    from judge_server import JudgeServer, grades

    with JudgeServer(grades(10)) as server:
        yield server


@pytest.fixture
def judge(server):
    """A judge behind the server that does not wait long between attempts."""
    from judge_server import QUICK

    return EndpointJudge(server.url, "any", retries=QUICK)


@pytest.fixture
def facts():
    return Facts("book club", "Friday", "18:30", "room 7", "9 euros")
