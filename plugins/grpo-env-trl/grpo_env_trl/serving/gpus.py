"""Which GPUs of a machine train, and which get a vLLM server."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grpo_env_sdk.ext import UsageError

VISIBLE = "CUDA_VISIBLE_DEVICES"
FLAG = "--vllm-server-gpus"


@dataclass(frozen=True, slots=True)
class GpuSplit:
    """The GPUs of the training, and those of each server, as `CUDA_VISIBLE_DEVICES` names them."""

    training: tuple[str, ...]
    servers: tuple[tuple[str, ...], ...]


def split_gpus(gpus: Sequence[str], served: int, each: int, environ: Mapping[str, str]) -> GpuSplit:
    """The last `served` GPUs for servers of `each`; an error where that cannot be."""
    there = len(gpus)
    if not there:
        raise UsageError(
            f"{FLAG} {served} starts a vLLM server on GPUs of its own, and this machine has none that can be used.",
            "Use a server that runs elsewhere: --vllm-server-url URL.",
        )
    if served >= there:
        raise UsageError(
            f"{FLAG} {served} leaves none of {there} GPUs to the training.", f"Give at most {FLAG} {there - 1}."
            if there > 1 else "Share the GPU: --use-vllm without it.",
        )  # fmt: skip
    if served % each:
        raise UsageError(
            f"{FLAG} {served} cannot be shared among servers of --vllm-tensor-parallel-size {each}.",
            f"Give {FLAG} a multiple of {each}.",
        )
    here, all_of_them = (int(environ.get(name) or 1) for name in ("LOCAL_WORLD_SIZE", "WORLD_SIZE"))
    if all_of_them > here:
        raise UsageError(
            f"{FLAG} starts servers on one machine, and this training has several.",
            "Start a server yourself, and give its address: --vllm-server-url URL.",
        )
    if here > there - served:
        raise UsageError(
            f"{here} processes are to train on {there - served} GPUs: {FLAG} {served} takes the others of {there}.",
            f"Start {there - served} processes.",
        )
    first = tuple(gpus[: there - served])
    return GpuSplit(first, tuple(tuple(gpus[at : at + each]) for at in range(there - served, there, each)))


def keep_for_training(served: int, each: int) -> GpuSplit:
    """Split the GPUs that this process sees, which from now on sees only those of the training."""
    import torch

    named = os.environ.get(VISIBLE)
    count = torch.cuda.device_count()
    gpus = [name.strip() for name in named.split(",")][:count] if named else [str(place) for place in range(count)]
    split = split_gpus(gpus, served, each, os.environ)
    os.environ[VISIBLE] = ",".join(split.training)
    return split
