"""An environment for episodes beside the training."""

import copy
from contextlib import suppress
from dataclasses import replace

from grpo_env_sdk.envs.loading import LoadedEnv


def apart(loaded: LoadedEnv) -> LoadedEnv:
    """The environment with an instance of its own, so that the one that is trained on keeps no trace of this."""
    traits = replace(loaded.traits, uses_model=False)  # what these episodes score is of no account
    env = loaded.env
    if traits.instances == "shared":
        with suppress(Exception):  # what cannot be copied is shared
            env = copy.deepcopy(env)
    return replace(loaded, env=env, description=replace(loaded.description, traits=traits))
