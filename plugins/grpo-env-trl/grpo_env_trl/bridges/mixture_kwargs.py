"""The arguments of `GRPOTrainer` for several environments."""

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from grpo_env_sdk import Limits
from grpo_env_sdk.ext import LoadedEnv, Rows
from grpo_env_trl.bridges.batch import Batch
from grpo_env_trl.bridges.batch_player import BatchPlayer
from grpo_env_trl.bridges.columns import reward_columns, score_column
from grpo_env_trl.bridges.mixture import Member, MixtureBridge
from grpo_env_trl.bridges.mixture_data import mixture_dataset
from grpo_env_trl.bridges.mixture_draws import DrawCounts, drawn, steps_of
from grpo_env_trl.bridges.own_rewards import OwnRewards
from grpo_env_trl.env_weights import Weight, env_folder
from grpo_env_trl.tokens.rendering import Renderer


@dataclass(frozen=True)
class MixturePart:
    """One environment of a mixture, ready to be trained on."""

    loaded: LoadedEnv
    weight: Weight
    train: Rows
    test: Rows
    renderer: Renderer


def mixture_kwargs(
    parts: Sequence[MixturePart], tokenizer: Any, args: Any, own: OwnRewards, *, limits: Limits,
    max_turn_tokens: int | None, seen: Callable[[Batch], None], stop_after: int, callbacks: Sequence[Any],
) -> dict[str, Any]:  # fmt: skip
    """What `trainer_kwargs` returns, for several environments: one dataset, drawn beforehand, and one bridge."""
    players = players_together(
        [(part.loaded, [part.train, part.test]) for part in parts], limits, tokenizer, stop_after
    )
    members = [Member(player, part.renderer) for player, part in zip(players, parts, strict=True)]
    bridge = MixtureBridge(members, max_turn_tokens, seen)
    columns, weights = _columns(bridge, args)
    given = planned_arguments(args, parts)
    given.reward_weights = [*weights, *own.weights]
    tests = {part.loaded.spec.id: part.test for part in parts}
    return {
        "args": given,
        "processing_class": tokenizer,
        "train_dataset": _drawn_dataset(parts, given, args.shuffle_dataset),
        "eval_dataset": mixture_dataset(tests) if any(map(len, tests.values())) else None,
        "callbacks": [*_callbacks(members), *callbacks],
        "rollout_func": bridge,
        **own.beside(columns, bridge.episodes, lambda: bridge.last),
    }


def players_together(
    envs: Sequence[tuple[LoadedEnv, Sequence[Rows]]], limits: Limits, tokenizer: Any, stop_after: int,
    seen: Callable[[Batch], None] = lambda batch: None, alone: bool = False,
) -> list[BatchPlayer]:  # fmt: skip
    """A player for each environment with its rows; their episodes live in one event loop.

    `alone` is whether this process plays all episodes of the training.
    """
    players: list[BatchPlayer] = []
    for loaded, rows in envs:
        loop = players[0].loop if players else None
        mixed = len(envs) > 1
        players.append(BatchPlayer(loaded, rows, limits, tokenizer, stop_after, seen, loop, mixed, alone))
    return players


def planned_arguments(args: Any, parts: Sequence[MixturePart]) -> Any:
    """A copy of the arguments with the number of steps, and without TRL's shuffling: rows are drawn beforehand."""
    made = copy.copy(args)
    made.shuffle_dataset = False
    made.max_steps = steps_of(args, _rows_in(parts), args.world_size)
    return made


def _drawn_dataset(parts: Sequence[MixturePart], args: Any, shuffle: bool) -> Any:
    names = [part.loaded.spec.id for part in parts]
    order = drawn(
        [len(part.train) for part in parts], names, [part.weight for part in parts],
        DrawCounts.of(args, _rows_in(parts), args.world_size), args.seed if shuffle else None,
    )  # fmt: skip
    return mixture_dataset(dict(zip(names, (part.train for part in parts), strict=True))).select(order)


def _rows_in(parts: Sequence[MixturePart]) -> int:
    return sum(len(part.train) for part in parts)


def _columns(bridge: MixtureBridge, args: Any) -> tuple[list[Any], list[float]]:
    """The column of the score; where parts are normalised by themselves, those of each environment count instead."""
    score = score_column(bridge.episodes, bridge.metrics)
    if args.multi_objective_aggregation != "normalize_then_sum":
        return [score], [1.0]
    functions, weights = [score], [0.0]
    for member in bridge.members:
        rule = member.player.loaded.description.score_rule
        for column, weight in zip(*reward_columns(rule, True, bridge.episodes, dict), strict=True):
            if weight:
                functions.append(_of_one(column, member.name, bridge))
                weights.append(weight)
    return functions, weights


def _of_one(column: Any, name: str, bridge: MixtureBridge) -> Any:
    """A column of one environment: the episodes of the others abstain."""

    def of_one(**given: Any) -> list[float | None]:
        values = zip(column(**given), bridge.episodes(given), strict=True)
        return [value if episode.env == name else None for value, episode in values]

    of_one.__name__ = of_one.__qualname__ = f"{name}/{column.__name__}"
    return of_one


def players_by_folder(members: Sequence[Member]) -> dict[str, BatchPlayer]:
    """The players by the folder of their state in a checkpoint, which is one of its own where there are several."""
    if len(members) == 1:
        return {".": members[0].player}
    return {f"environments/{env_folder(member.name)}": member.player for member in members}


def _callbacks(members: Sequence[Member]) -> list[Any]:
    from grpo_env_trl.bridges.callbacks import EnvironmentState
    from grpo_env_trl.bridges.logp_difference import LogpDifference

    return [EnvironmentState(players_by_folder(members)), LogpDifference()]
