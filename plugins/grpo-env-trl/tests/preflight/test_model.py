import json
import shutil
from pathlib import Path

import pytest
from tiny_models import save_tiny_adapter, save_training

from grpo_env_trl.preflight import preflight
from grpo_env_trl.preflight.problem import PreflightError
from grpo_env_trl.settings import TrainSettings
from grpo_env_trl.setup.preparing import prepare


def test_beta_without_a_reference_to_load_is_refused(dry_run, tiny, tmp_path):
    code, told = dry_run("trials:Sums", "--beta", "0.1", "--batch-size", "8")
    assert (code, told.count("\n")) == (2, 1)
    assert "beta 0.1 needs a reference model, and there is none to load: the demo model is not on disk" in told
    assert told.endswith("Use --beta 0 (--rl-kl-coef 0), or --peft, which needs no second model.\n")
    model, tokenizer = tiny("qwen3")
    setup = prepare(TrainSettings(env="trials:Sums", grpo={"beta": 0.1}), tmp_path / "run", model, tokenizer)
    with pytest.raises(PreflightError, match="this model was not loaded from disk"):
        preflight(setup)


def test_beta_with_a_model_that_can_be_loaded_again_or_an_adapter_is_fine(dry_run, models):
    assert dry_run("trials:Sums", "--beta", "0.1", "--model", models("qwen3"))[0] == 0
    assert dry_run("trials:Sums", "--beta", "0.1", "--peft", "--batch-size", "8")[0] == 0


def test_a_second_adapter_is_refused_as_the_first_would_be_lost(dry_run, models, tmp_path):
    adapter = str(save_tiny_adapter(Path(models("qwen3")), tmp_path / "adapter"))
    code, told = dry_run("trials:Sums", "--model", adapter, "--peft")
    assert (code, told.count("\n")) == (2, 1)
    assert "is an adapter, and the one that --peft adds would be saved without it. Save the merged model" in told
    assert dry_run("trials:Sums", "--model", adapter)[0] == 0
    run = save_training(tmp_path / "run", {})
    shutil.copytree(adapter, run / "model")
    told = dry_run("trials:Sums", "--model", "run", "--peft")[1]
    assert "Merge it first: grpo-env export run --merge --out DIR, and train that: --model DIR --peft." in told


def test_the_old_name_of_dtype_among_the_arguments_of_the_model_is_refused(dry_run, models):
    words = ["--model", models("qwen3"), "--model-init-kwargs"]
    code, told = dry_run("trials:Sums", *words, '{"torch_dtype": "bfloat16"}')
    assert (code, told.count("\n")) == (2, 1)
    assert "model_init_kwargs has 'torch_dtype', which would have no effect. Its name is now 'dtype'." in told
    assert dry_run("trials:Sums", *words, '{"dtype": "bfloat16"}')[0] == 0


def test_names_of_generation_without_effect_or_against_training_are_one_line(dry_run, models):
    words = ["--model", models("qwen3"), "--generation-kwargs"]
    code, told = dry_run("trials:Sums", *words, '{"no_repeat_ngram_sze": 3}')
    assert (code, told.count("\n")) == (2, 1)
    assert "generation_kwargs has 'no_repeat_ngram_sze', which would have no effect." in told
    assert "no_repeat_ngram_size" in told
    code, told = dry_run("trials:Sums", *words, '{"num_return_sequences": 2}')
    assert (code, told.count("\n")) == (2, 1)
    assert "which does not go with training. Use --num-generations." in told
    assert dry_run("trials:Sums", *words, '{"no_repeat_ngram_size": 3}')[0] == 0


def test_a_turn_that_the_model_does_not_stop_after_is_a_note(dry_run, tmp_path):
    from tiny_models import save_tiny_model

    folder = save_tiny_model("gemma3", tmp_path / "gemma")
    path = folder / "generation_config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"eos_token_id": 1}))
    code, told = dry_run("trials:Blind", "--model", str(folder))
    assert code == 0
    assert "The chat template ends a turn with <end_of_turn>, but the generation config of the model does not" in told


@pytest.mark.parametrize(
    ("file", "text", "told"),
    [
        ("chat_template.jinja", "{{ 1 / 0 }}", "cannot render a question: ZeroDivisionError: division by zero."),
        ("chat_template.jinja", "{% for %}", "cannot render a question: TemplateSyntaxError: "),
        ("generation_config.json", "{", "generation_config.json cannot be read: "),
    ],
)
def test_a_file_of_the_model_that_is_broken_is_one_line(file, text, told, dry_run, models, tmp_path):
    folder = shutil.copytree(models("qwen3"), tmp_path / "broken")
    (folder / file).write_text(text)
    code, said = dry_run("trials:Blind", "--model", str(folder))
    (line,) = [line for line in said.splitlines() if line.startswith("grpo-env: ")]
    assert code == 2
    assert told in line


def test_a_model_of_which_weights_are_missing_is_one_line(dry_run, tmp_path):
    from tiny_models import save_tiny_model, without_weights

    folder = save_tiny_model("qwen3", tmp_path / "tiny")
    without_weights(folder, "layers.1.mlp")
    code, told = dry_run("trials:Sums", "--model", str(folder))
    assert (code, told.count("\n")) == (2, 1)
    assert "have no weights model.layers.1.mlp.down_proj.weight and 2 more, which would be random" in told


def test_a_tokenizer_without_an_eos_token_is_one_line_also_where_a_solution_is_rendered(dry_run, models, tmp_path):
    folder = shutil.copytree(models("qwen3"), tmp_path / "endless")
    for name, key in (
        ("tokenizer_config", "eos_token"),
        ("generation_config", "eos_token_id"),
        ("config", "eos_token_id"),
    ):
        path = folder / f"{name}.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | {key: None}))
    code, said = dry_run("trials:Sums", "--model", str(folder))
    assert code == 2
    assert "has no EOS token, so no answer would end." in said
