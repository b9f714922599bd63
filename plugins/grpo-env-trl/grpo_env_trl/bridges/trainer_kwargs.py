"""The arguments of `GRPOTrainer` for an environment."""

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from grpo_env_sdk import Limits
from grpo_env_sdk.ext import EnvPool, LoadedEnv, Rows, UsageError, load_for, rows_asked, suggesting_names
from grpo_env_trl import trl_batching, trl_facts, trl_vllm
from grpo_env_trl.bridges.batch import Batch
from grpo_env_trl.bridges.batch_player import STOP_AFTER, BatchPlayer
from grpo_env_trl.bridges.choosing import bridge_for, check_mixes, check_mixing_bridge
from grpo_env_trl.bridges.columns import reward_columns
from grpo_env_trl.bridges.dataset import (
    check_list_of_one,
    held_out_rows,
    prompts_of,
    shows_images,
    training_dataset,
    training_rows,
)
from grpo_env_trl.bridges.mixture_kwargs import MixturePart, mixture_kwargs
from grpo_env_trl.bridges.native import NativeBridge
from grpo_env_trl.bridges.own_rewards import OwnRewards
from grpo_env_trl.bridges.raw_rollout import RawRollout
from grpo_env_trl.bridges.rollout import RolloutBridge
from grpo_env_trl.bridges.state import AT_FIRST, moving_weights
from grpo_env_trl.bridges.trl_tool_loop import LOOPS, TrlToolLoopBridge
from grpo_env_trl.env_weights import Weight, loaded_shares, shares_in
from grpo_env_trl.tokens.raw_prompts import RawPrompts
from grpo_env_trl.tokens.rendering import Renderer, name_of
from grpo_env_trl.tokens.tokenizers import is_processor, text_tokenizer


@suggesting_names
def trainer_kwargs(
    env: Any,
    tokenizer: Any,
    *,
    args: Any,
    bridge: str = "auto",
    config: dict[str, Any] | None = None,
    rewards: Sequence[Any] = (),
    reward_funcs: Sequence[Any] = (),
    reward_weights: Sequence[float] | None = None,
    reward_processing_classes: Sequence[Any] | None = None,
    callbacks: Sequence[Any] = (),
    limits: Limits | None = None,
    max_turn_tokens: int | None = None,
    rows: int | Sequence[int] | None = None,
    eval_rows: int | None = None,
    seen: Callable[[Batch], None] | None = None,
    stop_after: int = STOP_AFTER,
    user: Any = None,
    pool: EnvPool | None = None,
) -> dict[str, Any]:
    """The arguments of `GRPOTrainer(model=..., **kwargs)` to train on an environment.

    ```python
    trainer = GRPOTrainer(model=model, **trainer_kwargs("hotel-v1", tokenizer, args=GRPOConfig(...)))
    ```

    Args:
        env: A name, class, instance, or what `load` gave; `config` and `rewards` go to it. Several are a list, or a
            mapping from them to weights; `config` has their configs by name then.
        args: A `GRPOConfig`; it comes back with the reward weights set.
        bridge: `native` where TRL generates one turn, `rollout` for everything else; `auto` finds out.
            `tools` and `environment_factory` leave tool calls to TRL's own loop, as it is.
        reward_funcs: More reward functions, as TRL takes them, with `reward_weights` (each 1 where left out).
        rows: Train on the first so many rows, or on those of a list of indices, such as `[3, 4, 9]`.
        eval_rows: How many held-out rows `eval_dataset` has; with 0 none is held out, and all rows are trained on.
        reward_processing_classes: The tokenizers of reward models, one entry for each of `reward_funcs`.
        max_turn_tokens: How many tokens a turn may have; TRL caps only the whole completion.
        seen: Is handed every batch of episodes that ended.
        stop_after: So many failed episodes, with none that did not fail, end the training.
        user: Who speaks for the user in place of the policy that the class's `ModelUser` names.
        pool: Where environment code runs, such as `EnvPool("process", 64)`; None is where it was loaded to run.
    """
    trl_facts.silence_known_warnings()
    rows = rows_asked(rows)
    if args.use_vllm:
        trl_vllm.serve_in_the_trainers_dtype()
    trl_batching.check(args)
    if args.reward_weights is not None:
        raise UsageError(
            "The args have reward_weights, but the environment's columns come first in that list.",
            "Pass those of your own reward_funcs as trainer_kwargs(reward_weights=...).",
        )
    own = OwnRewards.of(reward_funcs, reward_weights, reward_processing_classes)
    played = {"limits": limits or Limits(), "seen": seen or (lambda batch: None), "stop_after": stop_after}
    others: dict[str, Any] = {"max_turn_tokens": max_turn_tokens, "callbacks": callbacks, **played}
    if isinstance(env, Sequence | Mapping) and not isinstance(env, str):
        check_mixing_bridge(bridge)
        check_template(tokenizer)
        shares = shares_in(env, config)
        check_list_of_one(rows, len(shares))
        envs = loaded_shares(shares, user, pool, rewards=rewards, tokenizer=tokenizer)
        args = trl_batching.unless_scored_with(args, envs)
        shared = (tokenizer, args, rows, eval_rows)
        parts = [_part(one, share.weight, *shared) for one, share in zip(envs, shares, strict=True)]
        return mixture_kwargs(parts, tokenizer, args, own, **others)
    loaded = load_for(pool, env, config, split=None, rewards=rewards, tokenizer=tokenizer, user=user)
    return _of_one(loaded, _rows_of(loaded, rows, eval_rows), tokenizer, args, own, bridge, **others)


