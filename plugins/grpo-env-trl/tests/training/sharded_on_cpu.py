"""Runs a program in processes that share one model, on a CPU, where accelerate would refuse it.

torchrun --nproc_per_node 2 sharded_on_cpu.py fsdp2|zero2|zero3 PROGRAM.py|-m MODULE [ARGUMENT ...]
"""

import importlib
import os
import runpy
import sys

from accelerate.state import PartialState
from accelerate.utils import DistributedType

from grpo_env_trl.launching.accelerate_config import read_config


def share_on_cpu(kind):
    """Let accelerate take the processes of a CPU for those of GPUs, with the config of this name."""
    os.environ |= read_config(kind).environ(int(os.environ["WORLD_SIZE"]), 1, 0)
    os.environ |= {"ACCELERATE_TORCH_DEVICE": "cpu", "DS_ACCELERATOR": "cpu"}
    PartialState._prepare_backend = lambda self, *args, **kwargs: ("gloo", DistributedType.MULTI_GPU)
    if kind.startswith("zero"):
        backend = importlib.import_module("deepspeed.comm.torch")  # the package has torch itself under that name
        backend.build_shm_op = lambda: None  # which a compiler would take a minute for


if __name__ == "__main__":
    share_on_cpu(sys.argv.pop(1))
    del sys.argv[0]
    if sys.argv[0] == "-m":
        del sys.argv[0]
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    else:
        runpy.run_path(sys.argv[0], run_name="__main__")
