"""Checks of `--trainer async`: what TRL's asynchronous trainer cannot do."""

from collections.abc import Iterator

from grpo_env_trl.asynchronous.async_kwargs import check_fits
from grpo_env_trl.asynchronous.groups import check_weights
from grpo_env_trl.preflight.planned_training import PlannedTraining
from grpo_env_trl.preflight.problem import Problem

_WITHOUT = "Train without --trainer async."
ZERO_3 = ("--trainer async sends whole weights, and ZeRO-3 has a part in each process.", "Use fsdp2 or ddp.")


def problems(planned: PlannedTraining) -> Iterator[Problem]:
    """Everything that was asked for and does not go with the asynchronous trainer."""
    setup, settings = planned.setup, planned.setup.settings
    if settings.trainer != "async":
        return
    if setup.source is None:
        what = "the demo model" if setup.demo else "a model that is loaded already"
        yield Problem(f"--trainer async cannot train {what}.", "Give the model that the vLLM server serves: --model M.")
    servers = len(setup.gpus.servers) if setup.gpus else len(setup.server_urls)
    if servers > 1:
        yield Problem(
            f"--trainer async samples from one vLLM server, and there are {servers}.",
            "Make it a larger one: --vllm-tensor-parallel-size, or --data-parallel-size of vllm serve.",
        )
    if setup.outside:
        yield Problem("--trainer async takes no reward functions from outside the environment.", _WITHOUT)
    if settings.bridge not in ("auto", "rollout"):
        yield Problem(f"--trainer async plays whole episodes, and the bridge is {settings.bridge}.", "Leave it out.")
    if setup.model_args.load_in_4bit or setup.model_args.load_in_8bit or setup.model_args.attn_implementation:
        yield Problem("--trainer async loads the model with attention of its own, and in full precision.", _WITHOUT)
    if getattr(getattr(setup.args, "deepspeed_plugin", None), "zero_stage", 0) == 3:
        yield Problem(*ZERO_3)
    for env in setup.envs:
        check_fits(env.loaded, env.rows)
    check_weights([env.weight for env in setup.envs], setup.async_args)
    strategy = setup.async_args.eval_strategy  # raises for what only the other trainer has
    if strategy != "no":
        yield Problem(
            f"--trainer async evaluates before and after the training alone, and --eval-strategy is {strategy.value}.",
            "Leave it out.",
        )