def _of_one(
    loaded: LoadedEnv, splits: tuple[Rows, Rows], tokenizer: Any, args: Any, own: OwnRewards, bridge: str, *,
    limits: Limits, max_turn_tokens: int | None, seen: Callable[[Batch], None], stop_after: int,
    callbacks: Sequence[Any],
) -> dict[str, Any]:  # fmt: skip
    """What `trainer_kwargs` returns for one environment, with the rows to train on and those held out."""
    from grpo_env_trl.bridges.callbacks import EnvironmentState
    from grpo_env_trl.bridges.logp_difference import LogpDifference

    train, test = splits
    chosen = bridge_for(bridge, args, tokenizer, loaded, train)
    args = trl_batching.unless_scored_with(args, [loaded])
    raw, total = _raw_share(loaded, text_tokenizer(tokenizer), splits)
    _check_sees(loaded, train, tokenizer)
    player = BatchPlayer(loaded, splits, limits, tokenizer, stop_after, seen)
    bridge_of, hooks = _made(chosen, player, tokenizer, args, max_turn_tokens)
    if raw and chosen != "rollout":
        hooks["rollout_func"] = RawRollout(player, renderer_for(loaded, tokenizer, args, chosen))
    apart = args.multi_objective_aggregation == "normalize_then_sum"
    rule, metrics = loaded.description.score_rule, player.metrics_over_ranks
    columns, weights = reward_columns(rule, apart, bridge_of.episodes, metrics)
    given = copy.copy(args)
    given.reward_weights = [*weights, *own.weights]
    if chosen == "native" and max_turn_tokens is not None:  # its one turn is the whole completion
        given.max_completion_length = min(given.max_completion_length, max_turn_tokens)
    if chosen in LOOPS and given.max_tool_calling_iterations is None:
        given.max_tool_calling_iterations = loaded.description.turns_up_to(player.limits.turns) - 1
    chat = bool(raw or getattr(tokenizer, "chat_template", None)) and not (chosen == "native" and raw and raw == total)
    marked = chosen == "rollout" or bool(raw)
    state = EnvironmentState({".": player}, None if chosen == "rollout" else bridge_of)
    return {
        "args": given,
        "processing_class": tokenizer,
        "train_dataset": training_dataset(train, chat, marked),
        "eval_dataset": training_dataset(test, chat, marked) if len(test) else None,
        "callbacks": [state, LogpDifference(), *callbacks],
        **own.beside(columns, bridge_of.episodes, lambda: player.last),
        **hooks,
    }


