"""What the bridges rely on in TRL, fact by fact: when a new TRL changes one, its name stands here."""

import dataclasses
import inspect
import json

import pytest
import torch
import trl
from accelerate.data_loader import prepare_data_loader
from datasets import Dataset
from environments import SCHEMA
from scripted import ScriptedTrainer, calls, config, says, tokens, written
from trl import GRPOConfig, GRPOTrainer
from trl.chat_template_utils import add_response_schema, get_training_chat_template, is_chat_template_prefix_preserving
from trl.trainer.utils import RepeatSampler

from grpo_env_trl import ranks, trl_facts

ROWS = Dataset.from_list([
    {"prompt": [{"role": "user", "content": f"Say {place}.", "mark": place}], "place": place} for place in range(8)
])  # fmt: skip


def half(completions, **given):
    return [0.5] * len(completions)


def trainer_for(tiny, folder, *, script=("yes", "no"), family="qwen3", settings=None, **kwargs):
    model, tokenizer = tiny(family)
    kwargs = {"reward_funcs": [half], "train_dataset": ROWS, **kwargs}
    return ScriptedTrainer(
        model=model, args=config(folder, **(settings or {})), processing_class=tokenizer,
        script=says(tokenizer, *script), **kwargs,
    )  # fmt: skip


def rollouts(**more):
    """A rollout function that says three tokens, of which the second was told."""

    def rollout(prompts, trainer):
        rollout.prompts, rollout.trainer = prompts, trainer
        count = len(prompts)
        columns = {"prompt_ids": [[70, 71]] * count, "completion_ids": [[72, 73, 74]] * count, "logprobs": None}
        return {**columns, **{name: [value] * count for name, value in more.items()}}

    return rollout


def batch_of(trainer):
    """The first batch that a trainer makes."""
    trainer.model.train()
    return trainer._prepare_inputs(next(iter(trainer.get_train_dataloader())))


@pytest.fixture(autouse=True)
def quiet(monkeypatch):
    monkeypatch.setenv("TRL_EXPERIMENTAL_SILENCE", "1")


def test_rollout_func_gets_prompts_repeated_for_their_group_and_the_trainer(tiny, tmp_path):
    rollout = rollouts()
    trainer = trainer_for(tiny, tmp_path, rollout_func=rollout)
    batch_of(trainer)
    assert rollout.trainer is trainer
    said = [prompt[0]["content"] for prompt in rollout.prompts]
    assert said[0] == said[1] != said[2] == said[3]


def test_extra_keys_of_prompt_messages_survive(tiny, tmp_path):
    rollout = rollouts()
    batch_of(trainer_for(tiny, tmp_path, rollout_func=rollout))
    assert all(prompt[-1]["content"] == f"Say {prompt[-1]['mark']}." for prompt in rollout.prompts)


def test_other_columns_do_not_reach_rollout_func(tiny, tmp_path):
    rollout = rollouts()
    batch_of(trainer_for(tiny, tmp_path, rollout_func=rollout))
    assert all(isinstance(prompt, list) for prompt in rollout.prompts)


def test_env_mask_is_what_the_loss_counts(tiny, tmp_path):
    trainer = trainer_for(tiny, tmp_path, rollout_func=rollouts(env_mask=[1, 0, 1]))
    batch = batch_of(trainer)
    assert batch["tool_mask"].tolist() == [[1, 0, 1]] * 4
    assert batch["num_items_in_batch"].item() == 8
    assert trainer._metrics["train"]["completions/mean_length"] == [2.0]


def test_env_mask_is_honoured_only_while_the_trainer_has_no_tools(tiny, tmp_path):
    def look() -> str:
        """Look."""

    trainer = trainer_for(tiny, tmp_path, rollout_func=rollouts(env_mask=[1, 0, 1]), tools=[look])
    assert batch_of(trainer)["tool_mask"].tolist() == [[1, 1, 1]] * 4


