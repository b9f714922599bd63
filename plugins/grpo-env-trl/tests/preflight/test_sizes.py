from types import SimpleNamespace

import pytest

from grpo_env_sdk.errors import UsageError
from grpo_env_trl.preflight.environment import too_few_rows
from grpo_env_trl.settings.batch_sizes import check_sizes, sizes_for_rows


def refusal(asked, processes=1, **usual):
    with pytest.raises(UsageError) as caught:
        check_sizes(asked, usual, processes)
    return caught.value


@pytest.mark.parametrize("number", [None, 1])
def test_a_group_of_one_is_refused(number):
    error = refusal({"num_generations": number})
    assert str(error) == (
        f"num_generations is {number}: GRPO compares several completions of one prompt. "
        "Use --num-generations 2 or more; 8 is common."
    )


@pytest.mark.parametrize(("asked", "processes", "told", "fix"), [
    ({"num_generations": 6}, 1, "per_device_train_batch_size 8 does not divide into groups of num_generations 6.",
     "Use --per-device-train-batch-size 6 or 12, or --num-generations 4 or 8."),
    ({"per_device_train_batch_size": 3}, 2, "a batch of 6 (per_device_train_batch_size 3 x 2 processes) does not",
     "Use --per-device-train-batch-size 4, or --num-generations 6."),
    ({"per_device_train_batch_size": 2, "gradient_accumulation_steps": 3}, 1, "a batch of 6 (per_device_train_batch",
     "Use --per-device-train-batch-size 8, or --num-generations 6."),
    ({"generation_batch_size": 20}, 1, "generation_batch_size 20 is not a multiple of both per_device_train_batch_",
     "Use --generation-batch-size 16 or 24."),
    ({"generation_batch_size": 16, "steps_per_generation": 2}, 1, "cannot both be set", "Remove one of them."),
    ({"eval_strategy": "steps", "per_device_eval_batch_size": 4}, 1, "per_device_eval_batch_size 4 does not divide",
     "Use --per-device-eval-batch-size 8, or another --num-generations-eval."),
])  # fmt: skip
def test_what_does_not_divide_names_the_nearest_numbers_that_do(asked, processes, told, fix):
    error = refusal(asked, processes)
    assert told in error.message
    assert error.hint == fix


def test_the_numbers_that_are_named_are_taken(tmp_path):
    from trl import GRPOConfig

    for asked in ({"per_device_train_batch_size": 6}, {"per_device_train_batch_size": 12}, {"num_generations": 4}):
        settings = {"num_generations": 6, **asked}
        check_sizes(settings, {}, 1)
        GRPOConfig(output_dir=str(tmp_path), use_cpu=True, bf16=False, **settings)


def test_what_somebody_set_goes_over_what_is_usual():
    check_sizes({"num_generations": 4}, {"num_generations": 6, "per_device_train_batch_size": 12}, 1)
    assert "num_generations 5" in refusal({}, num_generations=5, per_device_train_batch_size=12).message


def test_the_launcher_says_how_many_processes_train(monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "3")
    with pytest.raises(UsageError, match="8 x 3 processes"):
        check_sizes({"num_generations": 5}, {})


def args(batch, generations, steps=1, world=1):
    return SimpleNamespace(
        per_device_train_batch_size=batch, num_generations=generations, steps_per_generation=steps, world_size=world,
        generation_batch_size=batch * steps * world,
    )  # fmt: skip


@pytest.mark.parametrize(("given", "more", "fix"), [
    (args(64, 8), "build more rows", "Use --per-device-train-batch-size 40, or build more rows."),
    (args(64, 8), "--rows 8 or more", "Use --per-device-train-batch-size 40, or --rows 8 or more."),
    (args(8, 8, steps=8), "build more rows", "Use --per-device-train-batch-size 5, or build more rows."),
    (args(1, 8, steps=64), "build more rows", "Use fewer --gradient-accumulation-steps, or build more rows."),
])  # fmt: skip
def test_fewer_rows_than_a_batch_name_the_number_that_would_work(given, more, fix):
    problem = too_few_rows(5, 8, given, more)
    assert problem.fatal
    assert "There are 5 rows to train on, and one batch needs 8 " in problem.message
    assert problem.hint == fix


def test_fewer_rows_than_a_batch_of_the_given_size_are_refused_by_the_command(dry_run, models):
    sizes = ("--rows", "3", "--batch-size", "32", "--num-generations", "8")
    code, told = dry_run("environments:Errands", "--model", models("qwen3"), *sizes)
    assert (code, told.count("\n")) == (2, 1)
    assert "there would be no training step. Use --per-device-train-batch-size 24, or --rows 4 or more." in told


DEMO = {"per_device_train_batch_size": 32, "gradient_accumulation_steps": 2, "num_generations": 8}
BATCH, STEPS, GROUP = DEMO


@pytest.mark.parametrize(("rows", "asked", "processes", "sizes"), [
    (8, {}, 1, {}),
    (1, {}, 1, {GROUP: 64}),
    (2, {}, 1, {GROUP: 32}),
    (3, {}, 1, {GROUP: 32}),
    (5, {}, 1, {GROUP: 16}),
    (1, {BATCH: 16}, 1, {GROUP: 32}),
    (3, {BATCH: 6, STEPS: 4}, 2, {GROUP: 16}),
    (1, {GROUP: 8}, 1, {BATCH: 4}),
    (3, {GROUP: 8}, 1, {BATCH: 12}),
    (3, {GROUP: 5}, 1, {BATCH: 5}),
    (1, {GROUP: 5}, 1, {BATCH: 5, STEPS: 1}),
    (1, {GROUP: 5}, 2, {}),
    (1, {GROUP: 8, BATCH: 32}, 1, {}),
    (1, {GROUP: 8, STEPS: 2}, 1, {}),
    (1, {"generation_batch_size": 128}, 1, {GROUP: 128}),
])  # fmt: skip
def test_sizes_that_nobody_set_adapt_to_few_rows(rows, asked, processes, sizes, tmp_path):
    from trl import GRPOConfig

    found = sizes_for_rows(rows, asked, DEMO, processes)
    assert found == sizes
    if found and processes == 1:
        made = GRPOConfig(output_dir=str(tmp_path), use_cpu=True, bf16=False, **{**DEMO, **asked, **found})
        assert 1 <= made.generation_batch_size // made.num_generations <= rows


@pytest.mark.parametrize(("many", "words", "told"), [
    (2, (), ("There is 1 row to train on, fewer than a batch has prompts", "Adapted: --num-generations 64.")),
    (2, ("--eval-rows", "0"), ("There are 2 rows to train on", "Adapted: --num-generations 32.")),
    (3, ("--num-generations", "8"), ("There are 2 rows to train on", "Adapted: --per-device-train-batch-size 8.")),
])  # fmt: skip
def test_a_training_on_few_rows_says_how_its_sizes_were_adapted(dry_run, many, words, told):
    code, shown = dry_run("trials:Sums", "--env-config", f'{{"many": {many}}}', *words)
    assert code == 0
    assert all(text in shown for text in told)
