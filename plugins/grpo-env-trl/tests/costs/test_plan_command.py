"""`grpo-env train --plan`: what it prints, what it measures, and what it refuses."""

import json
import os
import signal
import time
from importlib.util import find_spec

import pytest
from costs_envs import Naps
from transformers import AutoModelForCausalLM
from vllm_stub import VLLMStub

from grpo_env_sdk import evaluate
from grpo_env_sdk.errors import UsageError
from grpo_env_trl import plan_training, train

SHARED = (
    "--max-steps 3 --per-device-train-batch-size 2 --num-generations 8 --max-completion-length 12 --eval-rows 0 "
    "--gradient-checkpointing false"
)
MANY = (
    "--max-steps 3 --per-device-train-batch-size 8 --num-generations 2 --max-completion-length 12 --eval-rows 0 "
    "--gradient-checkpointing false"
)


def test_one_table_and_one_line_of_advice(plan):
    code, out, told = plan("environments:Errands")
    assert code == 0
    lines = out.splitlines()
    assert "3 steps of 4 episodes" in lines[0]
    assert "Nothing was trained" in lines[0]
    for name in (
        "tokens sampled",
        "environment, nothing sampled",
        "sampling",
        "update",
        "a step",
        "memory of a process",
    ):
        assert sum(line.startswith(f"{name}  ") for line in lines) == 1, name
    assert "8 episodes before and after" in out  # two rows, before and after, sampled and greedy
    assert "% of the time would go into " in lines[-1]
    assert "measuring" in told


def test_a_plan_is_of_the_rows_that_a_run_chooses(plan):
    evaluate("environments:Parts", "random", split="train", samples=4, out="base")
    code, out, _ = plan("environments:Parts --rows-of base --pass-rate 0,0.9 --json")
    assert code == 0, out
    chosen = json.loads(out)["rows_of"]
    assert 0 < chosen["kept"] <= chosen["of"]


def test_the_figures_say_how_they_are_known(figures):
    found = figures("environments:Errands")
    sampled, seconds = found["tokens"]["sampled_a_step"], found["seconds"]
    assert 4 <= sampled["low"] <= sampled["value"] <= sampled["high"] <= 4 * 12
    assert found["tokens"]["sampled"]["value"] == 3 * sampled["value"]
    parts = sum(seconds[name]["value"] for name in ("environment", "sampling", "update"))
    assert seconds["step"]["value"] == pytest.approx(parts)
    assert seconds["training"]["value"] == pytest.approx(3 * parts + seconds["evaluation"]["value"])
    memory = found["memory"]
    assert memory["weights"] == memory["gradients"] > 0
    assert memory["process"] < memory["expected"] <= memory["highest"]
    assert (found["not_measured"], found["device"]) == (None, "cpu")


def test_slow_tools_are_what_dominates(figures):
    found = figures("costs_envs:Naps", sizes=MANY)
    assert found["seconds"]["environment"]["low"] >= Naps.seconds
    assert "the environments, while nothing was sampled" in found["advice"]


def test_one_turn_environments_are_measured_too(figures):
    found = figures("environments:Parts")
    assert found["tokens"]["sampled_a_step"]["value"] > 0
    assert found["seconds"]["sampling"]["value"] > found["seconds"]["environment"]["value"]


def test_several_environments_share_the_steps(figures):
    found = figures("environments:Errands=2 environments:Talk=1")
    assert "Errands" in found["environment"]
    assert "Talk" in found["environment"]
    assert found["seconds"]["step"]["value"] > 0


def test_more_processes_multiply_what_a_step_plays(figures):
    found = figures("environments:Errands --num-processes 3")
    assert (found["sizes"]["processes"], found["sizes"]["batch"]) == (3, 4)
    sampled = found["tokens"]["sampled_a_step"]["value"]
    assert sampled == pytest.approx(12 * found["episode"]["sampled"]["value"])
    assert any("share its cores" in sentence for sentence in found["assumptions"])


def test_a_group_that_several_processes_share_is_played_whole(figures):
    found = figures("environments:Errands --num-processes 4", sizes=SHARED)
    assert (found["sizes"]["batch"], found["sizes"]["generations"]) == (2, 8)
    assert found["seconds"]["step"]["value"] > 0


