"""TRL's `GRPOTrainer` of `grpo-env train`."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

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
    """Report in one line what TRL, or a library below it, raises when a trainer is created."""
    try:
        yield
    except GrpoEnvError:
        raise
    except (ValueError, ImportError, OSError, RuntimeError, TypeError) as exc:
        if isinstance(exc, TypeError) and "unexpected keyword argument" not in str(exc):
            raise  # the one that a key of model_init_kwargs leads to is no bug
        raise UsageError(f"TRL cannot train this: {one_line(exc)}", "Correct what it names.") from exc


def environments(setup: TrainingSetup) -> Any:
    """What the arguments of a trainer are made for: an environment, or several with their weights."""
    return [EnvShare(env.loaded, env.weight) for env in setup.envs] if setup.several else setup.loaded
