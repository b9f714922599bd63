import warnings

import pytest
import torch
from demo.small_environments import EVERY_KIND, Dearest, Shelf, Unsolved

from grpo_env_sdk import evaluate
from grpo_env_sdk.envs.loading import load
from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.policies import Sampling
from grpo_env_trl.bridges.trainer_kwargs import trainer_kwargs
from grpo_env_trl.demo import demo_settings, make_demo_model
from grpo_env_trl.demo.demonstrations import demonstrate
from grpo_env_trl.demo.model import TokenizedDemos, build_model, together, tokenize_demos, warm_start
from grpo_env_trl.demo.slot_values import Values
from grpo_env_trl.demo.tokenizer import build_tokenizer
from grpo_env_trl.inference.policy import TransformersPolicy


def begun(seed=0, steps=3):
    """A model after a few steps of the warm start, and how long its longest turn was."""
    loaded = load(Shelf)
    shown = demonstrate(loaded, loaded.rows("train"), 0, lambda what, done, of: None, 40)
    tokenizer = build_tokenizer(shown.solved, shown.tools, shown.values)
    model = build_model(tokenizer, seed)
    told = []
    demos = tokenize_demos(shown.randomized, shown.tools_of_randomized, tokenizer, 4096)
    warm_start(model, demos, seed, lambda *how: told.append(how), steps)
    return model, demos.longest_turn, told


def weights(model):
    return torch.cat([each.detach().flatten() for each in model.parameters()])


def test_a_demo_model_has_about_a_tenth_of_a_million_parameters():
    model, _, _ = begun(steps=0)
    assert 90_000 < sum(each.numel() for each in model.parameters()) < 200_000


def test_equal_seeds_give_equal_weights_and_leave_the_random_state_alone():
    torch.manual_seed(7)
    before = torch.random.get_rng_state()
    first, second, other = (weights(begun(seed)[0]) for seed in (1, 1, 2))
    assert torch.equal(first, second)
    assert not torch.equal(first, other)
    assert torch.equal(before, torch.random.get_rng_state())


def test_the_warm_start_says_how_far_it_is_and_how_long_the_longest_turn_was():
    _, longest, told = begun(steps=2)
    assert told == [(1, 2), (2, 2)]
    assert longest == 6  # the call: its tags, two phrases, the shelf, the end


def test_the_settings_are_fields_of_todays_trl_and_raise_no_warning(tmp_path):
    from trl import GRPOConfig

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        args = GRPOConfig(output_dir=str(tmp_path), report_to="none", **demo_settings())
    assert args.generation_batch_size == 64
    assert args.activation_checkpointing is False


def test_conversations_that_the_model_could_not_read_are_left_out_and_all_of_them_are_refused():
    tokenizer = build_tokenizer([[{"role": "user", "content": "b"}]], [[]], Values([]))
    short, long = (
        [{"role": "user", "content": text}, {"role": "assistant", "content": "a"}] for text in ("b", "b" * 99)
    )
    assert len(tokenize_demos([short, long], [[], []], tokenizer, 50).ids) == 1
    with pytest.raises(UsageError, match=r"longer than the context of the demo model, 50 tokens.*--model"):
        tokenize_demos([long], [[]], tokenizer, 50)


def test_without_solve_the_next_step_is_named():
    loaded = load(Unsolved)
    with pytest.raises(UsageError, match="Add a `solve` method, or use a model of your own with --model"):
        make_demo_model(loaded, loaded.rows("train"))


def test_a_trial_has_an_eighth_of_the_warm_start():
    loaded, told = load(Shelf), []
    make_demo_model(loaded, loaded.rows("train"), progress=lambda *how: told.append(how), episodes=160, trial=True)
    most = {what: of for what, _, of in told}
    assert most["imitating"] == 25
    assert most["demonstrating"] < 160


@pytest.mark.slow
@pytest.mark.parametrize("env", EVERY_KIND, ids=lambda env: env.__name__)
def test_a_demo_model_of_every_kind_of_environment_has_learnt_its_manner(env):
    loaded, told = load(env), []
    made = make_demo_model(loaded, loaded.rows("train"), progress=lambda *how: told.append(how))
    assert [*dict.fromkeys(what for what, _, _ in told)] == ["solving", "demonstrating", "imitating"]
    if loaded.traits.uses_model:
        return
    found = evaluated(loaded, made, "train").summary
    assert found["errors"] == {}
    assert found["stop_reasons"].get("length", 0) <= 0.1 * found["episodes"]


