"""Environment code in worker processes: what it does to its process costs one episode, and nothing else."""

import json
import os

import pytest

from grpo_env_sdk import Limits, evaluate, load, reward
from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.isolation.processes.env_pool import EnvPool
from tests.environments import ALL, Countdown
from tests.rollout.hostile_envs import ACTS, Counting, Digging, Hostile, Lending, ScoresByModel
from tests.rollout.worker_processes import is_alive, played, standard_error_in

EXAMPLES = ("arithmetic-v1", "code-v1", "hotel-v1", "judge-v1", "shapes-v1", "sql-v1", "tickets-v1", "wordle-v1")


@pytest.fixture(scope="module")
def attacked(tmp_path_factory):
    folder = tmp_path_factory.mktemp("attacked")
    with standard_error_in(folder / "stderr"):
        found = evaluate(
            Hostile, "random", config={"pids": str(folder / "pids")}, split="all", limits=Limits(call_seconds=1.0),
            samples=2, env_pool="process", env_workers=2, env_memory=0.5,
        )  # fmt: skip
    return folder, {(episode.row["act"], episode.sample): episode for episode in found.kept}


def test_every_episode_of_an_attack_has_a_record_and_the_harmless_ones_a_score(attacked):
    _, episodes = attacked
    assert len(episodes) == 2 * len(ACTS)
    for act in ("behave", "wander", "write", "fork"):
        for sample in range(2):
            assert (episodes[act, sample].reward, episodes[act, sample].error) == (1.0, None)


@pytest.mark.parametrize(
    ("act", "told"),
    [
        ("crash", "SIGSEGV"),
        ("exit", "exit code 3"),
        ("slam", "closed a descriptor"),
    ],
)
def test_a_process_that_ends_costs_its_episode_which_says_how_and_in_which_row(attacked, act, told):
    for sample in range(2):
        episode = attacked[1][act, sample]
        assert (episode.stop_reason, episode.reward, episode.error.stage) == ("env_error", None, "step")
        assert told in episode.error.message
        assert f"row {episode.row_index}, sample {sample}" in episode.error.message


@pytest.mark.parametrize("act", ["spin", "match", "hang"])
def test_code_that_holds_the_interpreter_or_hangs_is_a_timeout(attacked, act):
    for sample in range(2):
        episode = attacked[1][act, sample]
        assert (episode.stop_reason, episode.error.type) == ("timeout", "DeadlineError")
        assert "step did not come back within 1 s" in episode.error.message


def test_a_tool_s_own_time_holds_too():
    (episode,) = evaluate(Digging, "gold", split="all", limits=Limits(call_seconds=300), env_pool="process").kept
    assert episode.stop_reason == "timeout"
    assert "the tool 'dig' did not come back within 0.5 s" in episode.error.message


def test_memory_beyond_the_limit_and_an_exit_are_errors_of_the_episode(attacked):
    assert attacked[1]["hoard", 0].error.type == "MemoryError"
    assert attacked[1]["leave", 0].error.type == "SystemExit"


def test_each_worker_has_a_folder_of_its_own_that_an_episode_cannot_leave_for_the_next(attacked):
    _, episodes = attacked
    told = [json.loads(one.messages[-1]["content"]) for one in episodes.values() if one.error is None]
    assert all(where["folder"] == where["temporary"] != os.getcwd() for where in told)
    assert all(where["new"] == "" for where in told)
    assert not any(os.path.exists(where["folder"]) for where in told)


def test_what_it_prints_is_shown_and_is_no_answer_and_no_output_of_the_command(attacked):
    folder, _ = attacked
    shown = (folder / "stderr").read_text()
    assert (shown.count("written\n"), shown.count("printed, and never flushed\n")) == (2, 2)


def test_processes_that_an_episode_left_are_gone_with_the_run(attacked):
    folder, _ = attacked
    pids = [int(pid) for pid in (folder / "pids").read_text().split()]
    assert len(pids) == 6
    assert not any(map(is_alive, pids))


