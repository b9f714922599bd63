"""The `native` bridge: TRL generates, and the completions of one turn are scored as episodes."""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from grpo_env_sdk.rollout.episode import Event, Exhausted, Generated
from grpo_env_sdk.types import Episode, Turn
from grpo_env_trl.bridges.dataset import ROW
from grpo_env_trl.bridges.stage import LiveRollout, Stage


@dataclass
class NativeBridge:
    """Scores a batch when the first reward function asks for it, and keeps the records for the others."""

    stage: Stage
    model: Any = None
    _ends: set[int] = field(default_factory=set, repr=False)
    _of: Any = field(default=None, repr=False)
    _episodes: list[Episode] = field(default_factory=list)

    def hold(self, model: Any, tokenizer: Any) -> None:
        """Take the model that scorers are handed, and the tokens that end what it writes."""
        self.model = self.stage.lendable(model)
        ends = model.generation_config.eos_token_id
        tokenizer = getattr(tokenizer, "tokenizer", tokenizer)
        self._ends = {tokenizer.eos_token_id, *(ends if isinstance(ends, list) else [ends])}

    def episodes(self, given: Mapping[str, Any]) -> list[Episode]:
        """The records of the batch that a reward function was handed."""
        if given["completions"] is not self._of:
            self._episodes = self._score(given)
            self._of = given["completions"]
        return self._episodes

    @property
    def training(self) -> bool:
        """Whether the model is in training now, or evaluated."""
        return bool(getattr(self.model, "training", True))

    def _score(self, given: Mapping[str, Any]) -> list[Episode]:
        started = time.perf_counter()
        training = self.training
        rollouts = self.stage.begin(given[ROW], self.model, training)
        self._prepare(rollouts, given)
        said = zip(given["completions"], given["completion_ids"], strict=True)
        events = [iter(self._events(completion, ids)) for completion, ids in said]
        moves: list[tuple[LiveRollout, Event | None]] = [(rollout, None) for rollout in rollouts]
        while moves:
            self.stage.advance(moves, self.model)
            left = zip(rollouts, events, strict=True)
            moves = [(rollout, next(event, Exhausted())) for rollout, event in left if rollout.waiting]
        seconds = time.perf_counter() - started
        return self.stage.end(rollouts, training, 0.0, seconds, int(given["trainer_state"].global_step))

    def _prepare(self, rollouts: Sequence[LiveRollout], given: Mapping[str, Any]) -> None:
        """For bridges whose episodes were played by somebody else."""

    def _events(self, completion: Any, ids: list[int]) -> Iterable[Event]:
        """What an episode is fed, turn by turn."""
        return [Generated(self._turn(completion, ids))]

    def _turn(self, completion: Any, ids: list[int]) -> Turn:
        message = {"role": "assistant", "content": completion} if isinstance(completion, str) else completion[-1]
        ended = bool(ids) and ids[-1] in self._ends
        return Turn(message, "stop" if ended else "length", completion_tokens=len(ids), token_ids=list(ids))
