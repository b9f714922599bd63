"""Whether several environments go together: their rows and their scores in one batch."""

from collections.abc import Iterator

from grpo_env_trl.bridges.choosing import check_mixing_bridge
from grpo_env_trl.preflight.planned_training import PlannedTraining
from grpo_env_trl.preflight.problem import Problem


def problems(planned: PlannedTraining) -> Iterator[Problem]:
    """What is wrong with the mixture itself."""
    setup = planned.setup
    if not setup.several:
        return
    check_mixing_bridge(setup.settings.bridge)
    if setup.settings.trainer == "async":  # it compares within a group, and its steps have no batch of prompts
        return
    args = setup.args
    if args.scale_rewards == "batch":
        yield Problem(
            "--scale-rewards batch divides by the spread of the whole batch, and the scores of different environments "
            "are not of one scale.",
            "Use --scale-rewards group.",
            fatal=False,
        )
    prompts, count = args.generation_batch_size // args.num_generations, len(setup.envs)
    if prompts < count:
        yield Problem(
            f"A batch has {prompts} prompt{'s' * (prompts != 1)}, fewer than the {count} environments: a step "
            "trains on some of them only.",
            "Use a larger --per-device-train-batch-size, or smaller --num-generations.",
            fatal=False,
        )
    total = sum(env.weight.mean for env in setup.envs)
    for env in setup.envs:
        share = prompts * env.weight.mean / total
        if share > len(env.rows):
            rows = "1 row" if len(env.rows) == 1 else f"{len(env.rows)} rows"
            yield Problem(
                f"{env.name} has {rows} to train on, and about {share:.0f} of its prompts are in every "
                "batch, so rows come several times in one.",
                "Build more rows, or give it less weight.",
                fatal=False,
            )
