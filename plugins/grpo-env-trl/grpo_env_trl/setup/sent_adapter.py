"""The adapter of an asynchronous training, which vLLM servers get instead of weights where they can serve it."""

from grpo_env_trl.setup.preparing import TrainingSetup
from grpo_env_trl.trl_async import adapters_held, server_rank


def sends_adapter(setup: TrainingSetup) -> bool:
    """Whether an asynchronous training has an adapter that vLLM can serve; TRL decides when the model is loaded."""
    args = setup.model_args
    return (
        setup.settings.trainer == "async"
        and bool(args.use_peft)
        and not (args.use_dora or args.lora_modules_to_save or args.lora_target_parameters)
        and server_rank(args.lora_r) is not None
    )


def adapter_words(setup: TrainingSetup) -> list[str]:
    """The words of a server's command that let it take them; none where it gets weights."""
    if not sends_adapter(setup):
        return []
    rank, held = server_rank(setup.model_args.lora_r), adapters_held(setup.async_args)
    return ["--enable-lora", "--max-lora-rank", str(rank), "--max-loras", str(held)]
