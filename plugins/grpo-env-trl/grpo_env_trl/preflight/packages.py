"""Packages that only some settings need: a tracker, an optimizer, kernels, vLLM."""

from collections.abc import Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from grpo_env_sdk.ext import one_line
from grpo_env_trl.preflight.problem import PreflightError, Problem

if TYPE_CHECKING:
    from grpo_env_trl.preflight.planned_training import PlannedTraining

TRACKERS = {
    "clearml": ("clearml",),
    "codecarbon": ("codecarbon",),
    "comet_ml": ("comet_ml",),
    "dagshub": ("dagshub", "mlflow"),
    "dvclive": ("dvclive",),
    "flyte": ("flytekit",),
    "mlflow": ("mlflow",),
    "neptune": ("neptune",),
    "swanlab": ("swanlab",),
    "tensorboard": ("tensorboard",),
    "trackio": ("trackio",),
    "wandb": ("wandb",),
}
"""The modules that a value of `--report-to` needs."""

PIP_NAMES = {"comet_ml": "comet-ml", "flytekit": "flytekitplugins-deck-standard"}
"""The distribution of a module, where its name is another one."""


def problems(planned: "PlannedTraining") -> Iterator[Problem]:
    """Packages that these settings need and that are not installed."""
    args = planned.setup.args
    for tracker in args.report_to:
        yield from _tracker(tracker)
    if args.use_liger_kernel and not _found("liger_kernel"):
        yield Problem("--use-liger-kernel needs liger-kernel, which is not installed.", "pip install liger-kernel")
    if args.use_vllm:
        yield from _vllm(args.vllm_mode)
    attention = planned.setup.model_args.attn_implementation
    if attention == "flash_attention_2" and not (_found("flash_attn") or _found("kernels")):
        yield Problem(
            "--attn-implementation flash_attention_2 needs flash-attn, which is not installed.",
            "pip install flash-attn --no-build-isolation, or leave the flag out: the default is sdpa.",
        )
    yield from _optimizer(args)


def check_vllm(mode: str) -> None:
    """Raise where vLLM is to be used and is not installed."""
    if found := [*_vllm(mode)]:
        raise PreflightError(found)


def _vllm(mode: str) -> Iterator[Problem]:
    if not _found("vllm"):
        on_server = "Sending weights to a vLLM server needs vLLM here too, which"
        what = on_server if mode == "server" else "--use-vllm needs vLLM, which"
        yield Problem(f"{what} is not installed.", "pip install 'grpo-env-trl[vllm]'")


def _tracker(name: str) -> Iterator[Problem]:
    missing = [module for module in TRACKERS.get(name, ()) if not _found(module)]
    if name == "tensorboard" and _found("tensorboardX"):
        return
    if missing:
        names = " ".join(PIP_NAMES.get(module, module) for module in missing)
        yield Problem(f"--report-to {name} needs {' and '.join(missing)}, not installed here.", f"pip install {names}")


def _optimizer(args: Any) -> Iterator[Problem]:
    """What transformers says of an optimizer whose package is missing, or that lacks a setting."""
    from transformers import Trainer

    try:
        Trainer.get_optimizer_cls_and_kwargs(args)
    except (ImportError, ValueError) as exc:
        text = one_line(exc).rstrip(".")
        if "`model`" not in text and "a model" not in text:  # some need the model, which is not loaded yet
            yield Problem(f"--optim {getattr(args.optim, 'value', args.optim)}: {text}.")


def _found(module: str) -> bool:
    spec = find_spec(module)
    return spec is not None and spec.origin is not None  # a folder of that name, as wandb leaves one, is no package
