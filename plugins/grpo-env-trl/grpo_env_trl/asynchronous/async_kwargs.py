"""The arguments of TRL's `AsyncGRPOTrainer` for an environment."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from grpo_env_sdk import Limits
from grpo_env_sdk.ext import EnvPool, LoadedEnv, UsageError, rows_asked, suggesting_names
from grpo_env_trl import ranks, trl_facts
from grpo_env_trl.asynchronous.adapters import NoEarlierAdapters, adapter_of, newest_adapter
from grpo_env_trl.asynchronous.groups import Groups, check_weights
from grpo_env_trl.asynchronous.state import AsyncState
from grpo_env_trl.asynchronous.worker import RolloutWorker
from grpo_env_trl.bridges.batch import Batch
from grpo_env_trl.bridges.batch_player import STOP_AFTER
from grpo_env_trl.bridges.dataset import check_list_of_one, shows_images, training_rows
from grpo_env_trl.bridges.mixture import Member
from grpo_env_trl.bridges.mixture_data import mixture_dataset
from grpo_env_trl.bridges.mixture_kwargs import players_together
from grpo_env_trl.bridges.state import moving_weights
from grpo_env_trl.bridges.trainer_kwargs import begin_weights_anew, check_template, renderer_for
from grpo_env_trl.env_weights import EnvShare, loaded_shares, shares_in
from grpo_env_trl.settings.servers import base_url
from grpo_env_trl.trl_async import sampling_of
from grpo_env_trl.writers.vllm_server import ServerTurns
from grpo_env_trl.writers.vllm_servers import VLLMServers
from grpo_env_trl.writers.writer import TurnServer


@suggesting_names
def async_trainer_kwargs(
    env: Any,
    tokenizer: Any,
    *,
    args: Any,
    source: TurnServer | None = None,
    config: dict[str, Any] | None = None,
    rewards: Sequence[Any] = (),
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
    """The arguments of `AsyncGRPOTrainer(model=..., **kwargs)` to train on an environment while its episodes go on.

    Args:
        env: A name, class, instance, or what `load` gave; `config` and `rewards` go to it. Several are a list, or a
            mapping from them to weights; `config` has their configs by name then.
        args: An `AsyncGRPOConfig`.
        source: Who samples turns from the newest weights that the trainer has sent; the default is the vLLM server
            at `args.vllm_server_base_url`.

    The others are those of `trainer_kwargs`.
    """
    trl_facts.silence_known_warnings()
    rows = rows_asked(rows)
    several = isinstance(env, Sequence | Mapping) and not isinstance(env, str)
    shares = shares_in(env, config) if several else (EnvShare(env, config=config or {}),)
    check_list_of_one(rows, len(shares))
    envs = loaded_shares(shares, user, pool, rewards=rewards, tokenizer=tokenizer)
    parts = [(one, training_rows(one, eval_rows, rows)) for one in envs]
    weights = [share.weight for share in shares]
    for part in parts:
        check_fits(*part)
    check_weights(weights, args)
    check_template(tokenizer)
    for one in envs:
        begin_weights_anew(one)
    named = {one.spec.id: train for one, train in parts}
    players = players_together(
        [(one, [train]) for one, train in parts], limits or Limits(), tokenizer, stop_after,
        seen or (lambda batch: None), alone=True,
    )  # fmt: skip
    worker = RolloutWorker(
        [Member(player, renderer_for(player.loaded, tokenizer, args, "rollout")) for player in players],
        Groups([*named.values()], [*named], weights, args), args,
        partial(_server_turns, args, max_turn_tokens) if source is None else lambda ends, version: source,
        max_turn_tokens,
    )  # fmt: skip
    return {
        "args": args,
        "processing_class": tokenizer,
        "train_dataset": mixture_dataset(named),
        "rollout_worker": worker,
        "callbacks": [AsyncState(worker), *([NoEarlierAdapters()] if source is None else []), *callbacks],
    }


def _server_turns(
    args: Any, max_turn_tokens: int | None, ends: Sequence[int], version: Callable[[], int]
) -> TurnServer:
    servers = VLLMServers([base_url(args.vllm_server_base_url)])
    adapter = (lambda: adapter_of(version())) if newest_adapter(servers.all[0].served) else str
    return ServerTurns(servers, max_turn_tokens, sampling_of(args, ends), args.vllm_server_timeout, adapter)


def check_fits(loaded: LoadedEnv, rows: Any) -> None:
    """Raise for what an asynchronous training cannot do."""
    name, instead = loaded.spec.id, "Train with GRPOTrainer: leave out --trainer async."
    if loaded.traits.uses_model:
        raise UsageError(f"{name} scores with the model (uses_model), which trains meanwhile.", instead)
    if shows_images(rows):
        raise UsageError(f"{name} shows images, which the asynchronous trainer cannot take.", instead)
    if ranks.started_together() > 1 and moving_weights(loaded.description):
        raise UsageError(f"{name} has weights that move, which only one process can train asynchronously.", instead)