def test_rollout_func_alone_needs_no_template_with_tools_and_no_way_to_parse(tiny, tmp_path):
    trainer = trainer_for(tiny, tmp_path, rollout_func=rollouts(), family="gemma3")
    trainer.train()
    assert not trl_facts.supports_tools(tiny("gemma3")[1])
    with pytest.raises(ValueError, match="does not support tool calling"):
        trainer_for(tiny, tmp_path, tools=[half], family="gemma3")


def test_logprobs_may_be_none_without_vllm(tiny, tmp_path):
    trainer = trainer_for(tiny, tmp_path, rollout_func=rollouts())
    assert "sampling_per_token_logps" not in batch_of(trainer)
    trainer.train()


def test_other_lists_of_rollout_func_become_arguments_of_reward_functions(tiny, tmp_path):
    got = []

    def looks(completions, episode, place, **given):
        got.append((episode, given, completions))
        return [0.5] * len(completions)

    batch_of(trainer_for(tiny, tmp_path, rollout_func=rollouts(episode="record"), reward_funcs=[looks]))
    episode, given, completions = got[0]
    assert episode == ["record"] * 4
    assert {"prompts", "completion_ids", "trainer_state", "log_extra", "log_metric"} == set(given)
    assert [len(messages) for messages in completions] == [1] * 4  # one merged message, whatever was told between


def test_reward_functions_are_called_with_one_and_the_same_list(tiny, tmp_path):
    got = []
    functions = [lambda completions, **given: got.append(completions) or [0.5] * 4 for _ in "ab"]
    batch_of(trainer_for(tiny, tmp_path, reward_funcs=functions))
    assert got[0] is got[1]


def test_sync_reward_functions_run_in_order_before_the_async_ones(tiny, tmp_path):
    order = []

    async def later(completions, **given):
        order.append("async")
        return [0.5] * len(completions)

    functions = [later, *(lambda completions, n=n, **given: order.append(n) or [0.5] * 4 for n in (1, 2))]
    batch_of(trainer_for(tiny, tmp_path, reward_funcs=functions))
    assert order == [1, 2, "async"]


def test_two_reward_functions_of_one_name_merge_their_metrics(tiny, tmp_path):
    def one(completions, **given):
        return [1.0] * len(completions)

    twin = type(one)(one.__code__, one.__globals__, "half")
    trainer = trainer_for(tiny, tmp_path, reward_funcs=[half, twin])
    batch_of(trainer)
    assert trainer._metrics["train"]["rewards/half/mean"] == [0.5, 1.0]


def test_reward_none_everywhere_makes_advantage_0_and_leaves_the_baseline_alone(tiny, tmp_path):
    def some(completions, **given):
        return [None, 0.0, 1.0, None, 0.0, 1.0, 0.0, 1.0]

    settings = {"per_device_train_batch_size": 8, "num_generations": 4, "scale_rewards": "none"}
    trainer = trainer_for(tiny, tmp_path, reward_funcs=[some, some], settings=settings)
    batch_of(trainer)
    assert list(trainer._logs["advantages"])[:4] == [0.0, -1.0, 1.0, 0.0]


def test_a_column_of_weight_0_may_be_none_throughout(tiny, tmp_path):
    def none(completions, **given):
        return [None] * len(completions)

    trainer = trainer_for(tiny, tmp_path, reward_funcs=[half, none], settings={"reward_weights": [1.0, 0.0]})
    trainer.train()
    line = trainer.state.log_history[0]
    assert (line["reward"], line["rewards/none/mean"]) == (0.5, None)


def test_a_row_of_which_every_token_is_masked_spoils_no_gradient(tiny, tmp_path):
    trainer = trainer_for(tiny, tmp_path, rollout_func=rollouts(env_mask=[0, 0, 0]))
    trainer.train()
    assert trainer.state.log_history[0]["grad_norm"] == 0.0


def test_every_public_method_of_an_environment_class_becomes_a_tool(tiny, tmp_path):
    class Environment:
        def reset(self, **row):
            """Reset."""

        def look(self) -> str:
            """Look."""

        def close(self):
            """Close."""

        def _hidden(self):
            """Hide."""

    trainer = trainer_for(tiny, tmp_path, environment_factory=Environment)
    assert [one.__name__ for one in trainer.tools] == ["close", "look"]  # by the names of the attributes


