"""The `rollout` bridge: TRL's `rollout_func`, which plays whole episodes and returns exactly the sampled tokens."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grpo_env_sdk import Episode
from grpo_env_trl import ranks, trl_batching, trl_facts
from grpo_env_trl.bridges.batch_player import BatchPlayer, jobs_of
from grpo_env_trl.bridges.dataset import row_of
from grpo_env_trl.tokens.rendering import Renderer
from grpo_env_trl.tokens.segments import Segments
from grpo_env_trl.tokens.transcript import TokenTranscript
from grpo_env_trl.writers.choosing import writer_for
from grpo_env_trl.writers.token_policy import TokenPolicy


@dataclass
class RolloutBridge:
    """Called by TRL with a batch of prompts; the episodes' records come back as the column `episode`."""

    player: BatchPlayer
    renderer: Renderer
    max_turn_tokens: int | None = None

    def __call__(self, prompts: Sequence[Any], trainer: Any) -> dict[str, list[Any]]:
        """The tokens of every episode, which of them the model sampled, and the episodes' records."""
        self.renderer.end_turns_with(trainer.eos_token_ids)
        self.player.lend_to_scorers(trainer.model)
        training, step = bool(trainer.model.training), int(trainer.state.global_step)
        jobs = jobs_of([row_of(prompt) for prompt in prompts])
        filler = [next(iter(self.renderer.eos_ids))]
        writer = writer_for(trainer, self.player.loop.loop, filler, self.max_turn_tokens, self.player.lent)
        policy = TokenPolicy(
            writer, self.renderer, jobs, trainer.max_completion_length, trl_facts.context_length(trainer),
            self.max_turn_tokens, seed=f"{trainer.args.seed}/{step}/{ranks.rank()}",
        )  # fmt: skip
        episodes = self.player.play(jobs, policy, training, writer=writer, step=step)
        trained = segments_to_train(policy.episodes, episodes, f"{trainer.args.seed}/{step}")
        return token_columns(trained, episodes, next(iter(self.renderer.eos_ids)), has_logprobs(trainer))

    def episodes(self, given: Mapping[str, Any]) -> list[Episode]:
        """The records of the batch that a reward function is called for."""
        return given["episode"]  # type: ignore[no-any-return]  # the column that came back above


def segments_to_train(tokens: Sequence[Segments], episodes: Sequence[Episode], seed: str) -> list[TokenTranscript]:
    """The one segment of each episode that is trained: TRL takes one sequence for each prompt."""
    return [_drawn(*each, seed) for each in zip(tokens, episodes, strict=True)]


def token_columns(
    transcripts: Sequence[TokenTranscript], episodes: list[Episode], nothing: int, sampler_has_logprobs: bool
) -> dict[str, list[Any]]:
    """What TRL takes; `nothing` is put where there are no tokens, as TRL looks at the last one of each completion.

    Where the sampler has log-probabilities, a batch in which nothing was sampled has them too: other processes' do.
    """
    columns: dict[str, list[Any]] = {name: [] for name in ("prompt_ids", "completion_ids", "env_mask", "logprobs")}
    for tokens in transcripts:
        columns["prompt_ids"].append(tokens.prompt_ids or [nothing])
        columns["completion_ids"].append(tokens.completion_ids or [nothing])
        columns["env_mask"].append(tokens.sampled or [0])
        columns["logprobs"].append(tokens.logprobs if tokens.completion_ids else [0.0])
    given = sampler_has_logprobs or any(one.logprobs for one in transcripts)
    known = given and all(found is not None for found in columns["logprobs"])
    return {**columns, "logprobs": columns["logprobs"] if known else None, "episode": episodes}  # type: ignore[dict-item]  # TRL takes None


def has_logprobs(trainer: Any) -> bool:
    """Whether whoever samples gives log-probabilities for every batch."""
    return bool(getattr(trainer, "use_vllm", False)) or trl_batching.samples_alone(trainer)


def _drawn(tokens: Segments, episode: Episode, seed: str) -> TokenTranscript:
    written = [segment for segment in tokens.all if segment.completion_ids]
    if not written:  # it failed before its first turn
        return tokens.all[0] if tokens.all else tokens.begin()
    return random.Random(f"{seed}/{episode.row_index}/{episode.sample}").choice(written)