def _part(
    loaded: LoadedEnv,
    weight: Weight,
    tokenizer: Any,
    args: Any,
    rows: int | Sequence[int] | None,
    eval_rows: int | None,
) -> MixturePart:
    """One of several environments, with its rows and its renderer."""
    train, test = _rows_of(loaded, rows, eval_rows)
    check_mixes(loaded, train)
    _raw_share(loaded, text_tokenizer(tokenizer), [train, test])
    return MixturePart(loaded, weight, train, test, renderer_for(loaded, tokenizer, args, "rollout"))


def _rows_of(loaded: LoadedEnv, rows: int | Sequence[int] | None, eval_rows: int | None) -> tuple[Rows, Rows]:
    """The rows to train on and those held out, with weights where they begin."""
    begin_weights_anew(loaded)
    train = training_rows(loaded, eval_rows, rows)
    return train, train[:0] if eval_rows == 0 else held_out_rows(loaded, "test")[:eval_rows]


def begin_weights_anew(loaded: LoadedEnv) -> None:
    """Forget how far an earlier training of this process has moved weights."""
    for part in moving_weights(loaded.description):  # one object on a class serves every training of a process
        if part.moving:
            part.moving.restore(AT_FIRST)


def _made(chosen: str, player: BatchPlayer, tokenizer: Any, args: Any, max_turn_tokens: int | None) -> tuple[Any, Any]:
    """The bridge, and its arguments for `GRPOTrainer`."""
    if chosen == "native":
        return NativeBridge(player), {}
    renderer = renderer_for(player.loaded, tokenizer, args, chosen)
    if chosen in LOOPS:
        stock = TrlToolLoopBridge(player)
        return stock, stock.hooks(chosen)
    check_template(tokenizer)
    bridge = RolloutBridge(player, renderer, max_turn_tokens)
    return bridge, {"rollout_func": bridge}


def _check_sees(loaded: LoadedEnv, train: Rows, tokenizer: Any) -> None:
    """Raise for images without a processor that takes them."""
    if shows_images(train) and not is_processor(tokenizer):
        raise UsageError(
            f"{loaded.spec.id} shows images, which {name_of(tokenizer)} cannot see: it is a tokenizer alone.",
            "Give the processor of a vision model: AutoProcessor.from_pretrained(MODEL).",
        )


def check_template(tokenizer: Any) -> None:
    """Raise for a tokenizer that cannot render a chat."""
    if not text_tokenizer(tokenizer).chat_template:
        raise UsageError(
            f"{name_of(tokenizer)} has no chat template, which the rollout bridge needs.",
            "Use bridge='native' and one environment, or set tokenizer.chat_template.",
        )


def _raw_share(loaded: LoadedEnv, tokenizer: Any, splits: Sequence[Rows]) -> tuple[int, int]:
    """How many prompts are rendered already, which is said once, and how many there are."""
    raw = RawPrompts(tokenizer, loaded.traits.raw_prompts)
    prompts = [] if splits[0].chat else [prompt for rows in splits for prompt in prompts_of(rows)]
    found = raw.count(prompts)
    if found and shows_images(splits[0]):
        raise UsageError(
            f"The prompts of {loaded.spec.id} are rendered already, so there is no place for its images.",
            "Give prompts of chat messages.",
        )
    if found and loaded.traits.has_view:
        raise UsageError(
            f"The prompts of {loaded.spec.id} are rendered already, so its view cannot show other messages.",
            "Give prompts of chat messages.",
        )
    if found:
        raw.say(f"{loaded.spec.id}: {found} of {len(prompts)} prompts are")
    return found, len(prompts)


def renderer_for(loaded: LoadedEnv, tokenizer: Any, args: Any, bridge: str) -> Renderer:
    """The renderer of an environment's messages for a tokenizer; with `native` TRL shows the model no tools."""
    traits = loaded.traits
    return Renderer(
        tokenizer,
        [] if bridge == "native" else loaded.tools,
        runs_tools=traits.runs_tools != "none",
        several_turns=traits.kind != "single-turn",
        template_kwargs=args.chat_template_kwargs,
        raw_prompts=traits.raw_prompts,
        tools_to_come=traits.tools_of_rows,
    )
