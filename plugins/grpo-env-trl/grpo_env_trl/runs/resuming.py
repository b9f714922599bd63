"""What `--resume` takes from a run that somebody else wrote or changed: its settings and its checkpoint."""

import shlex
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from grpo_env_sdk import Run
from grpo_env_sdk.ext import UsageError, check_origin, is_installed, is_sealed, one_line, references_in, refuse_foreign
from grpo_env_trl.env_weights import EnvShare
from grpo_env_trl.runs.checkpoint_files import files_that_run_code
from grpo_env_trl.runs.run_folder import RunFolder
from grpo_env_trl.runs.whole_checkpoints import TRAINER_STATE
from grpo_env_trl.settings.fields import trainer_fields
from grpo_env_trl.settings.layers import ENVS, SettingValue

HARMLESS = frozenset((
    "model", "out", "json", "quiet", "bridge", "trainer", "env_pool", "eval_split", "bf16", "fp16", "tf32", "use_cpu",
    "use_peft", "load_in_4bit", "load_in_8bit", "lora_target_modules", "lora_task_type", "use_rslora", "use_dora",
    "dtype", "optim", "loss_type", "scale_rewards", "lr_scheduler_type", "importance_sampling_level",
    "multi_objective_aggregation", "save_strategy", "eval_strategy", "logging_strategy", "gradient_checkpointing",
    "disable_dropout", "disable_tqdm", "log_completions", "shuffle_dataset", "dataloader_pin_memory",
    "mask_truncated_completions", "use_adaptive_entropy", "sync_ref_model", "full_determinism",
    "use_bias_correction_kl", "rows", "rows_of", "pass_rate",
))  # fmt: skip
"""Settings whose value, whatever it is, leads to no code, file, host or account; `model` is loaded without its code."""


KEPT = (
    "trainer", "optim", "optim_args", "learning_rate", "weight_decay", "adam_beta1", "adam_beta2", "adam_epsilon",
    "use_peft", "lora_r", "lora_target_modules", "lora_modules_to_save", "use_rslora", "use_dora",
    "rows", "rows_of", "pass_rate", "eval_rows", "eval_split",
)  # fmt: skip
"""Settings that the optimizer, the weights of a checkpoint or the held-out rows before the first step have already."""


def check_kept(config: Collection[SettingValue], flags: Collection[SettingValue]) -> None:
    """Raise where flags change what a run has decided already; the same value again is no change."""
    before = {said.setting: said.value for said in config}
    changed = [said for said in flags if said.setting in KEPT and _plain(said.value) != _plain(_was(said, before))]
    if changed:
        names = ", ".join(said.written for said in changed)
        values = "; ".join(f"{said.setting} is {_plain(_was(said, before))!s:.80}" for said in changed)
        raise UsageError(
            f"--resume uses the settings of the run, so {names} cannot be set: {values}.",
            "Leave it out, or start a new run; its --model can be the last checkpoint of this one.",
        )


def _was(said: SettingValue, before: Mapping[str, Any]) -> Any:
    """The value that a setting has in the run."""
    field = trainer_fields().get(said.setting)
    return before.get(said.setting, field and field.default)


def _plain(value: Any) -> Any:
    return " ".join(map(str, value)) if isinstance(value, list | tuple) else value or None


def check_settings(
    run: Run, config: Collection[SettingValue], flags: Mapping[str, Any], *, trust: bool, again: str
) -> None:
    """Raise where a foreign run's config or manifest names what is not harmless, installed or typed again."""
    words = [word for value in flags.values() for word in ([value] if isinstance(value, str) else _words(value))]
    typed = {name for word in words for name in (word, word.rpartition("=")[0])}

    def check_more() -> None:
        _check_config(run, config, flags, typed, again)

    check_origin(run, again, typed=typed, trust=trust, check_more=check_more)


def _check_config(
    run: Run, config: Collection[SettingValue], flags: Mapping[str, Any], typed: Collection[str], again: str
) -> None:
    for said in config:
        if said.setting == "env" and not (said.value in typed or is_installed(str(said.value))):
            what = f"its environment {said.value!r:.100} would be imported"
            refuse_foreign(run, what, f"name it again: {again.format(said.value)}")
        for share in said.value if said.setting == ENVS else ():
            if share.name not in typed and not is_installed(share.name):
                every = " ".join(shlex.quote(one.written) for one in said.value)
                what = f"its environment {share.name!r:.100} would be imported"
                refuse_foreign(run, what, f"name it again: {again.format(every)}")
        if said.setting not in flags and not _is_harmless(said):
            refuse_foreign(run, f"its config sets {said.setting} to {said.value!r:.60}", "set it again by its flag")


def check_checkpoint(run: Run, checkpoint: Path, *, trust: bool) -> None:
    """Raise where a checkpoint is damaged, or has files of somebody else's that can run code when they are loaded."""
    risky = files_that_run_code(checkpoint)
    if risky and not trust and not is_sealed(checkpoint, risky):
        refuse_foreign(run, f"{checkpoint.name}/{risky[0]:.100} can run code when it is loaded")
    check_trainer_state(checkpoint)


def check_trainer_state(checkpoint: Path) -> None:
    """Raise where the trainer's own record of a checkpoint is damaged."""
    from transformers import TrainerState

    try:
        state = TrainerState.load_from_json(str(checkpoint / TRAINER_STATE))
        numbers = (state.global_step, state.epoch, state.max_steps)
        if not all(isinstance(number, int | float) for number in numbers) or not isinstance(state.log_history, list):
            raise TypeError("its steps are not numbers")
    except (OSError, ValueError, TypeError, RecursionError) as exc:
        raise damaged_checkpoint(checkpoint, exc) from exc


def damaged_checkpoint(checkpoint: Path | None, exc: Exception) -> UsageError:
    """The error for a checkpoint that cannot be loaded."""
    return UsageError(
        f"The checkpoint {str(checkpoint)!r} cannot be loaded: {one_line(exc).rstrip('.'):.200}.",
        "Delete it to resume from the one before.",
    )


def _words(value: Any) -> Iterator[str]:
    """The texts of a setting that has several values."""
    for word in value if isinstance(value, list | tuple) else ():
        if isinstance(word, str | EnvShare):
            yield word if isinstance(word, str) else word.name


def _is_harmless(said: SettingValue) -> bool:
    if said.setting == "env":
        return True
    if said.setting == "env_config":
        return not any(True for _ in references_in(said.value))
    if said.setting == ENVS:
        return not any(True for share in said.value for _ in references_in(dict(share.config)))
    if said.setting in HARMLESS or said.value is None:
        return True
    if isinstance(said.value, int | float) and not isinstance(said.value, bool):
        return True
    field = trainer_fields().get(said.setting)
    return said.value in _defaults(field)


def _defaults(field: Any) -> Iterator[Any]:
    """The values that change nothing: false and empty ones, and TRL's default."""
    yield from (False, "", [], {})
    if field is not None:
        yield field.default


def check_steps_left(run: Run, step: int, max_steps: int) -> None:
    """Raise where a training is to end before the checkpoint that it goes on from."""
    if 0 < max_steps < step:
        later = RunFolder(run.path).damaged(after=step)
        why = f", as {'; '.join(f'{path.name} is damaged: {fault}' for path, fault in later.items())}" if later else ""
        raise UsageError(
            f"{str(run.path)!r} goes on after step {step}{why}, so --max-steps {max_steps} leaves nothing to train.",
            f"--max-steps {step} ends it there, with its model and report; a higher number trains on.",
        )
