"""The `native` bridge: TRL generates, and the completions of one turn are scored as episodes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from grpo_env_sdk import Episode, Turn
from grpo_env_sdk.ext import HostFactory, Job, NoRoomError, Request
from grpo_env_trl.bridges.batch_player import BatchPlayer, jobs_of
from grpo_env_trl.bridges.dataset import ROW
from grpo_env_trl.tokens.tokenizers import end_ids
from grpo_env_trl.writers.token_policy import errors_end_the_run


class GeneratedTurns:
    """The policy of episodes whose turns TRL has generated already, one iterator of turns for each job."""

    name = "TRL"

    def __init__(self, jobs: Sequence[Job], turns: Iterable[Iterator[Turn]]) -> None:
        self._turns = {(job.row_index, job.sample): made for job, made in zip(jobs, turns, strict=True)}

    async def respond(self, request: Request) -> Turn:
        """The next generated turn; `NoRoomError` where TRL ended the episode."""
        with errors_end_the_run():
            turn = next(self._turns[request.row_index, request.sample], None)
        if turn is None:
            raise NoRoomError("TRL generated no further turn.")
        return turn


@dataclass
class NativeBridge:
    """Scores a batch when the first reward function asks for it, and keeps the records for the others."""

    player: BatchPlayer
    model: Any = None
    _ends: set[int] = field(default_factory=set, repr=False)
    _of: Any = field(default=None, repr=False)
    _episodes: list[Episode] = field(default_factory=list)

    def hold(self, model: Any, tokenizer: Any) -> None:
        """Take the model that scorers are given, and the tokens that end what it writes."""
        self.model = model
        self.player.lend_to_scorers(model)
        tokenizer = getattr(tokenizer, "tokenizer", tokenizer)
        self._ends = {tokenizer.eos_token_id, *end_ids(model.generation_config.eos_token_id)}

    def episodes(self, given: Mapping[str, Any]) -> list[Episode]:
        """The records of the batch that a reward function is called for."""
        if given["completions"] is not self._of:
            self._episodes = self._score(given)
            self._of = given["completions"]
        return self._episodes

    def _score(self, given: Mapping[str, Any]) -> list[Episode]:
        jobs = jobs_of(given[ROW])
        generated = zip(given["completions"], given["completion_ids"], strict=True)
        policy = GeneratedTurns(jobs, [iter(self._turns(completion, ids)) for completion, ids in generated])
        training, step = bool(getattr(self.model, "training", True)), int(given["trainer_state"].global_step)
        return self.player.play(jobs, policy, training, hosts=self._hosts(jobs, given), step=step)

    def _hosts(self, jobs: Sequence[Job], given: Mapping[str, Any]) -> HostFactory:
        """The hosts of the batch."""
        return self.player.hosts

    def _turns(self, completion: Any, ids: list[int]) -> Iterable[Turn]:
        """What TRL generated for one episode, turn by turn."""
        return [self._turn(completion, ids)]

    def _turn(self, completion: Any, ids: list[int]) -> Turn:
        message = {"role": "assistant", "content": completion} if isinstance(completion, str) else completion[-1]
        ended = bool(ids) and ids[-1] in self._ends
        return Turn(message, "stop" if ended else "length", completion_tokens=len(ids), token_ids=list(ids))
