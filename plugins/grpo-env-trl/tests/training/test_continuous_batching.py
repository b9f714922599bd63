"""`--use-transformers-continuous-batching`: trainings whose turns transformers samples, each when it is asked for."""

import pytest
from quick import quick_run

from grpo_env_sdk import GrpoEnvWarning
from grpo_env_sdk.cli import main
from grpo_env_trl.bridges.logp_difference import METRIC

FLAG = "--use-transformers-continuous-batching"


def trained(env, models, folder, **changes):
    sizes = {"per_device_train_batch_size": 8, "num_generations": 8, "max_completion_length": 60, "max_turn_tokens": 20}
    return quick_run(env, models(), folder, use_transformers_continuous_batching=True, **sizes, **changes)


@pytest.mark.parametrize(
    "changes",
    [{}, {"bf16": True, "use_cpu": True}, {"use_peft": True, "lora_dropout": 0.0, "gradient_checkpointing": True}],
)
def test_a_training_goes_on_with_what_was_sampled(changes, models, workplace):
    run = trained("lessons:Sours", models, "run", env_config={"after": 1000}, **changes)
    assert run.steps == 2
    for line in run.metrics[:2]:
        assert line["grad_norm"] > 0
        assert line["sampler/rows"] > 0
        assert 0 < line["time/sampler_busy"] <= 1
        assert 0 < line[METRIC] < (0.02 if "bf16" in changes else 1e-4)
        assert line["episodes/turns"] >= 1


def test_where_scores_use_the_model_turns_are_sampled_in_rounds_and_a_warning_says_so(models, workplace):
    with pytest.warns(GrpoEnvWarning, match="lessons:Judge scores with the model") as caught:
        run = trained("lessons:Judge", models, "run")
    assert any(FLAG in str(one.message) for one in caught)
    assert run.metrics[0]["grad_norm"] is not None


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--use-vllm"], "--use-vllm"),
        (["--repetition-penalty", "1.2"], "repetition_penalty"),
        (["--generation-kwargs", '{"no_repeat_ngram_size": 3, "do_sample": true}'], "without no_repeat_ngram_size."),
        (["--bridge", "environment_factory"], "bridge is environment_factory"),
    ],
)
def test_what_it_cannot_do_is_refused_before_anything_is_written(words, named, models, workplace, capsys):
    assert main(["train", "lessons:Spell", "--model", models(), "--out", "run", FLAG, *words]) == 2
    (line,) = [one for one in capsys.readouterr().err.splitlines() if FLAG in one]
    assert named in line
    assert not (workplace / "run").exists()