def test_a_descriptor_is_a_tool_where_the_class_shows_a_function(tiny, tmp_path):
    class Schema(dict):
        __name__ = "look-up"

        def __call__(self, **arguments):
            return "42"

    class Attribute:
        def __get__(self, instance, owner):
            return (lambda: None) if instance is None else Schema(SCHEMA)

    class Environment:
        any_name = Attribute()

        def reset(self, **row):
            Environment.row = row

    call = written(tiny()[1], calls(("look-up", {"name": "Ada"})))
    trainer = trainer_for(
        tiny, tmp_path, environment_factory=Environment, script=(call,),
        settings={"max_completion_length": 400, "max_tool_calling_iterations": 1},
    )  # fmt: skip
    batch_of(trainer)
    assert json.dumps(SCHEMA) in trainer._tokenizer.decode(trainer.spoken.contexts[0][0])
    assert "<tool_response>\n42\n</tool_response>" in trainer._tokenizer.decode(trainer.spoken.contexts[1][0])
    assert {"prompt", "place"} <= set(Environment.row)  # every column


def test_get_reward_on_an_environment_adds_a_column_of_weight_1(tiny, tmp_path):
    class Environment:
        def reset(self, **row):
            """Reset."""

        def look(self) -> str:
            """Look."""

        def get_reward(self):
            return 1.0

    functions = [half]
    trainer = trainer_for(tiny, tmp_path, environment_factory=Environment, reward_funcs=functions)
    assert (trainer.reward_func_names, trainer.reward_weights.tolist()) == (["half", "Environment"], [1.0, 1.0])
    assert len(functions) == 2  # in the very list that it was given


def test_what_an_environment_says_at_reset_is_glued_to_the_prompt(tiny, tmp_path):
    class Environment:
        def reset(self, **row):
            return "Now."

        def look(self) -> str:
            """Look."""

    trainer = trainer_for(tiny, tmp_path, environment_factory=Environment)
    batch_of(trainer)
    assert "Now.<|im_end|>" in trainer._tokenizer.decode(trainer.spoken.contexts[0][0])
    assert ".Now." in trainer._tokenizer.decode(trainer.spoken.contexts[0][0])


def test_an_error_in_an_environments_reset_kills_the_run(tiny, tmp_path):
    class Environment:
        def reset(self, **row):
            raise OSError("no office today")

        def look(self) -> str:
            """Look."""

    with pytest.raises(OSError, match="no office today"):
        batch_of(trainer_for(tiny, tmp_path, environment_factory=Environment))


def test_a_single_turn_is_generated_with_these_arguments():
    signature = inspect.signature(GRPOTrainer._generate_single_turn)
    names = list(signature.parameters)[1:]
    assert names[0] == "prompt_ids"
    known = {"images", "multimodal_fields", "num_generations"}
    required = {name for name, one in signature.parameters.items() if one.default is one.empty}
    assert required - {"self", "prompt_ids"} <= known, f"generate() in trl_facts does not know of {required - known}"


def test_a_turn_is_as_long_as_the_cap_that_is_lent_for_it(tiny, tmp_path):
    model, tokenizer = tiny()
    trainer = GRPOTrainer(
        model=model, args=config(tmp_path), processing_class=tokenizer, reward_funcs=[half], train_dataset=ROWS
    )
    contexts = [tokens(tokenizer, "abc", end=False), tokens(tokenizer, "a longer one", end=False)]
    for most in (3, 7):
        ids, logprobs = trl_facts.generate(trainer, contexts, most)
        assert max(map(len, ids)) == most
        assert logprobs is None
    assert trainer.generation_config.max_new_tokens == 16
    assert trl_facts.context_length(trainer) == model.config.max_position_embeddings


