import copy
import json
import math
import warnings

import pytest
import torch
from environments import Errands, Letters, Parts, Talk, rows
from scripted import ScriptedTrainer, calls, config, says, tokens, written
from transformers import AutoModelForSequenceClassification

from grpo_env_sdk import Episode, SingleTurnEnv, load, reward
from grpo_env_sdk.data.messages import raw_text
from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.rewards import AdaptiveWeight
from grpo_env_sdk.rewards.scorer import Scorer
from grpo_env_trl.bridges.columns import score_column
from grpo_env_trl.bridges.trainer_kwargs import trainer_kwargs


def trained(env, tiny, folder, *, script=None, settings=None, **changes):
    """A trainer after its steps, and every batch that it saw."""
    model, tokenizer = tiny()
    seen = []
    args = config(folder, **{"max_completion_length": 400, **(settings or {})})
    kwargs = trainer_kwargs(env, tokenizer, args=args, seen=seen.append, **changes)
    trainer = ScriptedTrainer(model=model, script=script or says(tokenizer, "yes", "no, 12", "bye"), **kwargs)
    trainer.train()
    return trainer, seen


def columns_of(trainer):
    """Each reward column of the batches so far."""
    return {name: list(values) for name, values in trainer._logs["rewards"].items()}


def same(found, wanted):
    return [None if math.isnan(value) else pytest.approx(value, rel=1e-6) for value in found] == wanted


def tool_script(tokenizer):
    call = tokens(tokenizer, written(tokenizer, calls(("add", {"x": 1, "y": 2}))))
    return lambda context, most: tokens(tokenizer, "3") if "\ntool" in tokenizer.decode(context)[-80:] or (
        "<tool_response>" in tokenizer.decode(context)) else call  # fmt: skip


@pytest.mark.parametrize(("env", "bridge"), [
    (Letters, "native"), (Letters, "rollout"), (Parts, "native"), (Parts, "rollout"), (Errands, "rollout"),
    (Talk, "rollout"),
])  # fmt: skip
def test_the_logged_total_is_the_score_of_the_sdk(tiny, tmp_path, env, bridge):
    trainer, seen = trained(env, tiny, tmp_path, bridge=bridge)
    scorer = Scorer(load(env).env)
    rescored = []
    for episode in seen[0].episodes:
        if env is Letters or env is Parts:
            assert episode.reward == pytest.approx(scorer.score(episode).value)
        rescored.append(episode.reward)
    logged = trainer.state.log_history[0]
    assert logged["reward"] == logged["rewards/score/mean"] == pytest.approx(sum(rescored) / len(rescored))
    assert same(trainer._logs["rewards"]["score"], rescored)


def test_every_part_is_a_column_of_weight_0_and_abstains_by_itself(tiny, tmp_path):
    trainer, seen = trained(Parts, tiny, tmp_path, rows=2)
    assert trainer.reward_func_names == ["score", "score_part", "often", "rambling"]
    assert trainer.reward_weights.tolist() == [1.0, 0.0, 0.0, 0.0]
    columns = columns_of(trainer)
    for column, part in (("score_part", "score"), ("often", "often"), ("rambling", "rambling")):
        assert same(columns[column], [episode.rewards[part] for episode in seen[0].episodes])
    abstains = [episode.row["place"] % 3 == 0 for episode in seen[0].episodes]
    assert [math.isnan(value) for value in columns["often"]] == abstains


def test_parts_that_are_normalised_apart_carry_their_weights_and_the_score_is_told(tiny, tmp_path):
    settings = {"multi_objective_aggregation": "normalize_then_sum"}
    trainer, _ = trained(Parts, tiny, tmp_path, settings=settings)
    assert trainer.reward_weights.tolist() == [0.0, 0.75, 0.25, -0.125]
    trainer, seen = trained(Talk, tiny, tmp_path, settings=settings)
    assert (trainer.reward_func_names, trainer.reward_weights.tolist()) == (["score"], [1.0])
    assert all(episode.step_rewards for episode in seen[0].episodes)


def test_step_rewards_beside_parts_have_a_column(tiny, tmp_path):
    class Both(Talk):
        @reward(weight=2)
        def brief(self, messages):
            return 1 / len(messages)

    trainer, seen = trained(Both, tiny, tmp_path)
    assert trainer.reward_func_names == ["score", "brief", "step_rewards"]
    columns = columns_of(trainer)
    assert same(columns["step_rewards"], [sum(episode.step_rewards) for episode in seen[0].episodes])
    summed = [part + steps for part, steps in zip(columns["brief"], columns["step_rewards"], strict=True)]
    assert columns["score"] == pytest.approx(summed)
    apart, _ = trained(Both, tiny, tmp_path, settings={"multi_objective_aggregation": "normalize_then_sum"})
    assert apart.reward_weights.tolist() == [0.0, 1.0, 1.0]


