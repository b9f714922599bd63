"""A real training of a tiny model whose episodes are played on a cluster."""

import sys

import pytest

from grpo_env_sdk import open_run
from tests.doc_blocks import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


def test_a_training_plays_its_episodes_on_the_cluster(cluster, tmp_path, monkeypatch):
    pytest.importorskip("trl")
    for folder in ("", "training"):
        monkeypatch.syspath_prepend(str(ROOT / "plugins" / "grpo-env-trl" / "tests" / folder))
    from quick import quick_run
    from tiny_models import save_tiny_model

    save_tiny_model("qwen3", tmp_path / "model")
    (tmp_path / "only_elsewhere.py").write_text("from tests.environments import Guess as Elsewhere\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    where = {"env_pool": "ray", "env_workers": 4, "ray_address": cluster.address}
    quick_run("only_elsewhere:Elsewhere", str(tmp_path / "model"), tmp_path / "run", **where)
    assert "only_elsewhere" not in sys.modules
    episodes = list(open_run(tmp_path / "run").episodes())
    assert len(episodes) >= 4  # those that are kept of two steps
    assert {episode.error for episode in episodes} == {None}
    assert f"ray_address: {cluster.address}" in (tmp_path / "run" / "config.yaml").read_text()