def test_nothing_follows_the_first_eos_of_a_generated_turn(tiny, tmp_path):
    model, tokenizer = tiny()
    trainer = GRPOTrainer(
        model=model, args=config(tmp_path), processing_class=tokenizer, reward_funcs=[half], train_dataset=ROWS
    )
    assert set(trainer.eos_token_ids) == set(model.generation_config.eos_token_id)
    torch.manual_seed(0)
    ids, _ = trl_facts.generate(trainer, [tokens(tokenizer, "abc", end=False)] * 64, 60)
    ended = [turn for turn in ids if set(turn) & set(trainer.eos_token_ids)]
    assert ended
    assert all(not set(turn[:-1]) & set(trainer.eos_token_ids) for turn in ended)


def test_the_parser_is_chosen_by_the_bytes_of_the_template(tiny):
    _, tokenizer = tiny()
    assert trl_facts.response_template_of(tokenizer) is not None
    tokenizer.chat_template += "{# ours #}"
    with pytest.raises(ValueError, match="chat template"):
        add_response_schema(tokenizer)
    assert trl_facts.response_template_of(tokenizer) is None
    assert trl_facts.known_response_templates()
    assert trl_facts.training_template(tokenizer) is None


def test_the_template_of_qwen3_forgets_and_its_training_form_does_not(tiny):
    _, tokenizer = tiny()
    assert not is_chat_template_prefix_preserving(tokenizer)
    assert trl_facts.training_template(tokenizer) == get_training_chat_template(tokenizer)
    tokenizer.chat_template = trl_facts.training_template(tokenizer)
    assert is_chat_template_prefix_preserving(tokenizer)


def test_the_sampler_begins_with_the_order_of_its_first_epoch_wherever_a_run_resumes():
    sampler, resumed = (RepeatSampler(range(10), mini_repeat_count=2, seed=3) for _ in "ab")
    first, second = list(sampler), list(sampler)
    assert first != second
    assert list(resumed) == first
    loader = torch.utils.data.DataLoader(list(range(10)), sampler=RepeatSampler(range(10), 2, seed=3), batch_size=2)
    trl_facts.skip_epochs(loader, 1)
    assert list(loader.batch_sampler.sampler) == second


@pytest.mark.parametrize("split_batches", [False, True])
def test_each_of_several_processes_begins_with_its_batches_of_the_epoch_in_which_a_run_resumes(split_batches):
    def shard(rank):
        loader = torch.utils.data.DataLoader(list(range(8)), sampler=RepeatSampler(range(8), 2, seed=3), batch_size=4)
        return prepare_data_loader(
            loader, num_processes=2, process_index=rank, put_on_device=False, split_batches=split_batches,
            rng_types=[],
        )  # fmt: skip

    for rank in (0, 1):
        first, second = (list(shard.batch_sampler) for shard in [shard(rank)] * 2)
        assert first != second
        resumed = shard(rank)
        trl_facts.skip_epochs(resumed, 1)
        assert list(resumed.batch_sampler) == second


def test_one_process_never_waits_for_others(tiny, tmp_path):
    trainer = trainer_for(tiny, tmp_path)
    assert ranks.largest_over_ranks(trainer, 7) == 7
    assert ranks.means_over_ranks([0.5, None]) == [0.5, None]
    assert not ranks.forward_is_collective()


def test_metrics_and_columns_that_reward_functions_log_reach_the_log(tiny, tmp_path):
    def tells(completions, log_metric, log_extra, trainer_state, **given):
        log_metric("env/told", 3.0)
        log_extra("step", [trainer_state.global_step] * len(completions))
        return [0.5] * len(completions)

    trainer = trainer_for(tiny, tmp_path, reward_funcs=[tells])
    trainer.train()
    assert trainer.state.log_history[0]["env/told"] == 3.0
    assert list(trainer._logs["extra"]["step"]) == [0] * 4


