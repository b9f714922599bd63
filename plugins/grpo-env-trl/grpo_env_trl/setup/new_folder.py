"""The folder of a new training that nobody named."""

from grpo_env_sdk.ext import take_folder
from grpo_env_trl import ranks
from grpo_env_trl.setup.preparing import TrainingSetup


def take_new_folder(setup: TrainingSetup) -> None:
    """Create it, under another name where another training has begun in the same second."""
    if not (setup.settings.resume or setup.settings.out):
        setup.folder = setup.folder.with_name(ranks.from_first(lambda: take_folder(setup.folder).name))
        setup.args.output_dir = str(setup.folder / "checkpoints")
