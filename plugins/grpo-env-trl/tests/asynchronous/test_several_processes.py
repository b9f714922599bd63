"""Two processes train asynchronously on a CPU: the first one plays, both train."""

import os
import signal
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import psutil
import pytest
import torch
from tiny_models import save_tiny_model
from transformers import AutoModelForCausalLM
from vllm_stub import VLLMStub

from grpo_env_sdk.runs.reading import open_run
from grpo_env_trl.runs.run_folder import RunFolder

sys.path.insert(0, str(Path(__file__).parent.parent / "training"))

from quick import flags
from test_interrupting import wait_for
from test_shared_model import sharing
from test_two_ranks import TORCHRUN

pytestmark = pytest.mark.slow
RUN = Path("run")
SIZES = {"per_device_train_batch_size": 2, "token_budget": 4096, "max_staleness": 2, "use_cpu": True}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The folder of a tiny model."""
    return save_tiny_model("qwen3", tmp_path_factory.mktemp("model") / "tiny")


@pytest.fixture
def server(folder, tmp_path, monkeypatch):
    """A server with the same model; the working directory is an empty one."""
    monkeypatch.chdir(tmp_path)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # with several, each token takes seconds beside other processes
    with VLLMStub(AutoModelForCausalLM.from_pretrained(folder), context=4096) as stub:
        yield stub
    torch.set_num_threads(threads)


def start(*words, launcher=TORCHRUN, program=None):
    """Two processes with these words of `grpo-env train`, or what another launcher starts."""
    tests = Path(__file__).parent.parent
    path = os.pathsep.join([str(tests), str(tests / "training"), *sys.path])
    own = {"PYTHONPATH": path, "OMP_NUM_THREADS": "1", "WEIGHTS_BY_FILE": str(Path.cwd())}
    on_cpu = [str(Path(__file__).with_name("run_on_cpu.py")), str(Path.cwd())]
    return subprocess.Popen(
        [*launcher, *(on_cpu if program is None else program), *words], text=True, env=os.environ | own,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def trained(folder, server, launcher=TORCHRUN, **changes):
    """Start a training against the server."""
    words = ["lessons:Haggle", "--model", str(folder), "--trainer", "async", "--vllm-server-url", server.base]
    return start(*words, *flags(**SIZES | changes), launcher=launcher)


def test_two_processes_that_share_the_model_train_it_and_go_on_from_a_checkpoint(folder, server):
    changes = {"use_cpu": None, "bf16": False, "token_budget": 0, "save_strategy": "steps", "save_steps": 1}
    changes |= {"num_generations": 4}  # of two, both may earn the same, and nothing is learned
    process = trained(folder, server, launcher=sharing("fsdp2"), **changes)
    told = process.communicate(timeout=590)[1]
    assert process.returncode == 0, told[-3000:]
    heldout = open_run(RUN).summary()["heldout"]
    assert None not in [value for name in ("before", "after") for value in heldout[name].values()]
    before, after = (AutoModelForCausalLM.from_pretrained(one).state_dict() for one in (folder, RUN / "model"))
    assert {name: weight.shape for name, weight in before.items()} == {name: one.shape for name, one in after.items()}
    assert any(not torch.equal(weight, after[name]) for name, weight in before.items())
    (RUN / "summary.json").unlink()  # as if it had been stopped
    again = start("--resume", "run", "--max-steps", "3", launcher=sharing("fsdp2"))
    told = again.communicate(timeout=590)[1]
    assert again.returncode == 0, told[-3000:]
    assert steps() == [1, 2, 3]


NO_VLLM = pytest.mark.skipif(find_spec("vllm") is None, reason="vLLM is not installed, which sends the weights")


@NO_VLLM
def test_the_command_starts_the_processes_itself(folder, server):
    words = ["asynchronous.haggle_on_cpu:Haggle", "--model", str(folder), "--trainer", "async", "--num-processes", "2"]
    changes = {"vllm_server_url": server.base, "eval_rows": 0, "token_budget": 0}
    done = start(
        *words, *flags(**SIZES | changes), launcher=[sys.executable, "-m", "grpo_env_sdk", "train"], program=[]
    )
    told = done.communicate(timeout=590)[1]
    assert done.returncode == 0, told[-3000:]
    assert (open_run(RUN).summary()["steps"], steps()) == (2, [1, 2])


def steps():
    return [entry["step"] for entry in RunFolder(RUN).logged() if "loss" in entry]


def test_two_processes_train_one_model_and_share_the_held_out_rows(folder, server):
    process = trained(folder, server, eval_rows=3)
    told = process.communicate(timeout=900)[1]
    assert process.returncode == 0, told[-3000:]
    summary = open_run(RUN).summary()
    assert (summary["steps"], summary["finished"], steps()) == (2, True, [1, 2])
    assert None not in [value for name in ("before", "after") for value in summary["heldout"][name].values()]
    for name in ("before", "after", "before-greedy", "after-greedy"):
        assert len(list(open_run(RUN / "heldout" / name).episodes())) == 3


def test_ctrl_c_saves_a_checkpoint_and_two_processes_go_on_from_it(folder, server):
    saved = {"max_steps": 40, "save_strategy": "steps", "save_steps": 1}
    process = trained(folder, server, **saved)
    wait_for(RUN / "checkpoints/checkpoint-1/grpo_env_checkpoint.json", process)
    process.send_signal(signal.SIGINT)
    told = process.communicate(timeout=900)[1]
    assert process.returncode != 0
    assert told.count("Finishing this step and saving a checkpoint") == 1
    assert open_run(RUN).summary() is None
    done = max(steps())
    again = start("--resume", "run", "--max-steps", str(done + 1))
    told = again.communicate(timeout=900)[1]
    assert again.returncode == 0, told[-3000:]
    assert steps() == [*range(1, done + 2)]


def test_a_process_that_is_killed_ends_both_and_one_alone_goes_on(folder, server):
    process = trained(folder, server, max_steps=40, save_strategy="steps", save_steps=1)
    wait_for(RUN / "checkpoints/checkpoint-1/grpo_env_checkpoint.json", process)
    (second,) = [one for one in psutil.Process(process.pid).children() if one.environ().get("RANK") == "1"]
    second.kill()
    process.communicate(timeout=900)
    assert process.returncode != 0
    done = max(RunFolder(RUN).checkpoints())
    again = start("--resume", "run", "--max-steps", str(done + 1), launcher=[sys.executable])
    told = again.communicate(timeout=900)[1]
    assert again.returncode == 0, told[-3000:]
    assert steps() == [*range(1, done + 2)]
