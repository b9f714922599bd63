"""`grpo-env llm --train`: `grpo-env train` under the name that it has in scripts for aitraining."""

import warnings
from collections.abc import Sequence

from grpo_env_sdk import GrpoEnvWarning
from grpo_env_sdk.ext import UsageError
from grpo_env_trl import train_command

_TRAIN = "--train"
_NOTE = "`grpo-env llm --train` is `grpo-env train` here: the same flags, without `llm --train`."


def run(argv: Sequence[str]) -> int:
    """Train; a note says what the command is called here."""
    rest = [word for word in argv if word != _TRAIN]
    if "--help" not in rest and "-h" not in rest and "--help-all" not in rest:
        if len(rest) == len(argv):
            raise UsageError("`grpo-env llm` only trains.", "Add --train, or use `grpo-env train`.")
        warnings.warn(_NOTE, GrpoEnvWarning, stacklevel=2)
    return train_command.run(rest)