def own(completions, place, **given):
    return [float(number) for number in place]


async def own_async(completions, place, **given):
    return [float(number) for number in place]


@pytest.mark.parametrize("normalized", ["sum_then_normalize", "normalize_then_sum"])
def test_a_failed_episode_is_none_in_every_column_and_teaches_nothing(tiny, tmp_path, normalized):
    trainer, seen = trained(
        Errands, tiny, tmp_path, script=tool_script(tiny()[1]), config={"fails": ("", "score")},
        reward_funcs=[own, own_async], settings={
            "per_device_train_batch_size": 8, "num_generations": 2, "multi_objective_aggregation": normalized,
        },
    )  # fmt: skip
    failed = [episode.error is not None for episode in seen[0].episodes]
    assert any(failed)
    assert not all(failed)
    assert all(episode.reward is None for episode in seen[0].episodes if episode.error)
    for name, column in columns_of(trainer).items():
        assert [math.isnan(value) for value in column] == failed, name
    advantages = list(trainer._logs["advantages"])
    assert [value for value, gone in zip(advantages, failed, strict=True) if gone] == [0.0] * sum(failed)
    logged = trainer.state.log_history[0]
    assert logged["episodes/failed"] == logged["failed/score/ZeroDivisionError"] == sum(failed) / 8
    assert logged["stop/env_error"] == sum(failed) / 8


@pytest.mark.parametrize("stage", ["reset", "score"])
@pytest.mark.parametrize("loss", ["dapo", "grpo", "bnpo", "dr_grpo"])
def test_a_batch_in_which_everything_failed_leaves_the_weights_alone(tiny, tmp_path, caplog, stage, loss):
    model, _ = tiny()
    before = {name: value.clone() for name, value in model.named_parameters()}
    trainer, _ = trained(
        Errands, tiny, tmp_path, config={"fails": (stage,)}, settings={"loss_type": loss, "max_steps": 2}
    )
    first = trainer.state.log_history[0]
    assert (first["loss"], first["reward"], first["episodes/failed"]) == (0.0, None, 1.0)
    assert first["grad_norm"] == 0.0
    for name, value in trainer.model.named_parameters():
        assert torch.equal(value, before[name]), name


def test_other_reward_functions_get_all_that_trl_passes(tiny, tmp_path):
    got = []

    def looks(prompts, completions, completion_ids, place, trainer_state, log_extra, log_metric, **others):
        got.append((prompts, completions, completion_ids, place, trainer_state.global_step, sorted(others)))
        log_extra("place", list(place))
        log_metric("highest", max(place))
        return [0.5] * len(prompts)

    trainer, seen = trained(
        Errands, tiny, tmp_path, script=tool_script(tiny()[1]), reward_funcs=[looks], reward_weights=[2.0]
    )
    prompts, completions, ids, places, step, others = got[0]
    assert prompts == [episode.row["prompt"] for episode in seen[0].episodes]
    assert completions == [raw_text(episode.completion) for episode in seen[0].episodes]
    assert places == [episode.row["place"] for episode in seen[0].episodes]
    assert (step, others) == (0, ["completions_ids", "episode", "fails", "grpo_env_row"])
    assert all(isinstance(token, int) for token in ids[0])
    logged = trainer.state.log_history[0]
    assert logged["highest"] == max(places)
    assert logged["reward"] == pytest.approx(logged["rewards/score/mean"] + 2 * 0.5)
    assert list(trainer._logs["extra"]["place"]) == places


def test_other_reward_functions_need_a_weight_each(tiny, tmp_path):
    with pytest.raises(
        UsageError, match=r"There are 1 reward_funcs and 2 reward_weights\. Give each function one weight"
    ):
        trainer_kwargs(Letters, tiny()[1], args=config(tmp_path), reward_funcs=[own], reward_weights=[1.0, 2.0])
    with pytest.raises(UsageError, match=r"args have reward_weights, but the environment's columns come first"):
        trainer_kwargs(Letters, tiny()[1], args=config(tmp_path, reward_weights=[1.0]), reward_funcs=[own])


