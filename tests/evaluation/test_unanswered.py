"""A server that stops answering ends the evaluation, and one that fails now and then only its episodes."""

import pytest

from grpo_env_sdk import evaluate
from grpo_env_sdk.evaluation.unanswered import GONE
from grpo_env_sdk.policies import UnusablePolicyError
from grpo_env_sdk.runs.reading import open_run
from tests.policies.parrot import Parrot, model_at, played
from tests.stub_server import StubServer, echoes, hangs_up


def test_a_server_that_is_gone_ends_the_run_which_resumes_where_it_was(tmp_path):
    with StubServer(echoes, echoes, echoes, hangs_up) as server:
        with pytest.raises(
            UnusablePolicyError, match=r"3 of 12 episodes are saved; go on with: evaluate\(.*resume=True"
        ):
            evaluate(Parrot(12), model_at(server.url), split="all", concurrency=2, out=tmp_path / "r")
        assert [episode.reward for episode in open_run(tmp_path / "r").episodes()] == [1.0, 1.0, 1.0]
        server.plays(echoes)
        found = played(Parrot(12), model_at(server.url), tmp_path / "r", resume=True)
    assert [episode.reward for episode in found] == [1.0] * 12


def test_episodes_without_an_answer_are_failures_where_others_get_theirs(tmp_path):
    rows = GONE + 3
    with StubServer(echoes) as server:
        for row in range(GONE + 1):
            if row != 2:
                server.when(f"say {row}.", hangs_up)
        server.when(f"say {rows - 1}.", hangs_up)
        found = played(Parrot(rows), model_at(server.url), tmp_path / "r", concurrency=1)
    assert [row for row, episode in enumerate(found) if episode.error is None] == [2, GONE + 1]
