"""Which GPUs get servers, and what starts one."""

from types import SimpleNamespace

import pytest

from grpo_env_sdk.ext import UsageError
from grpo_env_trl.serving.command import serve_command, serve_environment
from grpo_env_trl.serving.gpus import split_gpus

EIGHT = [str(place) for place in range(8)]


def test_the_last_gpus_are_for_servers_and_the_others_train():
    split = split_gpus(EIGHT, 2, 2, {})
    assert (split.training, split.servers) == (("0", "1", "2", "3", "4", "5"), (("6", "7"),))
    assert split_gpus(EIGHT, 4, 2, {"LOCAL_WORLD_SIZE": "4", "WORLD_SIZE": "4"}).servers == (("4", "5"), ("6", "7"))
    assert split_gpus(["3", "GPU-f00"], 1, 1, {}).servers == (("GPU-f00",),)


@pytest.mark.parametrize(("gpus", "served", "each", "environ", "said"), [
    ([], 2, 1, {}, "this machine has none that can be used. Use a server that runs elsewhere: --vllm-server-url"),
    (EIGHT, 8, 1, {}, "--vllm-server-gpus 8 leaves none of 8 GPUs to the training. .*at most --vllm-server-gpus 7"),
    (["0"], 1, 1, {}, "leaves none of 1 GPUs .*--use-vllm"),
    (EIGHT, 3, 2, {}, "--vllm-tensor-parallel-size 2. .*a multiple of 2"),
    (EIGHT, 2, 1, {"LOCAL_WORLD_SIZE": "8", "WORLD_SIZE": "8"}, "8 processes are to train on 6.*Start 6"),
    (EIGHT, 2, 1, {"LOCAL_WORLD_SIZE": "6", "WORLD_SIZE": "12"}, "has several.*--vllm-server-url"),
])  # fmt: skip
def test_what_cannot_be_split_is_refused_with_what_can(gpus, served, each, environ, said):
    with pytest.raises(UsageError, match=said):
        split_gpus(gpus, served, each, environ)


def arguments(**changes):
    usual = {"bf16": True, "fp16": False, "vllm_max_model_length": None, "vllm_model_impl": "vllm"}
    return SimpleNamespace(**{**usual, **changes})


def test_a_server_takes_weights_gives_exact_logprobs_and_has_the_dtype_of_the_training():
    words = " ".join(serve_command(["Qwen/Qwen3-0.6B", "--revision", "v1"], 8000, arguments(), 2, 0.8))
    for wanted in (
        "-m vllm.entrypoints.cli.main serve Qwen/Qwen3-0.6B --revision v1 ", "--port 8000", "--dtype bfloat16",
        "--tensor-parallel-size 2", "--gpu-memory-utilization 0.8", '--weight-transfer-config {"backend": "nccl"}',
        "--logprobs-mode processed_logprobs", "--enable-prompt-tokens-details",
    ):  # fmt: skip
        assert wanted in words
    assert "--max-model-len" not in words
    other = serve_command(["m"], 1, arguments(bf16=False, fp16=True, vllm_max_model_length=4096), 1)
    assert other[other.index("--dtype") + 1] == "float16"
    assert other[other.index("--max-model-len") + 1] == "4096"
    plain = serve_command(["m"], 1, arguments(bf16=False), 1)
    assert plain[plain.index("--dtype") + 1] == "float32"


def test_a_server_sees_its_gpus_and_nothing_of_the_launcher():
    launcher = {"RANK": "1", "LOCAL_RANK": "1", "WORLD_SIZE": "2", "MASTER_ADDR": "a", "TORCHELASTIC_RUN_ID": "x"}
    found = serve_environment(["6", "7"], {**launcher, "PATH": "/bin", "HF_TOKEN": "t", "CUDA_VISIBLE_DEVICES": "0"})
    assert found == {
        "PATH": "/bin", "HF_TOKEN": "t", "VLLM_SERVER_DEV_MODE": "1", "VLLM_ALLOW_RUNTIME_LORA_UPDATING": "True",
        "CUDA_VISIBLE_DEVICES": "6,7",
    }  # fmt: skip
