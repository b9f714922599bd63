from types import SimpleNamespace

import pytest

from grpo_env_trl.preflight.lengths import Lengths, too_long


@pytest.mark.parametrize(("prompts", "fatal", "told"), [
    ({0: 10, 7: 100}, True, "The context of the model is 64 tokens, but the prompt of row 7 has 100. Shorten"),
    ({0: 80, 7: 100}, True, "The context of the model is 64 tokens, but every prompt is longer: the shortest has 80."),
    ({0: 10, 7: 50}, False, "The prompt of row 7 has 50 tokens, and with max_completion_length 32 that is more than "
     "the context of 64. Use --max-completion-length 14, or shorten the prompts."),
])  # fmt: skip
def test_a_prompt_that_is_too_long_is_named_with_its_length(prompts, fatal, told):
    (problem,) = too_long(Lengths(prompts), SimpleNamespace(max_completion_length=32), 64)
    assert problem.fatal == fatal
    assert str(problem).startswith(told)


def test_what_fits_is_told_nothing():
    assert [*too_long(Lengths({0: 10}), SimpleNamespace(max_completion_length=32), 64)] == []
    assert [*too_long(Lengths({0: 10}), SimpleNamespace(max_completion_length=32), None)] == []


def test_prompts_beyond_the_context_of_the_model_are_refused_by_the_command(dry_run, models):
    words = ["--env-config", '{"words": 2000}', "--model", models("qwen3")]
    code, told = dry_run("trials:Sums", *words)
    assert (code, told.count("\n")) == (2, 1)
    assert "The context of the model is 8,192 tokens, but every prompt is longer: the shortest has " in told


def test_caps_below_what_the_solution_takes_are_notes_with_the_number(dry_run, models):
    code, told = dry_run("trials:Sums", "--model", models("qwen3"), "--max-completion-length", "60",
                         "--max-turn-tokens", "8")  # fmt: skip
    assert code == 0
    assert "The environment's own solution needs " in told
    assert "tokens, but max_completion_length is 60. Use --max-completion-length " in told
    assert "A turn of the environment's own solution needs " in told
    assert "but --max-turn-tokens is 8. Use --max-turn-tokens " in told
