"""An environment for episodes outside the training."""

import copy
from contextlib import suppress
from dataclasses import replace

from grpo_env_sdk.ext import LoadedEnv


def independent_copy(loaded: LoadedEnv) -> LoadedEnv:
    """The environment with its own instance, so that these episodes do not change the one that is trained on."""
    traits = replace(loaded.traits, uses_model=False)  # the rewards of these episodes are not used
    env = loaded.env
    if traits.instances == "shared":
        with suppress(Exception):  # an instance that cannot be copied is shared
            env = copy.deepcopy(env)
    return replace(loaded, env=env, description=replace(loaded.description, traits=traits))
