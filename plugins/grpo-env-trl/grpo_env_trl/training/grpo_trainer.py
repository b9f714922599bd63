"""TRL's `GRPOTrainer` of `grpo-env train`."""

import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from safetensors import SafetensorError

from grpo_env_sdk import GrpoEnvError
from grpo_env_sdk.ext import UsageError, one_line
from grpo_env_trl import trl_facts
from grpo_env_trl.bridges.batch import Batch
from grpo_env_trl.bridges.trainer_kwargs import trainer_kwargs
from grpo_env_trl.env_weights import EnvShare
from grpo_env_trl.outside_rewards.models import opened
from grpo_env_trl.setup.preparing import TrainingSetup
from grpo_env_trl.training.trainable_model import trainable_model
from grpo_env_trl.writers.vllm_servers import servers_of


def grpo_trainer(setup: TrainingSetup, callbacks: Sequence[Any], seen: Callable[[Batch], None]) -> Any:
    """The trainer with the model loaded; `seen` gets every batch of episodes."""
    from trl import GRPOTrainer

    settings = setup.settings
    rewards = [opened(reward, trust_remote_code=setup.trusts_code) for reward in setup.outside]
    kwargs = trainer_kwargs(
        environments(setup), setup.processor or setup.tokenizer, args=setup.args, bridge=settings.bridge,
        callbacks=callbacks, limits=settings.limits, max_turn_tokens=setup.max_turn_tokens, rows=settings.rows,
        eval_rows=settings.eval_rows, seen=seen, reward_funcs=[reward for reward, _ in rewards],
        reward_weights=[one.weight for one in setup.outside],
        reward_processing_classes=[tokenizer for _, tokenizer in rewards],
    )  # fmt: skip
    trainer = GRPOTrainer(**trainable_model(setup, kwargs["args"]), **kwargs)
    if trl_facts.samples_on_server(trainer):
        servers_of(trainer, setup.server_urls)
    return trainer


@contextmanager
def trl_errors() -> Iterator[None]:
    """Report in one line what TRL, or a library below it, raises when a trainer is created; not our own bugs."""
    try:
        yield
    except GrpoEnvError:
        raise
    except Exception as exc:
        if not isinstance(exc, ValueError | ImportError | OSError | RuntimeError) and _is_of_this_package(exc):
            raise
        what, hint = one_line(exc).rstrip("."), "Correct what it names."
        if isinstance(exc, SafetensorError):
            hint = "Was a download or a copy of the model interrupted? Then download it again."
        elif not isinstance(exc, ValueError | ImportError | OSError | RuntimeError):
            what = f"{type(exc).__name__}: {what}"
        raise UsageError(f"TRL cannot train this: {what}.", hint) from exc


def _is_of_this_package(exc: Exception) -> bool:
    """Whether our own code has raised it, not a library that it called."""
    frames = [frame for frame, _ in traceback.walk_tb(exc.__traceback__)]
    return bool(frames) and str(frames[-1].f_globals.get("__name__")).startswith("grpo_env")


def environments(setup: TrainingSetup) -> Any:
    """What the arguments of a trainer are made for: an environment, or several with their weights."""
    return [EnvShare(env.loaded, env.weight) for env in setup.envs] if setup.several else setup.loaded
