"""Which row of which environment the groups of an asynchronous training play, by their number."""

from collections.abc import Sequence
from itertools import count
from typing import Any

from grpo_env_sdk.ext import Rows, UsageError
from grpo_env_trl import ranks
from grpo_env_trl.bridges.mixture_draws import draws
from grpo_env_trl.env_weights import Weight


class Groups:
    """Every group, from 0 on without end; the seed alone decides, so that a resumed training knows them again."""

    def __init__(self, rows: Sequence[Rows], names: Sequence[str], weights: Sequence[Weight], args: Any) -> None:
        self._rows = rows
        trained = args.per_device_train_batch_size * ranks.started_together() * args.gradient_accumulation_steps
        steps = (number * args.num_generations // trained for number in count())
        self._draws = draws([len(one) for one in rows], names, weights, steps, args.seed)
        self._drawn: list[tuple[int, int]] = []

    def of(self, number: int) -> tuple[int, int]:
        """The place of the group's environment, and the index of its row."""
        while len(self._drawn) <= number:
            self._drawn.append(next(self._draws))
        which, place = self._drawn[number]
        return which, self._rows[which].indices[place]


def check_weights(weights: Sequence[Weight], args: Any) -> None:
    """Raise for weights that count steps where a step has no fixed number of episodes."""
    moving = next((weight for weight in weights if len(weight.points) > 1), None)
    if moving and args.token_budget != 0:
        raise UsageError(
            f"The weight {moving} counts steps, and a step of the asynchronous trainer has as many episodes as fit.",
            "Give a number, or let every step have the same number of episodes: --token-budget 0.",
        )
