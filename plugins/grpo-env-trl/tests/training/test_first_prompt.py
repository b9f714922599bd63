"""What a dry run shows: the first prompt exactly as the model will read it."""

import json
import re

import pytest
from quick import flags

from grpo_env_sdk import MultiTurnEnv, open_run
from grpo_env_sdk.cli import main


class Rendered:
    """A plain class that renders its prompts."""

    def build_dataset(self, tokenizer):
        return [{"prompt": self.prompt(tokenizer, f"Say {place}.")} for place in range(20)]

    def prompt(self, tokenizer, text):
        asked = [{"role": "user", "content": text}]
        return tokenizer.apply_chat_template(asked, tokenize=False, add_generation_prompt=True)

    def score_episode(self, model, tokenizer, completion):
        return len(completion) % 3 / 3


class Plain(Rendered):
    """The same task as plain text."""

    def prompt(self, tokenizer, text):
        return text


class Counted(Plain):
    """The same, and a file with a dot for each answer that was scored."""

    def score_episode(self, model, tokenizer, completion):
        with open("scored.txt", "a") as file:
            file.write(".")
        return super().score_episode(model, tokenizer, completion)


class CountedToo(Counted):
    """Another environment of the same task."""


class Solved(Plain):
    """The same with an answer, so that a demo model can be built."""

    def solve(self, row):
        return row["prompt"].removeprefix("Say ")


class Board(MultiTurnEnv):
    """An episode opens with a board that no row has."""

    max_turns = 2

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Play {place}."} for place in range(20)]

    def reset(self, seed=None, options=None):
        super().reset(seed=seed, options=options)
        return "The board is \x1bempty.", {}

    def step(self, action):
        return "more", len(action["content"]) % 3 / 3, False, False, {}


@pytest.fixture
def shown(workplace, capsys):
    """What a dry run writes for people, and for programs."""

    def run(env, *words):
        capsys.readouterr()
        command = ["train", f"test_first_prompt:{env}", "--dry-run", *words, *flags(eval_rows=0)]
        assert main(command) == 0
        told = capsys.readouterr().out
        assert main([*command, "--json"]) == 0
        return told, json.loads(capsys.readouterr().out)["first_prompt"]

    return run


QWEN = "<|im_start|>user\n{}<|im_end|>\n<|im_start|>assistant\n"


def count_tokens(text):
    """The tokens of the tiny models: one for each byte and each special token."""
    return len(re.sub(r"<\|\w+\|>|<s>", "x", text))


@pytest.mark.parametrize("bridge", ["native", "rollout"])
@pytest.mark.parametrize("env", ["Plain", "Rendered"])
def test_a_text_is_rendered_once_whoever_rendered_it(shown, models, env, bridge):
    told, prompt = shown(env, "--model", models(), "--bridge", bridge)
    place = prompt["row"]
    text = QWEN.format(f"Say {place}.")
    assert prompt == {
        "row": place, "text": text, "tokens": count_tokens(text), "rendered_already": env == "Rendered"
    }  # fmt: skip
    assert f"(row {place}, {prompt['tokens']} tokens" in told
    assert told.endswith(f":\n{text}\n")
    assert ("rendered by build_dataset" in told) == (env == "Rendered")


def test_a_bos_token_is_there_once(shown, models):
    for env in ("Plain", "Rendered"):
        _, prompt = shown(env, "--model", models("llama2"))
        assert prompt["text"] == f"<s>[INST] Say {prompt['row']}. [/INST]"


def test_what_a_reset_adds_is_part_of_it_and_cannot_steer_the_terminal(shown, models):
    told, prompt = shown("Board", "--model", models())
    assert prompt["text"] == QWEN.format(f"Play {prompt['row']}.\n\nThe board is \x1bempty.")
    assert "The board is \N{REPLACEMENT CHARACTER}empty." in told


def test_a_dry_run_of_several_environments_plays_each_once(workplace, models):
    envs = ("test_first_prompt:Counted", "test_first_prompt:CountedToo")
    assert main(["train", *envs, "--model", models(), "--dry-run", *flags(eval_rows=0)]) == 0
    assert (workplace / "scored.txt").read_text() == "." * 16


def test_the_prompt_of_a_demo_model_that_is_not_built_yet_is_shown_too(shown):
    _, prompt = shown("Solved", "--per-device-train-batch-size", "4")
    assert prompt["text"] == f"<|im_start|>user\nSay {prompt['row']}.<|im_end|><|im_start|>assistant\n"
    assert prompt["tokens"] is None


def test_a_training_and_its_held_out_rows_read_rendered_prompts_and_say_so_once(workplace, models, capsys):
    words = ["train", "test_first_prompt:Rendered", "--model", models("llama2"), *flags(max_steps=1)]
    assert main(words) == 0
    assert capsys.readouterr().err.count("already rendered") == 1
    run = open_run("run")
    asked = {f"<s>[INST] Say {place}. [/INST]" for place in range(20)}
    for found in (run, open_run(run.path / "heldout" / "before"), open_run(run.path / "heldout" / "after")):
        for episode in found.episodes():
            assert episode.row["prompt"] in asked
            assert episode.messages[0] == {"role": "user", "content": episode.row["prompt"]}
    heldout = [*open_run(run.path / "heldout" / "before").episodes()]
    for episode in heldout:
        assert episode.usage["prompt_tokens"] == count_tokens(episode.row["prompt"])


class Written(Rendered):
    """Prompts that somebody rendered long ago, so that no tokenizer is needed."""

    def prompt(self, tokenizer, text):
        return QWEN.format(text)


def test_eval_with_a_folder_reads_them_too(workplace, models, capsys):
    assert main(["eval", "test_first_prompt:Written", "--model", models(), "-n", "3", "--out", "measured"]) == 0
    assert capsys.readouterr().err.count("already rendered") == 1
    for episode in open_run("measured").episodes():
        assert episode.usage["prompt_tokens"] == count_tokens(episode.row["prompt"])
