"""Several environments under one trainer: the episodes of a batch are played at once, each by its own environment."""

import asyncio
import time
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from grpo_env_sdk import Episode
from grpo_env_trl import ranks, trl_facts
from grpo_env_trl.bridges.batch import Batch
from grpo_env_trl.bridges.batch_player import BatchPlayer, jobs_of
from grpo_env_trl.bridges.mixture_data import columns_of, env_and_row_of
from grpo_env_trl.bridges.mixture_metrics import metrics_of_envs, tally_of_all
from grpo_env_trl.bridges.rollout import has_logprobs, segments_to_train, token_columns
from grpo_env_trl.tokens.rendering import Renderer
from grpo_env_trl.writers.choosing import writer_for
from grpo_env_trl.writers.shares import SharedWriter
from grpo_env_trl.writers.token_policy import TokenPolicy
from grpo_env_trl.writers.writer import Writer


@dataclass
class Member:
    """One environment of a mixture: who plays it, how its messages become tokens, and its part of the last batch."""

    player: BatchPlayer
    renderer: Renderer
    places: list[int] = field(default_factory=list)
    """Where its episodes are in the batch of this process."""

    @property
    def name(self) -> str:
        """The id of the environment."""
        return self.player.loaded.spec.id


@dataclass
class MixtureBridge:
    """TRL's `rollout_func` for several environments; every process has all of them, and plays its part of a batch."""

    members: Sequence[Member]
    max_turn_tokens: int | None = None
    seen: Any = None
    last: Batch | None = None

    def __post_init__(self) -> None:
        self._columns = columns_of([member.player.rows[0] for member in self.members])

    def __call__(self, prompts: Sequence[Any], trainer: Any) -> dict[str, list[Any]]:
        """The tokens of every episode, which of them the model sampled, the records, and the columns of the rows."""
        trl_facts.leave_out_nan(trainer)
        started = time.perf_counter()
        found = [env_and_row_of(prompt) for prompt in prompts]
        writer = self._writer(trainer)
        policies, playing = self._begun(found, writer, trainer)
        first = self.members[0].player
        played = writer.pump(lambda: first.loop.submit(_together(playing)))
        episodes = _in_place(zip((member.places for member in self.members), played, strict=True), len(prompts))
        training, step = bool(trainer.model.training), int(trainer.state.global_step)
        spent = time.perf_counter() - started
        for member, part in zip(self.members, played, strict=True):
            member.player.ended(part, training, step)
        segments = [(member.places, policy.episodes) for member, policy in zip(self.members, policies, strict=True)]
        trained = segments_to_train(_in_place(segments, len(prompts)), episodes, f"{trainer.args.seed}/{step}")
        tokens = token_columns(trained, episodes, first_eos(self.members), has_logprobs(trainer))
        self.last = Batch(episodes, training, step, writer.figures, spent)
        if self.seen:
            self.seen(self.last)
        columns = {name: [episode.row.get(name) for episode in episodes] for name in self._columns}
        return {**columns, **tokens}

    def episodes(self, given: Mapping[str, Any]) -> list[Episode]:
        """The records of the batch that a reward function is called for."""
        return given["episode"]  # type: ignore[no-any-return]  # the column that came back above

    def metrics(self) -> dict[str, float]:
        """The metrics of the last batch and of each environment; every process must call this for every batch."""
        assert self.last is not None
        logged = self.last.metrics(tally_of_all(self.last.episodes))
        whole = {name: value for name, value in logged.items() if not name.startswith("env/")}
        played = {member.name: [self.last.episodes[place] for place in member.places] for member in self.members}
        moved = {
            f"env/{member.name}/{name}": value
            for member in self.members
            for name, value in (member.player.last.extra if member.player.last else {}).items()
        }
        return {**whole, **metrics_of_envs(played), **moved}

    def _writer(self, trainer: Any) -> Writer:
        for member in self.members:
            member.player.begin()
            member.renderer.end_turns_with(trainer.eos_token_ids)
            member.player.lend_to_scorers(trainer.model)
        first = self.members[0].player
        filler = [first_eos(self.members)]
        return writer_for(trainer, first.loop.loop, filler, self.max_turn_tokens, first.lent)

    def _begun(
        self, found: Sequence[tuple[str, int]], writer: Writer, trainer: Any
    ) -> tuple[list[TokenPolicy], list[Coroutine[Any, Any, list[Episode]]]]:
        """The policy of each environment, and the episodes that it is to play."""
        shared, policies, playing = SharedWriter(writer), [], []
        batch = f"{trainer.args.seed}/{trainer.state.global_step}/{ranks.rank()}"
        for member in self.members:
            member.places = [place for place, (name, _) in enumerate(found) if name == member.name]
            jobs = jobs_of([found[place][1] for place in member.places])
            share = shared.share(member.places)
            policy = TokenPolicy(
                share, member.renderer, jobs, trainer.max_completion_length, trl_facts.context_length(trainer),
                self.max_turn_tokens, seed=f"{batch}/{member.name}",
            )  # fmt: skip
            policies.append(policy)
            playing.append(share.until_over(
                member.player.playing(jobs, policy, bool(trainer.model.training), share.when_quiet)
            ))  # fmt: skip
        return policies, playing


def first_eos(members: Sequence[Member]) -> int:
    """A token that ends a turn."""
    return next(iter(members[0].renderer.eos_ids))


async def _together(playing: Sequence[Coroutine[Any, Any, list[Episode]]]) -> list[list[Episode]]:
    """The results of all; an error of one ends the others."""
    tasks = [asyncio.ensure_future(one) for one in playing]
    try:
        return list(await asyncio.gather(*tasks))
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _in_place(parts: Any, count: int) -> list[Any]:
    """The items of several parts, each of which has the places of its items."""
    found = dict(chain.from_iterable(zip(places, items, strict=True) for places, items in parts))
    return [found[place] for place in range(count)]
