"""A sampler and a trainer that are not the same model are named once."""

import warnings
from types import SimpleNamespace

import pytest

from grpo_env_sdk import GrpoEnvWarning
from grpo_env_trl.bridges.logp_difference import METRIC, LogpDifference


def logged(watch, difference, step=1, first=True):
    watch.on_log(None, SimpleNamespace(global_step=step, is_world_process_zero=first), None, logs={METRIC: difference})


def test_a_large_difference_is_a_warning_once_with_its_value_and_step():
    watch = LogpDifference()
    with pytest.warns(GrpoEnvWarning, match=r"differ by 0\.139 .*step 3.*dtype"):
        logged(watch, 0.139, step=3)
    logged(watch, 0.2, step=4)  # a second warning would be an error


def test_a_small_one_none_at_all_and_other_processes_are_quiet():
    watch = LogpDifference()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        logged(watch, 0.05)
        logged(watch, 0.5, first=False)
        watch.on_log(None, SimpleNamespace(global_step=1, is_world_process_zero=True), None, logs={"loss": 1.0})
