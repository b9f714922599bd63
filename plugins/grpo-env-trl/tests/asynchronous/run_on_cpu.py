"""A process of an asynchronous training on a CPU, as `grpo-env train` runs it where vLLM is installed.

torchrun --nproc_per_node 2 run_on_cpu.py FOLDER [ARGUMENT OF TRAIN ...]
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from asynchronous.on_cpu import train_on_cpu

from grpo_env_sdk import GrpoEnvError
from grpo_env_trl import ranks
from grpo_env_trl.setup.preparing import prepare
from grpo_env_trl.train_command import settings_of
from grpo_env_trl.training.display import Display
from grpo_env_trl.training.session import run_training


def trained(words):
    """The exit code of the command."""
    try:
        with ranks.print_once(), Display(quiet=not ranks.is_first()) as display:
            return 0 if run_training(prepare(settings_of(words)), display).finished else 130
    except GrpoEnvError as exc:
        print(f"grpo-env: {exc}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    train_on_cpu(Path(sys.argv[1]), [])
    sys.exit(trained(sys.argv[2:]))
