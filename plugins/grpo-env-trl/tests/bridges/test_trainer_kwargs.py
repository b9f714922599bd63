import subprocess
import sys

import numpy
import pytest
from environments import Errands, Letters, Parts, Talk, rows
from scripted import config

import grpo_env_trl
from grpo_env_sdk import load
from grpo_env_sdk.errors import DatasetError, UsageError
from grpo_env_trl.bridges.trainer_kwargs import trainer_kwargs
from tests.images.pictures import square


class Pictures(Letters):
    def build_dataset(self, tokenizer):
        return [{**row, "image": square("red")} for row in rows(20)]


class PictureErrands(Errands):
    def build_dataset(self, tokenizer):
        return [{**row, "image": square("red")} for row in super().build_dataset(tokenizer)]


class Schemas(Letters):
    """One turn, whose calls are scored as they stand."""

    def get_tools(self):
        return [{"type": "function", "function": {"name": "look", "parameters": {"type": "object", "properties": {}}}}]


@pytest.mark.parametrize(("env", "hook"), [
    (Letters, None), (Parts, None), (Schemas, "rollout_func"), (Errands, "rollout_func"),
    (Talk, "rollout_func"),
])  # fmt: skip
def test_the_bridge_that_fits_is_found(tiny, tmp_path, env, hook):
    kwargs = trainer_kwargs(env, tiny()[1], args=config(tmp_path))
    assert {"rollout_func", "tools", "environment_factory"} & kwargs.keys() == ({hook} if hook else set())


@pytest.mark.parametrize(("env", "bridge", "why"), [
    (Talk, "native", r"Talk has several turns, which the native bridge does not support\. Use 'auto'\."),
    (Pictures, "rollout", r"Pictures shows images, which only the native bridge supports\. Use 'auto'\."),
    (PictureErrands, "auto", r"PictureErrands shows images in an episode of several turns, which cannot be"),
    (Pictures, "auto", r"Pictures shows images, which .* cannot see.*AutoProcessor"),
    (Letters, "natve", r"No bridge named 'natve'\. Did you mean 'native'\?"),
    (Letters, "ferry", r"No bridge named 'ferry'\. Use 'auto'\."),
])  # fmt: skip
def test_a_bridge_that_does_not_fit_is_refused_in_one_line(tiny, tmp_path, env, bridge, why):
    with pytest.raises(UsageError, match=why):
        trainer_kwargs(env, tiny()[1], args=config(tmp_path), bridge=bridge)


def test_the_arguments_that_were_given_stay_as_they_were(tiny, tmp_path):
    args = config(tmp_path)
    kwargs = trainer_kwargs(Parts, tiny()[1], args=args)
    assert args.reward_weights is None
    assert kwargs["args"] is not args
    assert len(kwargs["args"].reward_weights) == len(kwargs["reward_funcs"]) == 4


def test_config_rewards_and_numbers_of_rows_go_to_the_environment(tiny, tmp_path):
    def polite(completion):
        return 1.0

    kwargs = trainer_kwargs(
        Errands, tiny()[1], args=config(tmp_path), config={"fails": ("tool",)}, rewards=[polite], rows=5, eval_rows=2
    )
    assert (len(kwargs["train_dataset"]), len(kwargs["eval_dataset"])) == (5, 2)
    assert set(kwargs["train_dataset"]["fails"]) == {"tool"}
    assert [function.__name__ for function in kwargs["reward_funcs"]] == ["score", "short", "called", "polite"]


@pytest.mark.parametrize("rows", [[3, 0], numpy.array([3, 0]), (row for row in (3, 0, 3))])
def test_rows_to_train_on_may_be_any_collection_of_indices(tiny, tmp_path, rows):
    kwargs = trainer_kwargs(Errands, tiny()[1], args=config(tmp_path), rows=rows, eval_rows=0)
    assert kwargs["train_dataset"]["grpo_env_row"] == [3, 0]


@pytest.mark.parametrize("rows", [0, -1, 2.5, "3", True, (), [0.0], [-1]])
def test_rows_that_are_none_are_refused_in_one_line(tiny, tmp_path, rows):
    with pytest.raises(UsageError, match=r"^rows must be .*, got "):
        trainer_kwargs(Errands, tiny()[1], args=config(tmp_path), rows=rows)


def test_an_environment_that_is_loaded_already_is_taken_as_it_is(tiny, tmp_path):
    loaded = load(Letters)
    kwargs = trainer_kwargs(loaded, tiny()[1], args=config(tmp_path))
    assert kwargs["callbacks"][0].players["."].loaded is loaded


def test_a_persons_own_callbacks_follow_ours(tiny, tmp_path):
    mine = object()
    assert trainer_kwargs(Letters, tiny()[1], args=config(tmp_path), callbacks=[mine])["callbacks"][-1] is mine


def test_an_environment_without_rows_is_told(tiny, tmp_path):
    class Empty(Letters):
        def build_dataset(self, tokenizer):
            return []

    with pytest.raises(DatasetError, match="no rows"):
        trainer_kwargs(Empty, tiny()[1], args=config(tmp_path))


def test_the_package_is_light_until_something_of_it_is_used():
    source = (
        "import sys, grpo_env_trl; assert 'torch' not in sys.modules and 'trl' not in sys.modules;"
        "from grpo_env_trl import trainer_kwargs; assert callable(trainer_kwargs); print(dir(grpo_env_trl))"
    )
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", source], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "trainer_kwargs" in done.stdout


def test_a_name_that_the_package_does_not_have_is_an_attribute_error():
    with pytest.raises(AttributeError, match="'grpo_env_trl' has no attribute 'trainer_kwarg'"):
        grpo_env_trl.trainer_kwarg  # noqa: B018


@pytest.mark.parametrize("function", [trainer_kwargs, grpo_env_trl.async_trainer_kwargs])
def test_a_keyword_that_is_no_name_is_one_line_with_the_nearest(function):
    with pytest.raises(UsageError, match=r"takes no 'env_config'\. Did you mean 'config'"):
        function("hotel-v1", None, env_config={"difficulty": "easy"})
