"""`train(...)` in this process: every kind of environment, and every way to name a model."""

import warnings

import pytest
from environments import Letters, Parts
from lessons import Haggle, Judge, Sours, Spell
from quick import quick_run
from tiny_models import save_tiny_adapter
from transformers import TrainerCallback

from grpo_env_sdk import load
from grpo_env_sdk.errors import GrpoEnvError, GrpoEnvWarning, UsageError
from grpo_env_sdk.runs.reading import open_run
from grpo_env_trl import train


@pytest.mark.parametrize("env", [Spell, Haggle, Parts, Letters, Judge])
def test_every_kind_of_environment_trains_a_tiny_model(env, models, workplace):
    made = quick_run(env, models(), "run")
    assert made.finished
    assert made.steps == 2
    assert [entry["step"] for entry in made.metrics] == [1, 2]
    names = {path.name for path in workplace.joinpath("run").iterdir()}
    assert names >= {"manifest.json", "config.yaml", "metrics.jsonl", "episodes.jsonl", "summary.json", "report.html"}
    assert all(episode.reward is not None for episode in open_run("run").episodes())
    assert set(made.heldout["before"]) >= {"mean", "low", "high", "greedy"}
    assert set(made.heldout) == {"before", "after"}
    assert made.heldout["after"]["mean"] is not None


def test_without_out_the_folder_is_named_for_the_environment(models, workplace):
    made = train(
        Parts, models(), max_steps=1, per_device_train_batch_size=2, num_generations=2, eval_rows=0, quiet=True,
        max_completion_length=8,
    )  # fmt: skip
    assert made.run.parent.name == "runs"
    assert made.run.name.startswith("Parts-train")
    assert made.heldout is None


class TwoRows(Parts):
    def build_dataset(self, tokenizer):
        return super().build_dataset(tokenizer)[:2]


class OwnSplit(Parts):
    def build_dataset(self, tokenizer, split="train"):
        return super().build_dataset(tokenizer)[:2] if split == "train" else super().build_dataset(tokenizer)[2:6]


@pytest.mark.parametrize(("env", "eval_rows", "trained_on"), [
    (TwoRows, 0, "all"),
    (TwoRows, 1, "train"),
    (OwnSplit, 0, "train"),
])  # fmt: skip
def test_few_rows_are_trained_on_and_all_of_them_where_none_is_held_out(env, eval_rows, trained_on, models, workplace):
    settings = {"gradient_accumulation_steps": 2, "max_completion_length": 8, "save_strategy": "no", "quiet": True}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GrpoEnvWarning)  # that the sizes were adapted
        made = train(env, models(), max_steps=2, eval_rows=eval_rows, out="run", **settings)
    run, rows = open_run("run"), load(env).rows(trained_on)
    assert made.steps == 2
    assert {episode.row_index for episode in run.episodes()} == set(rows.indices)
    assert (run.manifest["rows"], run.manifest["split"]) == (len(rows), trained_on)
    assert (made.heldout is None) is (eval_rows == 0)
    assert f"num_generations: {16 // len(rows)}" in (run.path / "config.yaml").read_text()


def test_a_loaded_model_is_trained_itself_with_callbacks_of_ones_own(tiny, workplace):
    model, tokenizer = tiny()
    weights = model.model.embed_tokens.weight
    before = weights.detach().clone()
    seen = []

    class Watch(TrainerCallback):
        def on_step_end(self, args, state, control, **kwargs):
            seen.append(state.global_step)

    quick_run(Parts, model, "run", tokenizer=tokenizer, callbacks=[Watch()])
    assert seen == [1, 2]
    assert not weights.detach().equal(before)


def test_a_model_that_has_an_adapter_already_is_trained_as_it_is(tiny, workplace):
    from peft import LoraConfig, get_peft_model

    model, tokenizer = tiny()
    adapted = get_peft_model(model, LoraConfig(r=4, target_modules=["q_proj"], task_type="CAUSAL_LM"))
    weights = {name: weight.detach().clone() for name, weight in adapted.named_parameters()}
    assert quick_run(Parts, adapted, "run", tokenizer=tokenizer, learning_rate=0.05).finished
    moved = {name for name, weight in adapted.named_parameters() if not weight.detach().equal(weights[name])}
    assert moved
    assert all("lora_" in name for name in moved)
    assert (workplace / "run/model/adapter_model.safetensors").exists()


def test_a_loaded_model_without_its_tokenizer_is_refused(tiny, workplace):
    with pytest.raises(UsageError, match=r"A loaded model needs its tokenizer\. Pass tokenizer=\.\.\."):
        quick_run(Parts, tiny()[0], "run")
    assert [*workplace.iterdir()] == []


def test_an_adapter_and_a_finished_run_can_be_trained_further(models, finished, workplace):
    from pathlib import Path

    save_tiny_adapter(Path(models()), workplace / "adapter")
    assert quick_run(Parts, "adapter", "one", max_steps=1).finished
    assert quick_run(Parts, str(finished.run), "two", max_steps=1).finished
    assert open_run("two").manifest["training"]["model"] == str(finished.run)


def test_a_setting_that_does_not_exist_is_answered_with_one_that_does(workplace):
    with pytest.raises(UsageError, match=r"train has no setting named 'max_stepss'\. Did you mean 'max_steps'"):
        train(Parts, max_stepss=3)


def test_an_argument_that_the_model_does_not_take_is_one_line(models, workplace):
    told = r"^TRL cannot train this: .*unexpected keyword argument 'layers'"
    with pytest.raises(UsageError, match=told):
        quick_run(Parts, models(), "run", model_init_kwargs={"layers": 3})


@pytest.mark.parametrize(("how", "told"), [
    ("raises", "ConnectionError: the judge has gone home"),
    ("nan", "nan"),
])  # fmt: skip
def test_a_training_in_which_every_episode_fails_stops_with_the_cause_and_keeps_what_it_has(
    how, told, models, workplace
):
    Sours.scored = 0
    with pytest.raises(GrpoEnvError, match=told) as caught:
        quick_run(Sours, models(), "run", env_config={"how": how, "after": 8 + 4 + 4}, max_steps=40)
    assert "\n" not in str(caught.value)
    run = open_run("run")
    assert "NaN" not in run.path.joinpath("metrics.jsonl").read_text()
    assert run.summary() is None
    assert len([*run.episodes()]) >= 4
