"""`grpo-env train --trainer async`, whose vLLM server is a stub over HTTP that holds a real model."""

import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from tiny_models import save_tiny_model
from transformers import AutoModelForCausalLM, AutoTokenizer, TrainerCallback
from vllm_stub import VLLMStub

from grpo_env_sdk import Sampling, evaluate
from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.ext import UnusablePolicyError
from grpo_env_sdk.runs.reading import open_run
from grpo_env_trl.env_weights import env_folder
from grpo_env_trl.inference.policy import TransformersPolicy
from grpo_env_trl.inference.sampling_params import SamplingParams
from grpo_env_trl.preflight import environment, lengths
from grpo_env_trl.preflight.asynchronous import problems
from grpo_env_trl.preflight.planned_training import PlannedTraining
from grpo_env_trl.runs.run_folder import RunFolder
from grpo_env_trl.settings.reading import settings_from_arguments
from grpo_env_trl.setup.preparing import prepare
from grpo_env_trl.train_command import settings_of
from grpo_env_trl.training.display import Display
from grpo_env_trl.training.session import run_training
from tests.stub_server import error

sys.path.insert(0, str(Path(__file__).parent.parent / "training"))
SMALL = {
    "trainer": "async", "max_steps": 2, "per_device_train_batch_size": 4, "num_generations": 2,
    "max_completion_length": 12, "learning_rate": 1e-3, "eval_rows": 2, "sample_every": 1, "save_strategy": "no",
    "gradient_checkpointing": False, "token_budget": 4096, "use_cpu": True, "max_staleness": 2,
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The folder of a tiny model."""
    return save_tiny_model("qwen3", tmp_path_factory.mktemp("model") / "tiny")


@pytest.fixture
def server(folder):
    """A server with the same model."""
    with VLLMStub(AutoModelForCausalLM.from_pretrained(folder), context=4096) as stub:
        yield stub


def setup_of(folder, server, **changes):
    return prepare(settings_from_arguments(
        {"env": "lessons:Haggle", "model": str(folder), "vllm_server_url": server.base, **SMALL, **changes}, False
    ))  # fmt: skip


def trained(setup):
    with Display(quiet=True) as display:
        return run_training(setup, display)


def said(run):
    """What was said on each row."""
    return {one.row_index: one.completion for one in open_run(run).episodes()}


def said_in_this_process(model, out):
    """What a model says on the held-out rows where transformers samples the likeliest tokens."""
    opened = AutoModelForCausalLM.from_pretrained(model), AutoTokenizer.from_pretrained(model)
    policy = TransformersPolicy(*opened, usual=SamplingParams(max_completion_length=SMALL["max_completion_length"]))
    evaluate("lessons:Haggle", policy, rows=2, sampling=Sampling(temperature=0.0), out=out)
    return said(out)


@pytest.mark.slow
def test_a_run_is_trained_written_and_resumed(folder, server, sent, tmp_path):
    saved = {"save_strategy": "steps", "save_steps": 1}
    made = trained(setup_of(folder, server, out=str(tmp_path / "run"), weight_sync_steps=3, **saved))
    run = open_run(made.run)
    assert (run.summary()["steps"], run.summary()["finished"]) == (2, True)
    logged = list(RunFolder(made.run).logged())
    assert {"reward", "sample/staleness_mean", "episodes/turns"} <= logged[0].keys()
    assert [episode.env for episode in run.episodes()]
    assert (made.run / "report.html").is_file()
    before, after = (AutoModelForCausalLM.from_pretrained(one) for one in (folder, made.run / "model"))
    assert any(not torch.equal(*pair) for pair in zip(before.parameters(), after.parameters(), strict=True))
    assert len(sent) == 2  # before the first step, and for the held-out rows after the last
    for name, model in (("before", folder), ("after", made.run / "model")):
        assert said(made.run / "heldout" / f"{name}-greedy") == said_in_this_process(model, tmp_path / name)
    assert run.summary()["heldout"] == made.heldout
    assert None not in [value for name in ("before", "after") for value in made.heldout[name].values()]

    (made.run / "summary.json").unlink()  # as if it had been stopped
    again = trained(prepare(settings_of(["--resume", str(made.run), "--max-steps", "3"])))
    assert again.steps == 3
    assert [entry["step"] for entry in RunFolder(made.run).logged() if "loss" in entry] == [1, 2, 3]


@pytest.mark.slow
def test_several_environments_are_trained_measured_and_resumed(folder, server, sent, tmp_path):
    names = {"lessons:Haggle": 2, "lessons:Spell": 1}
    one_by_one = {"token_budget": 0, "max_inflight_tasks": 2, "per_device_train_batch_size": 6}
    saved = {"save_strategy": "steps", "save_steps": 1, **one_by_one}
    made = trained(setup_of(folder, server, env=None, envs=names, out=str(tmp_path / "run"), **saved))
    logged = [entry for entry in RunFolder(made.run).logged() if "loss" in entry]
    assert {f"env/{name}/reward" for name in names} <= {key for entry in logged for key in entry}
    assert {episode.env for episode in open_run(made.run).episodes()} == names.keys()
    assert {name: env["weight"] for name, env in made.environments.items()} == names
    for env in made.environments.values():
        assert None not in [value for found in env["heldout"].values() for value in found.values()]
    for name, env in made.environments.items():
        run = open_run(made.run / "heldout" / env_folder(name) / "after")
        assert run.summary()["reward"]["mean"] == env["heldout"]["after"]["mean"]

    (made.run / "summary.json").unlink()  # as if it had been stopped
    again = trained(prepare(settings_of(["--resume", str(made.run), "--max-steps", "3"])))
    assert (again.steps, again.finished) == (3, True)


@pytest.mark.slow
@pytest.mark.parametrize("pool", ["process", "sandbox"])
def test_episodes_in_workers_are_trained_on(folder, server, sent, tmp_path, pool):
    made = trained(setup_of(folder, server, env_pool=pool, env_workers=2, out=str(tmp_path / "run"), max_steps=1))
    assert (made.steps, made.finished) == (1, True)
    assert None not in [value for found in made.heldout.values() for value in found.values()]
    assert not [one for one in open_run(made.run).episodes() if one.error]


class Breaks(TrainerCallback):
    """The server fails at held-out rows from the first step on."""

    def __init__(self, server):
        self.server, self.broken = server, False
        server.when('"temperature": 0.0', self.greedy)

    def on_step_end(self, args, state, control, **kwargs):
        self.broken = True

    def greedy(self, asked):
        return error(500, "out of memory")(asked) if self.broken else self.server.samples(asked)


@pytest.mark.slow
def test_a_server_that_fails_after_the_last_step_leaves_a_training_that_only_has_to_be_measured(
    folder, server, sent, tmp_path
):
    saved = {"save_strategy": "steps", "save_steps": 2, "vllm_server_timeout": 1}
    setup = setup_of(folder, server, out=str(tmp_path / "run"), **saved)
    breaks = Breaks(server)
    with pytest.raises(UnusablePolicyError, match="out of memory") as raised, Display(quiet=True) as display:
        run_training(setup, display, [breaks])
    assert "grpo-env train --resume" in raised.value.hint
    run = open_run(tmp_path / "run")
    assert run.summary() is None
    assert (tmp_path / "run" / "model" / "config.json").is_file()
    breaks.broken = False
    again = trained(prepare(settings_of(["--resume", str(run.path)])))
    assert (again.steps, again.finished) == (2, True)
    assert [entry["step"] for entry in RunFolder(run.path).logged() if "loss" in entry] == [1, 2]
    assert None not in [value for name in ("before", "after") for value in again.heldout[name].values()]


class Refuses(TrainerCallback):
    """The server takes no weights from the first step on."""

    def __init__(self, server):
        self.server = server

    def on_step_begin(self, args, state, control, **kwargs):
        self.server.refused.add("/pause")


@pytest.mark.slow
def test_a_server_that_takes_no_weights_ends_the_training_in_one_line(folder, server, sent, tmp_path):
    setup = setup_of(folder, server, out=str(tmp_path / "run"), eval_rows=0)
    with (
        pytest.raises(UnusablePolicyError, match=r"took no weights: .*no memory") as raised,
        Display(quiet=True) as one,
    ):
        run_training(setup, one, [Refuses(server)])
    assert "grpo-env train --resume" in raised.value.hint
    assert len(sent) == 1


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"model": None}, "cannot train the demo model"),
        ({"bridge": "native"}, "the bridge is native"),
        ({"reward_func": ["trl.rewards:think_format_reward"]}, "no reward functions from outside"),
        ({"attn_implementation": "eager"}, "attention of its own"),
        ({"eval_strategy": "steps"}, "--eval-strategy is steps"),
    ],
)
def test_what_does_not_go_with_it_is_a_problem_of_the_preflight(folder, server, changes, told):
    setup = setup_of(folder, server, **{name: value for name, value in changes.items() if value is not None})
    if changes.get("model", "") is None:
        setup = prepare(settings_from_arguments({"env": "hotel-v1", "vllm_server_url": server.base, **SMALL}, False))
    assert any(told in str(problem) for problem in problems(PlannedTraining(setup)))


def test_several_servers_are_refused_as_one_alone_would_be_used(folder, server):
    (problem,) = problems(
        PlannedTraining(setup_of(folder, server, vllm_server_url=[server.base, "http://127.0.0.1:9"]))
    )
    assert "one vLLM server, and there are 2" in str(problem)


@pytest.mark.parametrize(
    ("env", "changes", "told", "fatal"),
    [
        ("lessons:Judge", {}, "scores with the model, which trains meanwhile", True),
        ("lessons:Haggle", {"token_budget": 10}, "every episode has more tokens", True),
        ("lessons:Haggle", {"token_budget": 40}, "may have .* tokens: what fits into no row is not trained on", False),
    ],
)
def test_what_would_never_end_is_found_before_it_begins(folder, server, env, changes, told, fatal):
    planned = PlannedTraining(setup_of(folder, server, env=env, **changes))
    found = [problem for check in (environment, lengths) for problem in check.problems(planned)]
    assert [problem.fatal for problem in found if re.search(told, str(problem))] == [fatal]


def test_weights_that_zero_3_has_in_parts_are_refused(folder, server):
    setup = setup_of(folder, server)
    assert not [*problems(PlannedTraining(setup))]
    setup.args.deepspeed_plugin = SimpleNamespace(zero_stage=3)  # as accelerate's launcher sets it up
    (problem,) = problems(PlannedTraining(setup))
    assert "ZeRO-3" in str(problem)


def test_a_setting_of_the_other_trainer_is_named(folder, server):
    with pytest.raises(UsageError, match="has no --beta, --loss-type"):
        assert setup_of(folder, server, beta=0.1, loss_type="cispo").async_args
