"""Whether the rewards from outside the environment can be called: their arguments, packages and models."""

import inspect
from collections.abc import Iterator, Sequence
from importlib.util import find_spec

from grpo_env_sdk import GrpoEnvError
from grpo_env_sdk.ext import TRL_ARGUMENTS, asked_for, did_you_mean, of_trl
from grpo_env_trl.outside_rewards.calling import is_ready, name_of
from grpo_env_trl.outside_rewards.models import tokenizer_of
from grpo_env_trl.outside_rewards.outside_reward import OutsideReward
from grpo_env_trl.preflight.planned_training import PlannedTraining
from grpo_env_trl.preflight.problem import Problem

_HELD_BACK = ("prompt", "completion", "completion_ids")
"""Columns that TRL gives to no reward function under their name."""
_OF_BRIDGES = {"rollout": ("episode",), "environment_factory": ("environments",)}
"""What reward functions get beside columns, by bridge."""
_VARIABLE = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def problems(planned: PlannedTraining) -> Iterator[Problem]:
    """Every reward function that asks for what it does not get, and every reward model that cannot be used."""
    setup = planned.setup
    of_rows = dict.fromkeys(name for env in setup.envs for name in env.rows.columns)
    columns = [*of_rows, *_OF_BRIDGES.get(planned.bridge, ())]
    for reward in setup.outside:
        try:
            if reward.kind == "model":
                yield from _of_model(reward, planned)
            elif is_ready(reward.thing):
                reward.thing.check(columns)
            else:
                yield from _of_function(reward, [name for name in columns if name not in _HELD_BACK])
        except GrpoEnvError as exc:
            yield Problem(exc.message, exc.hint)


def _of_function(reward: OutsideReward, columns: Sequence[str]) -> Iterator[Problem]:
    name = name_of(reward.thing)
    if of_trl(reward.thing) and ("accuracy" in name or "cosine" in name) and find_spec("math_verify") is None:
        yield Problem(f"{name} of TRL needs the package math-verify.", "pip install 'grpo-env-sdk[math]'")
    for asked, parameter in asked_for(reward.thing).items():
        given = asked in TRL_ARGUMENTS or asked in columns or parameter.default is not parameter.empty
        if not given and parameter.kind not in _VARIABLE:
            yield Problem(
                f"The reward function {name!r} asks for {asked!r}, which is not a column.",
                f"{did_you_mean(asked, columns)} The columns are {', '.join(columns)}.".strip(),
            )


def _of_model(reward: OutsideReward, planned: PlannedTraining) -> Iterator[Problem]:
    tokenizer = tokenizer_of(reward, trust_remote_code=planned.setup.trusts_code)
    chat = planned.rows.chat or bool(getattr(planned.setup.tokenizer, "chat_template", None))
    if chat and not tokenizer.chat_template:
        yield Problem(
            f"The tokenizer of the reward model {name_of(reward.thing)!r} has no chat template, and the prompts are "
            "messages.",
            "Set tokenizer.chat_template and save it with the model.",
        )
