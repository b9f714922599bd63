"""What careless environment code does to the process that trains: the run stays whole, and its end says what failed."""

import os
import warnings
from pathlib import Path

import torch
from lessons import TEMPLATES
from quick import flags

from grpo_env_sdk.cli import main
from grpo_env_sdk.runs.reading import open_run


def test_careless_code_leaves_the_run_whole_and_where_it_belongs(models, workplace, capfd):
    TEMPLATES.clear()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert main(["train", "lessons:Careless", "--model", models(), *flags(max_steps=6, sample_every=1)]) == 0
    told = capfd.readouterr().err + "".join(str(each.message) for each in caught)
    assert Path.cwd() == workplace
    assert "changes the working directory of this process, which is set back to" in told
    assert "changes variables of a launcher, which are set back: RANK, WORLD_SIZE." in told
    assert not {"RANK", "WORLD_SIZE"} & {*os.environ}
    assert "sets the default dtype to torch.bfloat16, in which rewards are rounded; it is set back." in told
    assert torch.get_default_dtype() == torch.float32
    assert open_run("run").summary()["finished"] is True
    assert {path.name for path in Path("run").iterdir()} >= {"metrics.jsonl", "episodes.jsonl", "model", "heldout"}
    its_own = Path(models(), "chat_template.jinja").read_text()
    assert TEMPLATES[0] == Path("run/model/chat_template.jinja").read_text() == its_own
    failed = [episode for episode in open_run("run").episodes() if episode.error]
    assert failed
    assert f"{len(failed)} of 24 episodes failed, most often with: " in told
    assert "the judge has gone home" in told
    assert "All reward functions returned None" not in told
