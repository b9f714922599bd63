"""The command of a vLLM server that a training can send weights to."""

import json
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from grpo_env_trl.serving.gpus import VISIBLE

SHARE = 0.9
"""The share of a GPU's memory that a server takes; nothing else is on it."""
_OF_LAUNCHERS = ("RANK", "WORLD_SIZE", "MASTER_", "GROUP_", "ROLE_", "TORCHELASTIC_", "ACCELERATE_", "FSDP_")


def serve_command(model: Sequence[str], port: int, args: Any, each: int, share: float = SHARE) -> list[str]:
    """What starts a server of `model` with the settings of TRL's arguments."""
    dtype = "bfloat16" if args.bf16 else "float16" if args.fp16 else "float32"
    context = args.vllm_max_model_length
    return [
        sys.executable, "-m", "vllm.entrypoints.cli.main", "serve", *model,
        "--host", "127.0.0.1", "--port", str(port),
        "--tensor-parallel-size", str(each), "--gpu-memory-utilization", str(share), "--dtype", dtype,
        "--model-impl", args.vllm_model_impl,
        *(["--max-model-len", str(context)] if context else []),
        *(["--trust-remote-code"] if getattr(args, "trust_remote_code", False) else []),
        "--weight-transfer-config", json.dumps({"backend": "nccl"}),
        "--logprobs-mode", "processed_logprobs", "--max-logprobs", "-1", "--enable-prompt-tokens-details",
    ]  # fmt: skip


def serve_environment(gpus: Sequence[str], environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The variables of a server that takes weights and adapters, without those of a launcher, which vLLM would read."""
    kept = {name: value for name, value in environ.items() if not name.removeprefix("LOCAL_").startswith(_OF_LAUNCHERS)}
    taking = {"VLLM_SERVER_DEV_MODE": "1", "VLLM_ALLOW_RUNTIME_LORA_UPDATING": "True"}
    return {**kept, **taking, VISIBLE: ",".join(gpus)}