@pytest.mark.skipif(find_spec("vllm") is not None, reason="vLLM is installed")
def test_where_vllm_would_sample_and_is_not_there_the_rest_is_computed(figures):
    found = figures("environments:Errands --use-vllm --vllm-mode colocate")
    assert found["seconds"] is None
    assert "vLLM is not installed" in found["not_measured"]
    assert found["memory"]["weights"] > 0
    assert found["episode"]["source"] == "a random policy"


def test_the_cache_of_a_server_is_not_in_the_memory_of_the_training(figures):
    found = figures("environments:Errands --vllm-server-url http://127.0.0.1:9")
    assert found["memory"]["generation"] == 0
    assert any("vLLM servers sample" in sentence for sentence in found["assumptions"])
    assert found["seconds"]["sampling"]["value"] > 0


EPOCHS = (
    "--num-train-epochs 2 -n 6 --per-device-train-batch-size 4 --num-generations 2 --max-completion-length 12 "
    "--eval-rows 0 --gradient-checkpointing false"
)
ASYNC = "environments:Errands --trainer async --vllm-server-url http://127.0.0.1:9"


def test_an_asynchronous_step_is_as_many_episodes_as_fit_and_as_slow_as_the_slower_side(figures):
    found = figures(f"{ASYNC} --token-budget 3000 --num-processes 2 --gradient-accumulation-steps 3")
    sizes, seconds, memory = found["sizes"], found["seconds"], found["memory"]
    assert 1 < sizes["micro"] <= 3000 / found["episode"]["sampled"]["value"]
    assert 3000 * 0.8 < found["tokens"]["read_a_step"]["value"] / 6 <= 3000  # two processes, three passes
    assert (sizes["processes"], sizes["batch"], sizes["iterations"]) == (2, 3 * sizes["micro"], 1)
    sampled = found["tokens"]["sampled_a_step"]["value"]
    assert sampled == pytest.approx(2 * sizes["batch"] * found["episode"]["sampled"]["value"])
    playing = seconds["environment"]["value"] + seconds["sampling"]["value"]
    assert seconds["step"]["value"] == pytest.approx(max(playing, seconds["update"]["value"]))
    assert (memory["generation"], memory["logits"]) == (0, 0)
    assert any("at most 3,000 tokens (--token-budget)" in sentence for sentence in found["assumptions"])
    assert "--use-vllm" not in found["advice"]


def test_an_asynchronous_training_of_epochs_ends_when_its_rows_are_through(plan):
    code, out, _ = plan(f"{ASYNC} --token-budget 0", sizes=EPOCHS)
    assert code == 0
    assert "6 steps of 4 episodes" in out  # 6 rows of 2 episodes, twice: 24
    assert "the slower of playing and the update" in out


def test_without_a_server_a_row_is_as_long_as_the_model_reads(figures):
    found = figures(ASYNC)
    assert any("as nobody answers at http://127.0.0.1:9" in sentence for sentence in found["assumptions"])


def test_episodes_of_an_asynchronous_training_are_played_at_its_server_where_one_answers(model, plan):
    words = "--trainer async --token-budget 0 --max-inflight-tasks 4 --vllm-server-url"
    with VLLMStub(AutoModelForCausalLM.from_pretrained(model), context=4096) as server:
        code, out, _ = plan(f"environments:Errands {words} {server.base}")
        code_json, found, _ = plan(f"environments:Errands {words} {server.base} --json")
        asked = server.paths.count("/v1/completions")
    assert (code, code_json) == (0, 0)
    assert asked >= 2 * 16  # four groups of two, of which the first two are not measured
    assert f"measured at {server.base}" in out
    assert "measured is TRL's own generation" not in out
    seconds, sizes = json.loads(found)["seconds"], json.loads(found)["sizes"]
    assert seconds["environment"]["value"] == 0
    assert seconds["step"]["value"] >= seconds["sampling"]["value"] > 0
    assert seconds["evaluation"]["value"] == pytest.approx(seconds["sampling"]["value"] / sizes["batch"] * 8)


def test_a_server_that_reads_too_little_for_its_episodes_is_one_line_of_the_plan(model, plan):
    with VLLMStub(AutoModelForCausalLM.from_pretrained(model), context=512) as server:
        code, out, told = plan(f"environments:Errands --trainer async --token-budget 0 --vllm-server-url {server.base}")
    assert (code, out) == (2, "")
    assert "reads 512" in told.splitlines()[-1]


