"""The example class of a GRPO guide, letter by letter, through every command; and one that scores with the model."""

import io
import json
import shlex
import sys

import pytest
from guide_env import HOTEL_ENV
from quick import flags

from grpo_env_sdk.cli import main
from grpo_env_sdk.runs.reading import open_run

JUDGED = '''
from my_envs.hotel_env import HotelEnv

class JudgedHotelEnv(HotelEnv):
    def build_dataset(self, tokenizer):
        for case in self.cases:
            chat = [{"role": "user", "content": case["prompt"]}]
            case["prompt"] = tokenizer.apply_chat_template(chat, tokenize=False, add_generation_prompt=True)
        return super().build_dataset(tokenizer)

    def score_episode(self, model, tokenizer, completion, case_idx):
        """Run a further turn of the episode from the completion and return a score."""
        inputs = tokenizer(completion + " Is this right?", return_tensors="pt").to(model.device)
        said = model.generate(**inputs, max_new_tokens=4)
        return (int(said[0, -1]) % 10) / 10

    def get_tools(self):
        return []
'''


@pytest.fixture
def my_envs(workplace, monkeypatch):
    """A working directory with the guide's module."""
    (workplace / "my_envs").mkdir()
    (workplace / "my_envs" / "hotel_env.py").write_text(HOTEL_ENV)
    (workplace / "my_envs" / "judged_env.py").write_text(JUDGED)
    monkeypatch.syspath_prepend(workplace)
    return workplace


def ran(*words, code=0):
    assert main(list(words)) == code


def training(model, env):
    """The words of a small training on one of the two rows."""
    module, _, name = env.partition(":")
    return [
        "train", "--rl-env-module", module, "--rl-env-class", name, "--model", model,
        *flags(per_device_train_batch_size=2, eval_rows=1),
    ]  # fmt: skip


def test_the_guides_class_goes_through_every_command(my_envs, models, capsys):
    env = "my_envs.hotel_env:HotelEnv"
    ran("list")
    ran("info", env)
    assert "search_hotels(city, [nights])" in capsys.readouterr().out
    ran("test", env, "--quick", "--select", "contract,S201", "--env-pool", "thread")
    ran("eval", env, "--model", "random", "--split", "all", "--out", "random")
    ran("eval", env, "--model", models(), "--max-tokens", "4", "--split", "all", "--out", "tiny")
    ran("rescore", "tiny", "--out", "again")
    ran("diff", "tiny", "again")
    ran(*training(models(), env))
    ran("eval", env, "--model", "run", "--out", "trained")
    assert "stand-in" not in capsys.readouterr().err  # nothing in it looks at its tokenizer
    assert open_run("trained").manifest["tokenizer"] is None


def test_the_guides_class_is_played(my_envs, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.StringIO("The Ritz in Paris.\n"))
    ran("play", "my_envs.hotel_env:HotelEnv")
    assert "reward 1" in capsys.readouterr().out


def test_a_class_that_renders_and_judges_is_trained_and_measured(my_envs, models, capsys):
    env = "my_envs.judged_env:JudgedHotelEnv"
    ran(*training(models(), env), "--rl-env-config", '{"max_turns": 3}')
    summary = json.loads((my_envs / "run" / "summary.json").read_text())
    assert summary["heldout"]["after"]["mean"] is not None
    assert open_run("run").manifest["tokenizer"] == models()
    told = capsys.readouterr().err
    (line,) = [line for line in told.splitlines() if line.startswith("Evaluate it:")]
    command = shlex.split(line.partition("grpo-env ")[2])
    ran(*command, "--out", "after")
    assert open_run("after").summary()["errors"] == {}
    assert open_run("after").manifest["config"] == {"max_turns": 3}
    assert next(open_run("after").episodes()).row["prompt"].startswith("<|im_start|>user")
    capsys.readouterr()
    ran("eval", env, "--model", "random", code=2)
    assert "uses_model = True" in capsys.readouterr().err
