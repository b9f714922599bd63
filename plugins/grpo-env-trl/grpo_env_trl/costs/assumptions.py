"""What a plan takes for granted, in sentences."""

from typing import Any

from grpo_env_trl.costs.episode_costs import EpisodeCosts
from grpo_env_trl.costs.placement import Placement
from grpo_env_trl.costs.rehearsal import Rehearsed
from grpo_env_trl.costs.step_sizes import StepSizes


def assumptions_of(
    episode: EpisodeCosts, found: Rehearsed | None, sizes: StepSizes, placement: Placement, args: Any, generated: bool
) -> list[str]:
    """Every assumption that matters for this plan; `generated` says that TRL's generation was measured."""
    fewest = min((len(batch.lengths) for batch in found.batches), default=0) if found else 0
    several = sizes.processes > 1
    notes = [
        (True, f"Episodes stay as long as those of {episode.source}, and prompts no longer than {episode.prompt:,} "
               f"tokens; a completion ends at {args.max_completion_length:,}."),
        (episode.failed > 0, f"{episode.failed} of {episode.episodes} episodes failed, such as with: "
                             f"{episode.failure}"),
        (0 < fewest < sizes.batch, f"A process plays {sizes.batch} episodes at once, and {fewest} were measured: the "
                                   "seconds are between those of so few, and as many times more."),
        (placement.served and generated, "vLLM servers sample; measured is TRL's own generation in this "
                                                 "process, which is slower."),
        (several and found is not None, "Every process has a device like this one; what they wait for each other is "
                                        "not in it."),
        (several and found is not None and found.device == "cpu" and placement.local > 1,
         "Processes of one machine share its cores: the upper ends are for cores that one process keeps busy."),
        (found is not None, "Starting, loading and saving checkpoints are not in it."),
    ]  # fmt: skip
    return [sentence for matters, sentence in notes if matters]
