"""Episodes that leave files open: another worker takes over before one can open no more."""

import os
import resource

import pytest

from grpo_env_sdk import SingleTurnEnv, evaluate
from grpo_env_sdk.errors import GrpoEnvWarning

LIMIT = 64


class Leaks(SingleTurnEnv):
    """Says each number, and forgets to close a file."""

    def build_dataset(self, tokenizer):
        resource.setrlimit(resource.RLIMIT_NOFILE, (LIMIT, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
        return [{"prompt": f"Say {n}.", "n": n} for n in range(2 * LIMIT)]

    def score_episode(self, model, tokenizer, completion, n):
        os.open(os.devnull, os.O_RDONLY)
        return 1.0


class LeaksInParallel(Leaks):
    """The same, with any number of workers."""

    parallel = True


@pytest.mark.parametrize("env", [Leaks, LeaksInParallel])
def test_a_worker_that_could_open_no_more_is_replaced_and_that_is_said_once(env):
    with pytest.warns(GrpoEnvWarning) as said:
        found = evaluate(env, "echo", split="all", env_pool="process", env_workers=2)
    assert [episode.error for episode in found.kept if episode.error] == []
    (line,) = (str(one.message) for one in said)
    assert "leave files open" in line
    assert ("new instance" in line) == (env is Leaks)