@pytest.mark.parametrize(("flags", "why"), [
    ("--bridge native", "the bridge is native"), ("--num-processes 2 --accelerate-config zero3", "ZeRO-3"),
    ("--num-processes 2 --deepspeed zero3.json", "ZeRO-3"),
])  # fmt: skip
def test_what_the_asynchronous_trainer_cannot_do_is_refused_before_anything_is_measured(
    plan, flags, why, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "zero3.json").write_text('{"zero_optimization": {"stage": 3}}')
    code, out, told = plan(f"{ASYNC} {flags}")
    assert (code, out) == (2, "")
    assert why in told


def test_an_asynchronous_training_shares_weights_by_fsdp(figures):
    assert figures(f"{ASYNC} --num-processes 2 --accelerate-config fsdp2")["stage"] == 3


@pytest.mark.parametrize("trainer", ["", ASYNC.removeprefix("environments:Errands") + " --token-budget 0"])
def test_an_epoch_has_the_rows_of_all_environments(plan, trainer):
    code, out, _ = plan(f"environments:Errands=2 environments:Parts {trainer}", sizes=EPOCHS)
    assert code == 0
    assert "12 steps of 4 episodes" in out  # 6 rows of each, twice


def test_epochs_of_several_environments_are_counted_as_they_are_trained(plan):
    sizes = EPOCHS.replace("--num-train-epochs 2 -n 6", "--num-train-epochs 1.5 -n 5")
    _, out, _ = plan("environments:Errands environments:Parts", sizes=sizes)
    assert "7 steps of 4 episodes" in out  # 15 prompts, two for each step


def test_an_episode_that_fails_is_counted(figures):
    found = figures("""environments:Errands --env-config {"fails":["","reset"]}""", sizes=MANY)
    assert 0 < found["episode"]["failed"] < found["episode"]["episodes"]
    assert any("no office today" in sentence for sentence in found["assumptions"])


def test_an_environment_that_always_fails_is_one_line(plan):
    code, out, told = plan("""environments:Errands --env-config {"fails":["reset"]}""")
    assert (code, out) == (2, "")
    assert "no office today" in told.splitlines()[-1]


@pytest.mark.parametrize(("flags", "named"), [
    ("--resume runs/none", "--resume"), ("--dry-run", "--dry-run"), ("--print-config", "--print-config"),
])  # fmt: skip
def test_flags_that_make_no_sense_with_it_are_refused_in_one_line(plan, flags, named):
    code, out, told = plan(f"environments:Errands {flags}")
    assert (code, out, told.count("\n")) == (2, "", 1)
    assert f"--plan and {named} exclude each other" in told


def test_a_launcher_is_refused(plan, monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "2")
    code, _, told = plan("environments:Errands")
    assert (code, told.count("\n")) == (2, 1)
    assert "--num-processes" in told


def test_a_config_file_says_what_is_planned(figures, tmp_path):
    (tmp_path / "train.yaml").write_text("env: environments:Errands\nmax_steps: 7\n")
    found = figures("--config train.yaml", sizes=MANY.replace("--max-steps 3 ", ""))
    assert found["steps"] == 7


def test_ctrl_c_ends_it_and_leaves_nothing(plan):
    def interrupt():
        time.sleep(0.1)  # until the main thread waits for the episodes
        os.kill(os.getpid(), signal.SIGINT)

    Naps.waits = interrupt
    try:
        code, out, told = plan("costs_envs:Naps")
    finally:
        Naps.waits = None
    assert (code, out) == (130, "")
    assert told.splitlines()[-1] == "Interrupted."


def test_a_program_gets_the_same_figures(model, tiny, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sizes = {"max_steps": 5, "per_device_train_batch_size": 4, "num_generations": 2, "max_completion_length": 12}
    loaded, tokenizer = tiny("qwen3")
    found = plan_training("environments:Errands", loaded, tokenizer=tokenizer, eval_rows=0, quiet=True, **sizes)
    assert (found.steps, found.heldout) == (5, 0)
    assert found.training_seconds.value == pytest.approx(5 * found.seconds.whole.value)
    assert all(weight.grad is None for weight in loaded.parameters())
    assert [*tmp_path.iterdir()] == []
    with pytest.raises(UsageError, match="plan_training"):
        train("environments:Errands", model, plan=True)