def evaluated(loaded, made, split="test", temperature=1.0):
    """Held-out rows, sampled or greedy, under the cap that training has."""
    from grpo_env_trl.inference.policy import TransformersPolicy
    from grpo_env_trl.inference.sampling_params import SamplingParams

    policy = TransformersPolicy(
        made.model, made.tokenizer, name="demo",
        usual=SamplingParams(max_turn_tokens=made.max_turn_tokens, max_completion_length=256),
    )  # fmt: skip
    return evaluate(
        loaded, policy, split=split, rows=min(200, len(loaded.rows(split))), sampling=Sampling(temperature=temperature)
    )


def trained(env, folder, seed=0, spoil=lambda kwargs: None):
    """Sampled and greedy scores before and after the demo's training."""
    from trl import GRPOConfig, GRPOTrainer

    loaded = load(env)
    made = make_demo_model(loaded, loaded.rows("train"), seed=seed)
    before = [evaluated(loaded, made, temperature=heat).summary["reward"]["mean"] for heat in (1.0, 0.0)]
    args = GRPOConfig(
        output_dir=str(folder), seed=seed, save_strategy="no", report_to="none", disable_tqdm=True,
        logging_strategy="no", **demo_settings(),
    )  # fmt: skip
    kwargs = trainer_kwargs(loaded, made.tokenizer, args=args, max_turn_tokens=made.max_turn_tokens)
    spoil(kwargs)
    GRPOTrainer(model=made.model, **kwargs).train()
    made.model.eval()
    return before, [evaluated(loaded, made, temperature=heat).summary["reward"]["mean"] for heat in (1.0, 0.0)]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_the_demo_learns_to_book_hotels_that_it_has_never_seen(seed, tmp_path):
    (sampled, greedy), (sampled_after, greedy_after) = trained("hotel-v1", tmp_path, seed)
    assert sampled < 0.5
    assert greedy < 0.65
    assert sampled_after > 0.93
    assert greedy_after > 0.97


@pytest.mark.slow
def test_the_demo_learns_what_is_rewarded_and_not_what_was_demonstrated(tmp_path):
    (before, _), (after, greedy) = trained(Dearest, tmp_path)
    assert before < 0.2
    assert after > 0.9
    assert greedy > 0.95


@pytest.mark.slow
def test_rewards_that_are_shuffled_within_the_batch_teach_nothing(tmp_path):
    def shuffle(kwargs):
        score, *parts = kwargs["reward_funcs"]
        order = torch.Generator().manual_seed(0)

        def shuffled(*given, **more):
            scores = score(*given, **more)
            return [scores[place] for place in torch.randperm(len(scores), generator=order)]

        kwargs["reward_funcs"] = [shuffled, *parts]

    (before, _), (after, _) = trained("hotel-v1", tmp_path, spoil=shuffle)
    assert after < before


def test_the_demonstrations_of_several_environments_are_as_many_of_each():
    few, many = TokenizedDemos([[1], [2]], [[1], [1]]), TokenizedDemos([[3], [4], [5, 6], [7]], [[1], [1], [1, 1], [1]])
    both = together([few, many])
    assert both.ids == [[1], [2], [3], [5, 6]]
    assert both.longest_turn == 2
    assert together([many]) == many


@pytest.mark.slow
def test_one_demo_model_knows_the_words_and_tools_of_two_environments():
    first, second = load(Shelf), load(Dearest)
    made = make_demo_model(first, first.rows("train"), others=[(second, second.rows("train"))])
    policy = TransformersPolicy(made.model, made.tokenizer)
    for loaded in (first, second):
        found = evaluate(loaded, policy, split="all", rows=20, sampling=Sampling(temperature=0.0)).summary
        assert found["errors"] == {}
        assert found["tool_calls"]["mean"] > 0.5
        assert found["tool_calls"]["failed_share"] < 0.2
