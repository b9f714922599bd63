"""`grpo-env eval --baselines`: what gold and random score stays with the run."""

import json


def test_baselines_are_kept_in_the_run(grpo_env, tmp_path):
    words = ("tests.environments:Guess", "--model", "echo", "--split", "all", "--out", "a")
    grpo_env("eval", *words, "--baselines")
    for again in (("runs", "show", "a"), ("eval", "--resume", "a"), ("runs", "show", "a")):
        assert "baseline gold    1.000" in grpo_env(*again).stdout
    assert json.loads(grpo_env("runs", "show", "a", "--json").stdout)["summary"]["baselines"]["gold"]["mean"] == 1.0
    (tmp_path / "a" / "summary.json").write_text("{")
    assert "baseline" not in grpo_env("eval", "--resume", "a").stdout
    assert "baseline gold    1.000" in grpo_env("eval", "--resume", "a", "--baselines").stdout
