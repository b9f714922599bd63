"""Where a training goes on that died while environment code was at work."""

import pytest
from environments import Errands

from grpo_env_sdk import GrpoEnvWarning, SingleTurnEnv, reward
from grpo_env_sdk.ext import EnvPool, LiveRows, load_for
from grpo_env_sdk.runs.live_rows import LiveRow
from grpo_env_trl.settings import read_settings
from grpo_env_trl.setup.after_death import loaded_after_death

DIED = LiveRow(2, 0, "score", "x")


class Counts(Errands):
    def state_dict(self):
        return {}

    def load_state_dict(self, state):
        pass


class Plain:
    def build_dataset(self, tokenizer):
        return [{"prompt": "Say 1."}]

    def score_episode(self, model, tokenizer, completion):
        return 1.0


class Asks(SingleTurnEnv):
    uses_model = True

    def build_dataset(self, tokenizer):
        return [{"prompt": "Say 1."}]

    @reward
    def length(self, completion):
        return 1.0


def pool_of(settings, env):
    (loaded,) = loaded_after_death(settings, lambda pool: [load_for(pool, env, split=None)])
    return loaded.pool


@pytest.fixture
def settings(tmp_path):
    """The settings of a training that is resumed; its last run is dead while this lasts."""
    with LiveRows(tmp_path).during(DIED):
        yield lambda *words: read_settings(["hotel-v1", "--resume", str(tmp_path), *words])


@pytest.mark.parametrize("env", [Errands, Plain])
def test_it_goes_on_in_processes_and_the_rows_are_named(settings, env):
    with pytest.warns(GrpoEnvWarning, match=r"row 2 \(score\).*--env-pool process"):
        assert pool_of(settings(), env) == EnvPool("process", 64)


@pytest.mark.parametrize(("env", "why"), [(Counts, "state of"), (Asks, "live model")])
def test_it_goes_on_in_threads_with_the_reason_where_processes_cannot_have_it(settings, env, why):
    with pytest.warns(GrpoEnvWarning, match=f"may happen again: .*{why}"):
        assert pool_of(settings(), env) == EnvPool()


def test_a_bridge_that_runs_tools_in_this_process_keeps_it_there(settings):
    with pytest.warns(GrpoEnvWarning, match="--bridge tools"):
        assert pool_of(settings("--bridge", "tools"), Errands) == EnvPool()


def test_the_pool_that_the_user_names_is_taken_without_a_note(settings):
    assert pool_of(settings("--env-pool", "thread"), Errands) == EnvPool()


def test_a_training_that_ended_in_good_order_stays_where_it_was(tmp_path):
    settings = read_settings(["hotel-v1", "--resume", str(tmp_path)])
    assert pool_of(settings, Errands) == EnvPool()
