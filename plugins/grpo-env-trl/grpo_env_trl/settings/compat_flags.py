"""Other names for the same settings: the dialect with `--rl-env-module`, and TRL's for what is ours."""

from typing import Any

ALIASES = {
    "batch_size": "per_device_train_batch_size",
    "epochs": "num_train_epochs",
    "lr": "learning_rate",
    "model_name_or_path": "model",
    "output_dir": "out",
    "peft": "use_peft",
    "project_name": "out",
    "resume_from_checkpoint": "resume",
    "rl_clip_range": "epsilon",
    "rl_env_config": "env_config",
    "rl_kl_coef": "beta",
    "rl_max_new_tokens": "max_completion_length",
    "rl_num_generations": "num_generations",
    "rl_temperature": "temperature",
    "rl_top_k": "top_k",
    "rl_top_p": "top_p",
    "vllm_server_url": "vllm_server_base_url",
}
"""What somebody may write, and the setting that it is."""

DEFAULTS: dict[str, Any] = {
    "beta": 0.1,
    "epsilon": 0.2,
    "max_completion_length": 128,
    "num_generations": 4,
    "temperature": 1.0,
    "top_k": 50,
    "top_p": 1.0,
    "vllm_gpu_memory_utilization": 0.3,
}
"""What holds where `--rl-env-module` is given and nobody says otherwise."""

NO_SERVER = (
    "--vllm-server-gpus sets nothing: this command starts no vLLM server. "
    "Start it on GPUs of its own with `CUDA_VISIBLE_DEVICES=... trl vllm-serve --model M`."
)
