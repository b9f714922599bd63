"""Pools that plugins bring: found by name, and episodes go on elsewhere where a worker is lost with its machine."""

import pytest

from grpo_env_sdk import evaluate
from grpo_env_sdk.cli import main
from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.isolation.processes.env_pool import EnvPool
from grpo_env_sdk.registry.plugins import plugin_manager
from grpo_env_sdk.rollout.described_env import DescribedEnv, load_for
from grpo_env_sdk.rollout.process_order import order_for
from tests.environments import ALL, Guess
from tests.rollout import lossy_pool
from tests.rollout.worker_processes import untimed


@pytest.fixture(autouse=True)
def plugin():
    plugin_manager().register(lossy_pool)
    yield
    plugin_manager().unregister(lossy_pool)


class OnlyOnce(Guess):
    """The same, in which nothing can be played again."""

    replayable = False


def played(env, losses, rows=6):
    options = None if losses is None else {"losses": str(losses)}
    pool = "thread" if losses is None else "lossy"
    found = evaluate(env, "random", split="all", rows=rows, env_pool=pool, env_pool_options=options)
    return {episode.row_index: untimed(episode) for episode in found.kept}


@pytest.mark.parametrize("env", ALL)
def test_episodes_whose_worker_is_lost_have_the_records_of_threads(env):
    assert played(env, 2) == played(env, None)


def test_an_episode_that_loses_every_worker_fails_with_one_clear_reason():
    for record in played(Guess, 1000, rows=2).values():
        assert (record["stop_reason"], record["reward"], record["env_retries"]) == ("env_error", None, 0)
        error, row = record["error"], record["row_index"]
        assert (error["whose"], error["type"]) == ("sdk", "WorkerLostError")
        assert f"row {row}, sample 0 was lost in step: its machine is gone" in error["message"]


class AtMostThree(Guess):
    at_most = 3
    private = 4


def test_a_pool_reads_what_a_class_declares_for_it_though_only_workers_import_it():
    loaded = load_for(EnvPool("lossy"), "tests.rollout.test_plugin_pools:AtMostThree", split="all", rows=1)
    assert isinstance(loaded, DescribedEnv)
    assert lossy_pool.workers(loaded, order_for(loaded)).most() == 3
    assert not hasattr(loaded.env, "private")


def test_an_episode_that_cannot_be_played_again_is_lost_with_its_worker():
    records = played(OnlyOnce, 1, rows=3)
    assert [record["error"] is not None for record in records.values()].count(True) == 1


def test_a_pool_is_in_the_help_with_its_flags(capsys):
    with pytest.raises(SystemExit):
        main(["eval", "--help"])
    told = " ".join(capsys.readouterr().out.split())
    assert "processes that are lost" in told
    assert "--losses N" in told


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--env-pool", "lossi"], "Did you mean 'lossy'"),
        (["--losses", "2"], "Add --env-pool lossy"),
        (["--env-pool", "process", "--losses", "2"], "Add --env-pool lossy"),
    ],
)
def test_a_wrong_pool_or_option_is_refused_with_what_was_meant(words, told, capsys):
    assert main(["eval", "hotel-v1", "--model", "gold", *words]) == 2
    assert told in capsys.readouterr().err


def test_an_option_that_no_pool_has_is_refused():
    with pytest.raises(UsageError, match="Did you mean 'losses'"):
        evaluate("hotel-v1", "gold", env_pool="lossy", env_pool_options={"lossess": "2"})