def test_what_is_nan_in_every_batch_is_left_out_of_the_log_and_counts_in_no_mean(tiny, tmp_path):
    def at_times(completions, trainer_state, **given):
        return [1.0 if trainer_state.global_step == 1 else None] * len(completions)

    def never(completions, **given):
        return [None] * len(completions)

    trainer = trainer_for(
        tiny, tmp_path, reward_funcs=[half, at_times, never], settings={"max_steps": 2, "logging_steps": 2}
    )
    trl_facts.leave_out_nan(trainer)
    trl_facts.leave_out_nan(trainer)
    trainer.train()
    (log,) = (log for log in trainer.state.log_history if "reward" in log)
    assert log["rewards/at_times/mean"] == 1.0
    assert not any(name.startswith("rewards/never") for name in log)
    assert None not in log.values()


def test_unshuffled_rows_come_in_their_order_and_all_of_a_generation_before_the_next():
    drawn = [*RepeatSampler(range(4), 2, batch_size=2, repeat_count=2, shuffle=False, seed=0)]
    assert drawn == [0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3]


def test_no_tool_metrics_are_logged_under_rollout_func(tiny, tmp_path):
    trainer = trainer_for(tiny, tmp_path, rollout_func=rollouts())
    trainer.train()
    assert not [name for name in trainer.state.log_history[0] if name.startswith("tools/")]


def test_the_defaults_are_those_that_pages_and_settings_name():
    defaults = {field.name: field.default for field in dataclasses.fields(GRPOConfig)}
    known = {
        "num_generations": 8, "max_completion_length": 512, "top_k": 0, "beta": 0.0, "loss_type": "dapo",
        "learning_rate": 1e-6, "gradient_checkpointing": True, "vllm_mode": "colocate", "reward_weights": None,
        "multi_objective_aggregation": "sum_then_normalize", "max_tool_calling_iterations": None,
    }  # fmt: skip
    assert {name: defaults[name] for name in known} == known
    assert "warmup_ratio" not in defaults


def test_the_version_is_one_that_these_facts_are_known_of():
    major, minor = map(int, trl.__version__.split(".")[:2])
    assert (1, 15) <= (major, minor) < (2, 0)


def test_the_experimental_warning_can_be_silenced(tiny, tmp_path, monkeypatch):
    monkeypatch.delenv("TRL_EXPERIMENTAL_SILENCE")
    with pytest.warns(UserWarning, match="'rollout_func', which is an experimental feature"):
        trainer_for(tiny, tmp_path, rollout_func=rollouts())
    trl_facts.silence_known_warnings()
    trainer_for(tiny, tmp_path, rollout_func=rollouts())


def test_a_server_is_asked_with_what_trls_own_object_for_vllm_holds():
    from trl.generation.vllm_client import VLLMClient
    from trl.generation.vllm_generation import VLLMGeneration

    held = {
        "temperature", "top_p", "top_k", "min_p", "repetition_penalty", "structured_outputs_regex", "group_port",
        "generation_kwargs", "server_timeout", "max_model_length",
    }  # fmt: skip
    made = inspect.getsource(VLLMGeneration.__init__)
    assert [name for name in held if f"self.{name} = " not in made] == []
    assert {"base_url", "group_port", "connection_timeout"} <= inspect.signature(VLLMClient).parameters.keys()
    assert "device" in inspect.signature(VLLMClient.init_communicator).parameters


def test_trl_sends_weights_through_one_client_from_the_main_process_alone():
    from trl.generation.vllm_generation import VLLMGeneration

    sends = inspect.getsource(VLLMGeneration.sync_weights)
    assert "self.vllm_client.update_named_params(" in sends
    assert "for _ in self._iter_named_params()" in sends  # every process takes part in each pass over the weights
    created = inspect.getsource(VLLMGeneration._init_vllm)
    assert created.index("accelerator.is_main_process") < created.index("self.vllm_client = VLLMClient(")


def test_weights_are_sent_before_the_rollout_function_and_once_a_step():
    plays = inspect.getsource(GRPOTrainer._generate)
    sent = plays.index("self.vllm_generation.sync_weights()")
    assert plays.index("self.state.global_step != self._last_loaded_step") < sent
    assert sent < plays.index("self.rollout_func(prompts, self)")
