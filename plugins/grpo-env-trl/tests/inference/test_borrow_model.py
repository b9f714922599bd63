import functools

import pytest
import torch
from environments import rows
from peft import LoraConfig
from scripted import config
from trl import GRPOTrainer

from grpo_env_sdk.errors import EnvironmentFailedError
from grpo_env_trl.bridges.trainer_kwargs import trainer_kwargs
from grpo_env_trl.inference.borrow_model import ShardedModel, lent


class Judge:
    """Scores by further turns that the model itself writes, and notes how it was handed over."""

    uses_model = True
    asks = True

    def __init__(self):
        self.handed = []

    def build_dataset(self, tokenizer):
        return rows(20)

    def score_episode(self, model, tokenizer, completion):
        if self.asks:
            self.handed.append((model, model.training, torch.is_grad_enabled(), model.config.use_cache))
            ids = tokenizer("And?", return_tensors="pt")
            said = model.generate(**ids, max_new_tokens=4, do_sample=True)
            assert said.shape[1] > ids["input_ids"].shape[1]
        return (len(completion) % 10) / 10


class Silent(Judge):
    asks = False


def sampled(env, tiny, folder, bridge, **changes):
    """What the model sampled in three steps, the environment and the trainer."""
    model, tokenizer = tiny()
    made = env()
    trainer = GRPOTrainer(
        model=model, **changes, **trainer_kwargs(made, tokenizer, args=config(folder, max_steps=3), bridge=bridge)
    )
    generate, said = trainer._generate_single_turn, []

    @functools.wraps(generate)
    def recorded(*args, **kwargs):
        said.append(generate(*args, **kwargs))
        return said[-1]

    trainer._generate_single_turn = recorded
    trainer.train()
    return said, made, trainer


@pytest.mark.parametrize("bridge", ["native", "rollout"])
def test_a_scorer_has_the_live_model_and_leaves_no_trace_in_training(tiny, tmp_path, bridge):
    with_judge, made, trainer = sampled(Judge, tiny, tmp_path, bridge)
    without, _, _ = sampled(Silent, tiny, tmp_path, bridge)
    assert with_judge == without
    assert len(made.handed) == 12
    for model, training, gradients, cache in made.handed:
        assert model is trainer.model
        assert (training, gradients, cache) == (False, False, True)
    assert torch.is_grad_enabled()
    assert not any(line.get("episodes/failed") for line in trainer.state.log_history)


@pytest.mark.parametrize("bridge", ["native", "rollout"])
def test_a_scorer_has_the_model_with_its_adapter(tiny, tmp_path, bridge):
    adapter = LoraConfig(target_modules=["q_proj", "v_proj"], r=2, task_type="CAUSAL_LM")
    _, made, trainer = sampled(Judge, tiny, tmp_path, bridge, peft_config=adapter)
    assert {type(model).__name__ for model, *_ in made.handed} == {"PeftModelForCausalLM"}
    assert made.handed[0][0] is trainer.model
    assert trainer.state.log_history[0]["episodes/failed"] == 0.0


@pytest.mark.parametrize("bridge", ["native", "rollout"])
def test_an_evaluation_hands_the_model_over_too(tiny, tmp_path, bridge):
    model, tokenizer = tiny()
    made = Judge()
    trainer = GRPOTrainer(model=model, **trainer_kwargs(made, tokenizer, args=config(tmp_path), bridge=bridge))
    trainer.evaluate()
    assert {handed[0] is model for handed in made.handed} == {True}


def test_a_model_is_as_it_was_afterwards(tiny):
    model, _ = tiny()
    model.train()
    model.config.use_cache = False
    torch.manual_seed(3)
    expected = torch.rand(1)
    torch.manual_seed(3)
    with lent(model):
        assert (model.training, model.config.use_cache) == (False, True)
        torch.rand(7)
    assert (model.training, model.config.use_cache) == (True, False)
    assert torch.rand(1) == expected


def test_a_model_that_is_spread_over_processes_says_so_at_any_touch():
    for touch in (lambda model: model.generate, lambda model: model("x"), lambda model: model.config.vocab_size):
        with pytest.raises(
            EnvironmentFailedError, match=r"spread over processes \(ZeRO-3, FSDP\).*plain data parallelism"
        ):
            touch(ShardedModel())


def test_a_scorer_that_freezes_the_model_has_not_ended_its_training(tiny):
    model, _ = tiny()
    kept = next(model.parameters()).requires_grad_(False)
    with lent(model):
        model.requires_grad_(False)
    assert all(weight.requires_grad == (weight is not kept) for weight in model.parameters())


@pytest.mark.parametrize("way", ["in place", "converted"])
def test_a_scorer_that_changes_weights_ends_the_training(way, tiny):
    model, _ = tiny()
    changed = pytest.raises(EnvironmentFailedError, match="A scorer changed the weights of the model that it was lent")
    with changed, lent(model), torch.no_grad():
        if way == "in place":
            next(model.parameters()).zero_()
        else:
            model.half()
