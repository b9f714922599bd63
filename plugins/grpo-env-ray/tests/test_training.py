"""Real trainings of a tiny model whose episodes are played on a cluster."""

import sys

import pytest

from grpo_env_sdk import open_run
from tests.doc_blocks import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


@pytest.fixture
def model(tmp_path, monkeypatch):
    """The folder of a tiny model, and an environment that this process never imports."""
    pytest.importorskip("trl")
    for folder in ("", "training"):
        monkeypatch.syspath_prepend(str(ROOT / "plugins" / "grpo-env-trl" / "tests" / folder))
    from tiny_models import save_tiny_model

    (tmp_path / "only_elsewhere.py").write_text("from tests.environments import Guess as Elsewhere\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    return save_tiny_model("qwen3", tmp_path / "model")


def check(run, cluster, heldout):
    """The run has episodes that were played on the cluster alone."""
    assert "only_elsewhere" not in sys.modules
    episodes = list(open_run(run).episodes())
    assert len(episodes) >= 4  # those that are kept of two steps
    assert {episode.error for episode in episodes} == {None}
    assert None not in [found["mean"] for found in heldout.values()]
    assert f"ray_address: {cluster.address}" in (run / "config.yaml").read_text()


def test_a_training_plays_its_episodes_on_the_cluster(cluster, model, tmp_path):
    from quick import quick_run

    where = {"env_pool": "ray", "env_workers": 4, "ray_address": cluster.address}
    made = quick_run("only_elsewhere:Elsewhere", str(model), tmp_path / "run", **where)
    check(tmp_path / "run", cluster, made.heldout)


def test_an_asynchronous_training_plays_its_episodes_on_the_cluster(cluster, model, tmp_path, monkeypatch):
    from asynchronous.on_cpu import train_on_cpu
    from quick import QUICK
    from transformers import AutoModelForCausalLM
    from vllm_stub import VLLMStub

    from grpo_env_trl.settings.reading import settings_from_arguments
    from grpo_env_trl.setup.preparing import prepare
    from grpo_env_trl.training.display import Display
    from grpo_env_trl.training.session import run_training

    train_on_cpu(tmp_path, [], monkeypatch.setattr)
    where = {"env_pool": "ray", "env_workers": 2, "ray_address": cluster.address, "out": str(tmp_path / "run")}
    how = {"trainer": "async", "use_cpu": True, "token_budget": 4096, "max_staleness": 2, "sample_every": 1}
    what = {"env": "only_elsewhere:Elsewhere", "model": str(model)}
    with VLLMStub(AutoModelForCausalLM.from_pretrained(model), context=4096) as server, Display(quiet=True) as display:
        given = {**QUICK, **what, **how, **where, "vllm_server_url": server.base}
        made = run_training(prepare(settings_from_arguments(given, False)), display)
    assert (made.steps, made.finished) == (2, True)
    check(tmp_path / "run", cluster, made.heldout)