def reward_model(model):
    made = copy.deepcopy(model.config)
    made.id2label, made._name_or_path = {0: "good"}, "judge"
    return AutoModelForSequenceClassification.from_config(made)


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize(("env", "bridge"), [(Letters, "native"), (Errands, "rollout")])
def test_a_reward_model_is_a_column_too_and_silent_where_an_episode_failed(tiny, tmp_path, env, bridge, named):
    model, tokenizer = tiny()
    seen = []
    judge = reward_model(model)
    if named:
        judge.save_pretrained(tmp_path / "judge")
        judge = str(tmp_path / "judge")
    kwargs = trainer_kwargs(
        env, tokenizer, args=config(tmp_path, per_device_train_batch_size=8, max_completion_length=300),
        reward_funcs=[judge], seen=seen.append, bridge=bridge,
        config={"fails": ("", "score")} if env is Errands else None,
    )  # fmt: skip
    processing = [None] * (len(kwargs["reward_funcs"]) - 1) + [tokenizer]
    trainer = ScriptedTrainer(
        model=model, script=tool_script(tokenizer), reward_processing_classes=processing, **kwargs
    )
    trainer.train()
    failed = [episode.error is not None for episode in seen[0].episodes]
    judged = columns_of(trainer)["judge"]
    assert [math.isnan(value) for value in judged] == failed
    assert any(failed) == (env is Errands)
    assert trainer.state.log_history[0]["rewards/judge/mean"] is not None
    assert named or not judge._forward_hooks  # the person's own model stays as it was


def long(completion):
    return float(len(completion) > 3)


class Adaptive(SingleTurnEnv):
    def __init__(self):
        self.rewards = [AdaptiveWeight(long, low=0.3, high=0.8)]

    def build_dataset(self, tokenizer):
        return rows(20)

    @reward
    def other(self, completion):
        return 0.5


@pytest.mark.parametrize("bridge", ["native", "rollout"])
def test_adaptive_weights_move_in_training_only_and_are_logged(tiny, tmp_path, bridge):
    trainer, seen = trained(
        Adaptive, tiny, tmp_path, bridge=bridge, script=says(tiny()[1], "no"), settings={"max_steps": 3}
    )
    history = [line["weight/long"] for line in trainer.state.log_history if "weight/long" in line]
    assert history == pytest.approx([1.2, 1.44, 1.728])
    assert [batch.episodes[0].reward for batch in seen] == pytest.approx([0.25, 0.5 / 2.2, 0.5 / 2.44])
    evaluated = trainer.evaluate()
    assert evaluated["eval_weight/long"] == pytest.approx(1.728)  # it did not move
    assert evaluated["eval_rewards/score/mean"] == pytest.approx(0.25)  # the first weights count
    assert not seen[-1].training


def test_a_part_that_always_abstains_is_told_as_none(tiny, tmp_path):
    class Silent(Parts):
        @reward
        def often(self):
            return None

    trainer, _ = trained(Silent, tiny, tmp_path)
    line = trainer.state.log_history[0]
    assert line["rewards/often/mean"] is None
    assert line["reward"] is not None
    json.dumps(line, allow_nan=False)


def test_what_is_told_of_a_batch_reaches_every_tracker(tiny, tmp_path):
    trainer, seen = trained(
        Errands, tiny, tmp_path, config={"fails": ("tool", "")}, script=tool_script(tiny()[1]),
        settings={"per_device_train_batch_size": 8},
    )  # fmt: skip
    line = trainer.state.log_history[0]
    broken = sum(episode.row["fails"] == "tool" for episode in seen[0].episodes)
    assert line["episodes/turns"] == 2.0
    assert line["episodes/tool_calls"] == 1.0
    assert line["episodes/tool_failures"] == broken / 8
    assert line["stop/terminated"] == 1.0
    assert line["env/notes"] == 0.0
    assert line["episodes/failed"] == 0.0
    assert line["time/environment"] > 0
    assert line["time/model"] > 0


def test_numbers_that_an_environment_steps_tell_are_logged(tiny, tmp_path):
    trainer, _ = trained(Talk, tiny, tmp_path)
    assert trainer.state.log_history[0]["env/calls"] == 0.0


@pytest.mark.parametrize(("value", "given"), [(1e17, 1e17), (-1e17, -1e17), (1e19, None), (-1e99, None), (None, None)])
def test_a_score_that_float32_cannot_compute_with_is_left_out_and_named_once(value, given):
    ended = {"messages": [], "opening": 0, "stop_reason": "terminated", "reward": value}
    column = score_column(lambda _: [Episode(env="sums-v1", row_index=7, row={}, seed=0, **ended)] * 3, dict)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert column() == [given] * 3
    assert [str(each.message).startswith("sums-v1: score of row 7 is ") for each in told] == [True] * (
        value is not None and given is None
    )
