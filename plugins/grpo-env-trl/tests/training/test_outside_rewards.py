"""Trainings with rewards from outside the environment: by flags, resumed, and from Python."""

import json
import math
from pathlib import Path

import pytest
import yaml
from lessons import Spell
from quick import flags, quick_run
from tiny_models import save_tiny_reward_model, tiny_reward_model

from grpo_env_sdk.cli import main
from grpo_env_sdk.runs.reading import open_run
from grpo_env_trl.runs.run_folder import RunFolder

MOODS = """
from pathlib import Path


def moody(completions, trainer_state, **kwargs):
    if trainer_state.global_step == 1 and Path("angry").exists():
        raise ValueError("not today")
    return [len(str(completion)) % 5 / 5 for completion in completions]


class Place:
    def __init__(self, size=1):
        self.size = size

    def __call__(self, place):
        return [number * self.size for number in place]
"""
WEIGHTS = {
    "moody": 0.5, "Place": 1.0, "Place_2": -0.25, "soft_overlong_punishment_reward": 0.1, "diversity": 2.0,
    "judge": 0.3,
}  # fmt: skip
REWARDS = [
    "--reward-func", "moods:moody=0.5", "--reward-func", "moods:Place", "--reward-func", "moods:Place(size=3)=-0.25",
    "--reward-func", "get_soft_overlong_punishment=0.1", "--reward-func", "diversity(2)=2",
    "--reward-model", "judge=0.3",
]  # fmt: skip


@pytest.fixture(scope="module")
def resumed(models, tmp_path_factory):
    """A training in which a reward function raised once, and that was resumed; with what it printed each time."""
    folder = tmp_path_factory.mktemp("outside")
    save_tiny_reward_model(folder / "judge")
    (folder / "moods.py").write_text(MOODS)
    (folder / "angry").touch()
    words = ["train", "environments:Parts", "--model", models(), *REWARDS]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        first = main([*words, *flags(save_strategy="steps", save_steps=1, max_steps=3)])
        (folder / "angry").unlink()
        refused = main(["train", "--resume", "run", "--reward-func", "moods:moody"])
        second = main(["train", "--resume", "run"])
    assert (first, refused, second) == (2, 2, 0)
    return folder / "run"


def test_a_reward_function_that_raises_is_named_and_the_training_resumes(resumed):
    assert [entry["step"] for entry in RunFolder(resumed).logged()] == [1, 2, 3]
    assert open_run(resumed).summary()["finished"] is True


def test_each_reward_is_a_column_that_joins_the_score_with_its_weight(resumed):
    for entry in RunFolder(resumed).logged():
        outside = sum(weight * entry[f"rewards/{name}/mean"] for name, weight in WEIGHTS.items())
        assert entry["reward"] == pytest.approx(entry["rewards/score/mean"] + outside, rel=1e-4)
        assert entry["rewards/Place_2/mean"] == pytest.approx(3 * entry["rewards/Place/mean"])
        assert math.isfinite(entry["rewards/judge/mean"])


def test_the_manifest_lists_references_and_weights_and_the_config_reads_them_back(resumed):
    listed = json.loads((resumed / "manifest.json").read_text())["reward_funcs"]
    assert [(one["kind"], one["reference"], one["weight"]) for one in listed] == [
        ("function", "moods:moody", 0.5), ("function", "moods:Place", 1.0), ("function", "moods:Place(size=3)", -0.25),
        ("function", "get_soft_overlong_punishment", 0.1), ("function", "diversity(2)", 2.0), ("model", "judge", 0.3),
    ]  # fmt: skip
    config = yaml.safe_load((resumed / "config.yaml").read_text())
    assert config["reward_func"][:2] == ["moods:moody=0.5", "moods:Place=1.0"]
    assert config["reward_model"] == ["judge=0.3"]
    assert config.get("reward_weights") is None


def test_what_is_compared_before_and_after_is_the_environments_own_score(resumed):
    for name in ("before", "after"):
        episodes = [*open_run(resumed / "heldout" / name).episodes()]
        assert all(0 <= episode.reward <= 1 for episode in episodes)
        assert all(set(episode.rewards) == {"score", "often", "rambling"} for episode in episodes)


class Constant:
    def __init__(self, value):
        self.value = value

    def __call__(self, completions, **kwargs):
        return [self.value] * len(completions)


async def turns(completions, episode, **kwargs):
    return [float(one.turns) for one in episode]


def test_python_takes_functions_objects_models_and_the_names_of_other_trainers(models, workplace):
    model, tokenizer = tiny_reward_model()
    made = quick_run(
        Spell, models(), None, out=None, project_name="run", peft=True, lora_r=4, lr=1e-2, batch_size=2, epochs=1,
        rl_num_generations=2, rl_temperature=0.9, rl_max_new_tokens=12, rl_env_config={}, max_steps=1, eval_rows=0,
        learning_rate=1e-2, per_device_train_batch_size=2, num_generations=2, max_completion_length=12,
        reward_funcs=[Constant(1.0), Constant(3.0), turns, model, "think_format_reward"],
        reward_weights=[2, -1, 0.5, 0.1, 1],
        reward_processing_classes=[None, None, None, tokenizer, None],
    )  # fmt: skip
    (entry,) = made.metrics
    assert (entry["rewards/Constant/mean"], entry["rewards/Constant_2/mean"]) == (1.0, 3.0)
    assert entry["rewards/turns/mean"] == entry["episodes/turns"]
    judged = entry["rewards/Qwen3ForSequenceClassification/mean"]
    outside = 2 - 3 + 0.5 * entry["rewards/turns/mean"] + 0.1 * judged + entry["rewards/think_format_reward/mean"]
    assert entry["reward"] == pytest.approx(entry["rewards/score/mean"] + outside, rel=1e-4)
    assert made.run == Path("run")
    assert (made.model / "adapter_config.json").exists()
    config = yaml.safe_load((made.run / "config.yaml").read_text())
    assert (config["use_peft"], config["learning_rate"], config["temperature"]) == (True, 1e-2, 0.9)
    assert [one["reference"] for one in open_run("run").manifest["reward_funcs"]] == [
        None, None, f"{__name__}:turns", None, "think_format_reward",
    ]  # fmt: skip