@pytest.mark.parametrize("env", ALL)
def test_records_are_those_of_the_thread_pool(env):
    assert played(env, "random", "process") == played(env, "random", "thread")


@pytest.mark.slow
@pytest.mark.parametrize("env", EXAMPLES)
@pytest.mark.parametrize("policy", ["gold", "random"])
def test_records_of_the_examples_are_those_of_the_thread_pool(env, policy):
    if policy == "gold" and not load(env).traits.solvable:
        pytest.skip("it has no gold")
    assert played(env, policy, "process") == played(env, policy, "thread")


def test_a_shared_instance_that_keeps_state_lives_in_one_worker():
    found = evaluate(Counting, "echo", split="all", env_pool="process", env_workers=2)
    assert sorted(episode.reward for episode in found.kept) == [1, 2, 3, 4, 5, 6]


def test_what_a_class_shares_is_opened_once_in_each_worker_and_closed(tmp_path):
    found = evaluate(Lending, "echo", config={"log": str(tmp_path / "log")}, split="all", env_pool="process",
                     env_workers=2)  # fmt: skip
    assert {episode.reward for episode in found.kept} == {1.0}
    told = (tmp_path / "log").read_text().split()
    assert 1 <= told.count("opened") <= 2
    assert told.count("opened") == told.count("closed")


@pytest.mark.parametrize(
    ("refused", "told"),
    [
        ({"env": Countdown()}, "instance"),
        ({"env": ScoresByModel}, "uses_model"),
        ({"env": type("Inner", (Countdown,), {"__qualname__": "f.<locals>.Inner"})}, "defined in a function"),
        ({"env": type("Typed", (Countdown,), {"__module__": "__main__"})}, "script or notebook"),
        ({"env": Countdown, "env_workers": 0}, "env_workers"),
        ({"env": Countdown, "env_pool": "threads"}, "Did you mean 'thread'"),
        ({"env": Countdown, "env_pool": "thread", "env_workers": 2}, "env_pool='process'"),
        ({"env": Countdown, "env_memory": -1.0}, "env_memory"),
        ({"env": Countdown, "env_memory": float("inf")}, "env_memory"),
        ({"env": Countdown, "env_memory": 0.01}, "Give a process more: env_memory="),
    ],
)
def test_what_cannot_run_in_another_process_is_refused_in_one_line(refused, told):
    with pytest.raises(UsageError, match=told):
        evaluate(**{"policy": "echo", "env_pool": "process", "split": "all", **refused})


def test_a_reward_that_is_a_closure_is_refused_for_another_process():
    from grpo_env_sdk.rollout.process_order import order_for

    @reward
    def inner(completion):
        return 1.0

    with pytest.raises(UsageError, match=r"The reward inner .* no function of a module"):
        order_for(load("hotel-v1", rewards=[inner]))


def test_a_scorer_that_reads_the_model_of_the_run_is_told_that_it_is_elsewhere():
    from grpo_env_sdk.rollout.absent_model import AbsentModel

    for use in (lambda model: model.generate, lambda model: model(1), lambda model: setattr(model, "x", 1)):
        with pytest.raises(UsageError, match="hotel-v1 scores with the live model"):
            use(AbsentModel("hotel-v1"))


def test_a_pool_says_how_many_workers_it_has():
    assert EnvPool("process", 3).workers == 3
    assert EnvPool("process").workers == len(os.sched_getaffinity(0))


@pytest.mark.parametrize(("given", "name"), [((2,), "env_workers"), ((None, 1.5), "env_memory")])
def test_what_is_for_worker_processes_is_refused_for_threads_in_words_of_python_too(given, name):
    with pytest.raises(UsageError, match=rf"^{name} is for worker processes.*in Python EnvPool\(\"process\"\)"):
        EnvPool("thread", *given)
