"""Whether the model sees what the environment shows: images in prompts, and none later."""

from collections.abc import Iterator

from grpo_env_sdk.ext import images_in
from grpo_env_trl.preflight.planned_training import PlannedTraining
from grpo_env_trl.preflight.problem import Problem


def problems(planned: PlannedTraining) -> Iterator[Problem]:
    """Images that the model would not see; raises where it sees none at all."""
    setup = planned.setup
    _ = setup.processor  # raises where the rows show images and the model sees none
    if any(images_in(episode.completion) for episode in (*planned.random, *planned.gold)):
        yield Problem(
            f"{planned.loaded.spec.id} shows images in later observations, which cannot be trained on.",
            "TRL takes images from the prompts of one-turn environments alone; eval plays this one.",
        )
