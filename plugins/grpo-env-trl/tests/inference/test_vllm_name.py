"""The name of a model that vLLM is to serve, with arguments."""

import importlib.util

import pytest

from grpo_env_sdk.cli import main
from grpo_env_sdk.errors import UsageError
from grpo_env_trl.inference.vllm_name import model_name, vllm_arguments


@pytest.mark.parametrize(
    ("given", "name", "arguments"),
    [
        ("runs/x", "runs/x", {}),
        ("vllm:runs/x", "runs/x", {}),
        ("vllm:a/b,tensor_parallel_size=2,quantization=fp8", "a/b", {"tensor_parallel_size": 2, "quantization": "fp8"}),
        ("vllm:a/b,enforce_eager=true", "a/b", {"enforce_eager": True}),
    ],
)
def test_a_name_and_its_arguments(given, name, arguments):
    assert model_name(given) == name
    assert vllm_arguments(given) == arguments


@pytest.mark.parametrize("given", ["vllm:a/b,3", "vllm:a/b,=3", "vllm:a/b,x y=3"])
def test_what_is_no_argument_is_refused(given):
    with pytest.raises(UsageError, match="no argument of vLLM"):
        vllm_arguments(given)


@pytest.mark.skipif(importlib.util.find_spec("vllm") is not None, reason="vLLM is installed")
@pytest.mark.parametrize(
    ("more", "told"),
    [([], "needs vLLM. pip install 'grpo-env-trl[vllm]'"), (["--base-url", "http://127.0.0.1:9"], "openai:x/y")],
)
def test_what_is_missing_is_one_line(more, told, capsys):
    assert main(["eval", "arithmetic-v1", "-m", "vllm:x/y", "-n", "1", *more]) == 2
    shown = capsys.readouterr().err.strip()
    assert told in shown
    assert len(shown.splitlines()) == 1
