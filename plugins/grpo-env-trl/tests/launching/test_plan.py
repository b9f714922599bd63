"""What `--num-processes` starts, and everything that it refuses before it starts anything."""

import os
import subprocess
import sys
from dataclasses import replace

import pytest

from grpo_env_sdk.cli import main
from grpo_env_sdk.errors import UsageError
from grpo_env_trl.launching.meeting import Meeting
from grpo_env_trl.launching.plan import check_flags, launch_plan
from grpo_env_trl.launching.starting import environ_of
from grpo_env_trl.settings import read_settings

LAUNCHED = {"RANK": "0", "LOCAL_RANK": "0", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29500"}


MACHINES = ["--num-processes", "16", "--num-machines", "2", "--main-process-ip", "head"]


def task(number, job=17, nodes=2):
    """What srun says to a task of two."""
    told = {"STEP_NUM_TASKS": 2, "PROCID": number, "STEP_NUM_NODES": nodes, "JOB_ID": job, "STEP_ID": 0}
    return {f"SLURM_{name}": str(value) for name, value in told.items()}


def planned(*words, gpus=0, environ=None):
    settings = read_settings(["hotel-v1", "--model", "some/model", *words])
    return launch_plan(settings, environ or {}, lambda: gpus)


def refused(*words, **there):
    with pytest.raises(UsageError) as caught:
        planned(*words, **there)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def told_early(*words, **environ):
    """What a command says of its flags, in a process that has imported no torch."""
    text = "import sys; from grpo_env_trl.train_command import run; from grpo_env_sdk import GrpoEnvError\n"
    text += "try: run(sys.argv[1:])\nexcept GrpoEnvError as exc: print(exc)\nprint('torch' in sys.modules)"
    words = [sys.executable, "-c", text, "hotel-v1", "--model", "some/model", *words]
    return subprocess.run(words, env=os.environ | environ, capture_output=True, text=True, check=True).stdout


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_without_any_of_its_flags_nothing_is_started():
    assert planned() is None
    assert planned(gpus=8) is None


def test_one_process_trains_in_this_one():
    assert planned("--num-processes", "1", gpus=8) is None


def test_processes_on_the_cpu_see_no_gpu_and_those_on_gpus_see_theirs():
    on_cpu = planned("--use-cpu", "--num-processes", "2", gpus=1)
    assert environ_of(on_cpu, 29500)["CUDA_VISIBLE_DEVICES"] == ""
    on_gpus = planned("--num-processes", "2", gpus=2)
    assert environ_of(on_gpus, 29500).get("CUDA_VISIBLE_DEVICES") == os.environ.get("CUDA_VISIBLE_DEVICES")


def test_the_gpus_of_servers_get_no_process():
    assert planned("--vllm-server-gpus", "2", gpus=8).processes == 6
    assert planned("--vllm-server-gpus", "2", "--num-processes", "6", gpus=8).processes == 6
    assert planned("--vllm-server-gpus", "1", gpus=2) is None
    told = refused("--vllm-server-gpus", "2", "--num-processes", "8", gpus=8)
    assert "6 GPUs beside the 2 of --vllm-server-gpus" in told
    assert "--num-processes 6" in told


def test_servers_without_gpus_are_left_to_the_training_to_refuse():
    assert planned("--vllm-server-gpus", "1") is None
    assert planned("--vllm-server-gpus", "8", gpus=8) is None


def test_processes_on_a_cpu_are_plainly_data_parallel():
    plan = planned("--num-processes", "4")
    assert (plan.processes, plan.local, plan.accelerate) == (4, 4, None)


def test_the_demo_model_trains_on_the_cpu_of_a_machine_with_gpus():
    settings = read_settings(["hotel-v1", "--num-processes", "2"])
    assert launch_plan(settings, {}, lambda: 8).accelerate is None


@pytest.mark.parametrize(("name", "variable"), [
    ("ddp", None), ("fsdp2", ("FSDP_VERSION", "2")),
])  # fmt: skip
def test_a_ready_config_becomes_the_variables_of_accelerates_launcher(name, variable):
    plan = planned("--accelerate-config", name, gpus=8)
    assert plan.processes == 8
    made = plan.accelerate.environ(8, 1, 0)
    assert made["ACCELERATE_MIXED_PRECISION"] == "no"  # --bf16 says it
    assert ("ACCELERATE_USE_FSDP" in made) == (variable is not None)
    assert variable is None or made[variable[0]] == variable[1]


def test_the_numbers_of_a_config_file_are_taken_where_no_flag_gives_them(tmp_path):
    (tmp_path / "mine.yaml").write_text(
        "compute_environment: LOCAL_MACHINE\ndistributed_type: MULTI_GPU\nnum_processes: 4\nnum_machines: 2\n"
        "machine_rank: 1\nmain_process_ip: 10.0.0.1\nmain_process_port: 1234\nmixed_precision: bf16\n"
    )
    plan = planned("--accelerate-config", "mine.yaml", gpus=2)
    assert (plan.processes, plan.local, plan.machine, plan.address, plan.port) == (4, 2, 1, "10.0.0.1", 1234)
    assert plan.accelerate.environ(4, 2, 1)["ACCELERATE_MIXED_PRECISION"] == "bf16"
    first = planned("--accelerate-config", "mine.yaml", "--machine-rank", "0", "--num-processes", "2", gpus=2)
    assert (first.processes, first.local, first.machine) == (2, 1, 0)


def test_srun_knows_which_machine_this_is():
    plan = planned(*MACHINES, gpus=8, environ=task(1))
    assert (plan.machine, plan.local, plan.address) == (1, 8, "head")


def test_jobs_of_slurm_on_one_machine_meet_at_ports_of_their_own():
    plans = [planned(*MACHINES, gpus=8, environ=task(each, job=job)) for job in (17, 18) for each in (0, 1)]
    first, same, other, _ = [plan.port for plan in plans]
    assert first == same != other
    assert all(20000 <= plan.port < 30000 for plan in plans)
    assert planned(*MACHINES, "--main-process-port", "1234", gpus=8, environ=task(0)).port == 1234
    assert planned(*MACHINES, "--machine-rank", "1", gpus=8).port == 29500


def test_machines_of_another_job_are_refused_where_they_meet():
    plan = replace(planned(*MACHINES, "--main-process-port", "1", gpus=8, environ=task(0)), address="127.0.0.1", port=0)
    first = Meeting(plan)
    other = Meeting(replace(plan, machine=1, port=first.port, step=replace(plan.step, name="18.0")))
    first._store.set("machine/0", "16 processes on 2 machines of Slurm's step 17.0")
    with pytest.raises(UsageError, match="step 18"):
        other.wait_for_all()


def test_two_tasks_on_one_node_with_gpus_are_refused():
    assert "srun put 2 tasks on 1 node" in refused(*MACHINES, gpus=8, environ=task(0, nodes=1))
    assert planned(*MACHINES, "--use-cpu", environ=task(0, nodes=1)).local == 8


@pytest.mark.parametrize(("words", "gpus", "told"), [
    (["--num-processes", "9"], 8, ["9 processes", "8 GPUs", "--num-processes 8"]),
    (["--accelerate-config", "fsdp2", "--num-processes", "2"], 0, ["fsdp2", "no GPU"]),
    (["--accelerate-config", "fsdp2", "--num-processes", "2", "--use-cpu"], 2, ["fsdp2", "on the CPU"]),
    (["--accelerate-config", "ddp"], 0, ["--num-processes 2"]),
    (["--accelerate-config", "zero4"], 8, ["zero4", "Did you mean 'zero"]),
    (["--accelerate-config", "nowhere/it.yaml"], 8, ["nowhere/it.yaml", "no such file", "fsdp2"]),
    (["--num-processes", "5", "--num-machines", "2"], 8, ["5 processes", "2 machines"]),
    (["--num-processes", "4", "--num-machines", "2"], 8, ["--machine-rank"]),
    (["--num-processes", "4", "--num-machines", "2", "--machine-rank", "0"], 8, ["--main-process-ip"]),
    (["--num-processes", "4", "--num-machines", "2", "--machine-rank", "2"], 8, ["--machine-rank is 2", "from 0 to 1"]),
    (["--num-processes", "2", "--main-process-port", "70000"], 8, ["70000", "65535"]),
    (["--num-processes", "2", "--machine-rank", "1"], 8, ["--machine-rank is 1", "--num-machines"]),
])  # fmt: skip
def test_what_cannot_work_is_refused(words, gpus, told):
    message = refused(*words, gpus=gpus)
    assert [part for part in told if part not in message] == []


@pytest.mark.parametrize("text", ["nonsense: [", "distributed_type: MULTI_GPU\nwrong_key: 1\n", "- a\n- b\n", "\0", ""])
def test_a_file_that_is_no_config_of_accelerate_is_refused(text, tmp_path):
    (tmp_path / "mine.yaml").write_text(text)
    assert "mine.yaml" in refused("--accelerate-config", "mine.yaml", "--num-processes", "2", gpus=2)


@pytest.mark.parametrize("field", ["num_processes", "machine_rank"])
def test_words_for_numbers_in_a_config_file_are_refused(field, tmp_path):
    (tmp_path / "mine.yaml").write_text(
        f"compute_environment: LOCAL_MACHINE\ndistributed_type: MULTI_GPU\n{field}: four\n"
    )
    assert f"{field}: 'four'" in refused("--accelerate-config", "mine.yaml", gpus=8)


def test_a_config_for_cpus_trains_on_cpus(tmp_path):
    (tmp_path / "mine.yaml").write_text(
        "compute_environment: LOCAL_MACHINE\ndistributed_type: MULTI_CPU\nnum_processes: 4\n"
    )
    plan = planned("--accelerate-config", "mine.yaml", gpus=2)
    assert (plan.processes, plan.accelerate) == (4, None)


@pytest.mark.parametrize("kind", ["XLA", "MEGATRON_LM"])
def test_a_config_for_other_devices_is_refused(kind, tmp_path):
    (tmp_path / "mine.yaml").write_text(f"compute_environment: LOCAL_MACHINE\ndistributed_type: {kind}\n")
    assert kind in refused("--accelerate-config", "mine.yaml", "--num-processes", "2", gpus=2)


def test_under_another_launcher_flags_are_refused_and_a_file_is_compared():
    told = refused("--num-processes", "2", environ={"WORLD_SIZE": "2"})
    assert "2 processes already" in told
    assert "Leave out --num-processes" in told
    (file := os.path.abspath("config.yaml"))
    with open(file, "w") as config:
        config.write("num_processes: 2\n")
    assert planned("--config", file, environ=LAUNCHED | {"WORLD_SIZE": "2"}) is None
    assert planned("--config", file).processes == 2


def test_half_of_what_a_launcher_sets_is_refused():
    assert planned(environ={"WORLD_SIZE": "1"}) is None
    told = refused(environ={"WORLD_SIZE": "8", "RANK": "0", "MASTER_ADDR": "head"})
    assert "WORLD_SIZE is 8" in told
    assert "without LOCAL_RANK, MASTER_PORT" in told
    assert "unset WORLD_SIZE" in told


def test_tasks_of_srun_that_would_each_train_on_their_own_are_refused():
    slurm = {"SLURM_STEP_NUM_TASKS": "8", "SLURM_PROCID": "0"}
    assert "8 tasks" in refused(environ=slurm)
    assert "8 tasks" in refused("--num-processes", "8", environ=slurm)
    torchrun = LAUNCHED | {"WORLD_SIZE": "16"}
    assert planned(environ=slurm | torchrun) is None
    assert planned(environ=slurm | torchrun | {"GROUP_WORLD_SIZE": "8"}) is None
    assert "--rdzv_endpoint" in refused(environ=slurm | torchrun | {"GROUP_WORLD_SIZE": "1"})  # --standalone in each
    assert planned(environ=slurm | {"SLURM_STEP_NUM_TASKS": "1"}) is None


def test_the_first_task_alone_says_why_all_are_refused():
    with pytest.raises(SystemExit) as caught:
        planned(environ={"SLURM_STEP_NUM_TASKS": "8", "SLURM_PROCID": "3"})
    assert caught.value.code == 2


def test_what_slurm_left_behind_in_a_shell_counts_for_one_machine_no_more():
    left = {"SLURM_STEP_NUM_TASKS": "1", "SLURM_PROCID": "3"}
    assert planned("--num-processes", "8", gpus=8, environ=left).machine == 0
    two = ["--num-processes", "8", "--num-machines", "2", "--main-process-ip", "head"]
    assert "--machine-rank" in refused(*two, gpus=8, environ={"SLURM_STEP_NUM_TASKS": "2"})


@pytest.mark.parametrize("words", [["--num-processes", "0"], ["--num-processes", "two"], ["--num-machines", "-1"]])
def test_numbers_that_are_none_are_refused_with_their_flag(words, capsys):
    assert main(["train", "hotel-v1", *words]) == 2
    assert words[0] in capsys.readouterr().err


def test_a_refusal_leaves_nothing_behind(tmp_path, capsys):
    assert main(["train", "hotel-v1", "--num-processes", "2", "--accelerate-config", "fsdp2"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert [*tmp_path.iterdir()] == []


def test_far_more_processes_than_cores_are_refused():
    told = refused("--num-processes", "100000")
    assert "100000 processes were asked for on a machine with " in told
    assert f"Give --num-processes {os.cpu_count()}, one for each core." in told


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--machine-rank", "7"], "--machine-rank is 7, of 1."),
        (["--num-machines", "2", "--machine-rank", "0"], "--num-machines 2 needs --main-process-ip"),
        ([*MACHINES, "--machine-rank", "2"], "--machine-rank is 2, of 2."),
        ([*MACHINES], "--num-machines 2 needs --machine-rank"),
        (["--accelerate-config", "none.yaml"], "--accelerate-config none.yaml: there is no such file."),
    ],
)
def test_flags_that_cannot_fit_are_refused_before_torch_is_imported(words, told):
    said, torch = told_early(*words).splitlines()
    assert told in said
    assert torch == "False"


def test_flags_that_repeat_a_launcher_are_refused_before_torch_is_imported():
    said, torch = told_early("--num-processes", "2", **LAUNCHED, WORLD_SIZE="2").splitlines()
    assert "A launcher started 2 processes already" in said
    assert torch == "False"


def test_a_config_that_may_name_the_machines_is_read_before_flags_are_judged(tmp_path):
    file = tmp_path / "machines.yaml"
    file.write_text("num_machines: 8\n")
    for given in ({"accelerate_config": str(file)}, {"config": "train.yaml"}, {"plan": True}):
        check_flags({"machine_rank": 7, **given}, {})
