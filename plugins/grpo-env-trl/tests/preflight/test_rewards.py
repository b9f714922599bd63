"""Rewards from outside are checked before anything is loaded: names, arguments, models."""

import pytest
from tiny_models import save_tiny_reward_model

SUMS = "trials:Sums"
OWN = """
def right(completions, answr, **kwargs):
    return [0.0] * len(completions)


def where(completions, place, log_metric, episode):
    return [0.0] * len(completions)
"""


@pytest.fixture(scope="module")
def judges(tmp_path_factory):
    """Reward models: one that can be used, one of several labels, and one without a chat template."""
    folder = tmp_path_factory.mktemp("judges")
    save_tiny_reward_model(folder / "judge")
    save_tiny_reward_model(folder / "classes", labels=3)
    save_tiny_reward_model(folder / "silent")
    (folder / "silent/chat_template.jinja").unlink()
    return folder


@pytest.fixture
def checked(dry_run, models, judges, tmp_path):
    """A dry run with these flags, in a folder with reward functions and models."""
    (tmp_path / "own_rewards.py").write_text(OWN)
    for judge in judges.iterdir():
        (tmp_path / judge.name).symlink_to(judge)
    return lambda *words: dry_run(SUMS, "--model", models("qwen3"), *words)


def test_rewards_that_fit_are_listed_with_their_weights(checked):
    code, told = checked(
        "--reward-func", "own_rewards:where=0.5", "--reward-funcs", "think_format_reward", "repetition(2)"
    )
    assert code == 2
    assert (
        "--reward-func is own_rewards:where=0.5, and --reward-funcs is think_format_reward repetition(2). They are"
        in told
    )
    code, told = checked(
        "--reward-funcs", "own_rewards.where=0.5", "think_format_reward", "repetition(2)", "--reward-model", "judge"
    )
    assert code == 0, told
    listed = (
        "own_rewards.where (weight 0.5), think_format_reward (weight 1), repetition(2) (weight -1), judge (weight 1)"
    )
    assert f"Rewards beside the environment's score: {listed}\n" in told
    code, told = checked(
        "--reward-func", "own_rewards:where", "--reward-model", "judge", "--reward-weights", "0.5", "2"
    )
    assert "own_rewards:where (weight 0.5), judge (weight 2)" in told


def test_a_function_that_asks_for_no_column_is_refused_with_the_nearest(checked):
    code, told = checked("--reward-func", "own_rewards:right", "--reward-func", "accuracy_reward")
    assert code == 2
    assert "The reward function 'right' asks for 'answr', which is not a column." in told
    assert "The reward function 'accuracy_reward' asks for 'solution', which is not a column." in told
    assert "The columns are place, case_idx, episode." in told


@pytest.mark.parametrize(("words", "told"), [
    ("--reward-func own_rewards:rihgt", "own_rewards has no 'rihgt'. Did you mean 'right'?"),
    ("--reward-func own_reward:right", "No module named 'own_reward', in the working directory or"),
    ("--reward-func think_fromat_reward", "Did you mean 'think_format_reward'"),
    ("--reward-func exact_match", "The reward 'exact_match' asks for 'answer', which is not a column"),
    ("--reward-model judgee", "There is no"),
    ("--reward-model classes=2", "'classes' is a Qwen3ForSequenceClassification, which has 3 labels"),
    ("--reward-model silent", "The tokenizer of the reward model 'silent' has no chat template"),
    ("--reward-weights 1", "of --reward-func and --reward-model, and there is none"),
    ("--reward-func think_format_reward=a", "The weight in 'think_format_reward=a' is 'a'. Give a number"),
])  # fmt: skip
def test_a_reward_that_cannot_be_used_is_one_line(checked, words, told, monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    code, said = checked(*words.split())
    assert code == 2
    assert told in said
    assert said.count("\n") == 1


def test_a_language_model_is_no_reward_model(checked, models):
    code, said = checked("--reward-model", models("qwen3"))
    assert code == 2
    assert "is a Qwen3ForCausalLM, which has no trained score. A reward model is saved by" in said
