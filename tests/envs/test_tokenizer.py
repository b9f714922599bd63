"""The tokenizer of an environment: who needs one, and what it gets where none is named."""

import warnings
from types import SimpleNamespace

import pytest

from grpo_env_sdk import MultiTurnEnv, evaluate, load, make, to_gymnasium
from grpo_env_sdk.cli import main
from grpo_env_sdk.envs.stand_in_tokenizer import STAND_IN
from grpo_env_sdk.errors import DatasetError, GrpoEnvWarning, UsageError
from grpo_env_sdk.policies.make import tokenizer_for
from grpo_env_sdk.runs.reading import open_run

MARKS = SimpleNamespace(
    name_or_path="marks", encode=lambda text: [1, 2],
    apply_chat_template=lambda messages, **how: f"[{messages[0]['content']}]",
)  # fmt: skip


class Rendered:
    """Its prompts are text that a tokenizer rendered."""

    def build_dataset(self, tokenizer):
        chats = [[{"role": "user", "content": f"Say {number}."}] for number in range(20)]
        return [{"prompt": tokenizer.apply_chat_template(chat, tokenize=False)} for chat in chats]

    def score_episode(self, model, tokenizer, completion):
        return 1.0


class Counted:
    """Its scores are in tokens; its rows need none."""

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Say {number}."} for number in range(20)]

    def score_episode(self, model, tokenizer, completion):
        return min(1.0, len(tokenizer.encode(completion)) / 10)


class Guarded(Rendered):
    """Does without a tokenizer where there is none."""

    def build_dataset(self, tokenizer):
        return super().build_dataset(tokenizer) if tokenizer is not None else [{"prompt": "Say it."}] * 20


class PassedOn(Guarded):
    """Hands everything to the class that it extends."""

    def score_episode(self, model, tokenizer, completion):
        return super().score_episode(model, tokenizer, completion)


class Turns(MultiTurnEnv):
    """Draws its own rows in `reset`."""

    build_dataset = Rendered.build_dataset

    def step(self, action):
        return "", 1.0, True, False, {}


def first_prompt(env, **given):
    return load(env, **given).rows()[0]["prompt"]


@pytest.mark.parametrize("env", [Rendered, Counted])
def test_a_stand_in_is_there_where_none_is_named_and_a_note_says_so(env):
    loaded = load(env)
    with pytest.warns(GrpoEnvWarning, match=rf"{env.__name__} uses a tokenizer, .* stand-in .*--tokenizer MODEL"):
        loaded.rows("train")
    loaded.rows("test")  # where a second note would be an error
    assert loaded.tokenizer_name == STAND_IN


def test_the_rows_are_those_of_the_tokenizer_that_is_given():
    assert first_prompt(Rendered, tokenizer=MARKS) == "[Say 0.]"
    with pytest.warns(GrpoEnvWarning):
        assert first_prompt(Rendered) == "<|user|>Say 0."
    assert first_prompt(Rendered, tokenizer=STAND_IN) == "<|user|>Say 0."


@pytest.mark.parametrize("env", [Guarded, PassedOn])
def test_what_does_without_a_tokenizer_gets_none(env):
    loaded = load(env)
    assert loaded.rows()[0]["prompt"] == "Say it."
    assert loaded.tokenizer_name is None


def test_a_name_is_opened_only_for_what_reads_a_tokenizer():
    class Plain(Counted):
        def score_episode(self, model, tokenizer, completion):
            return 1.0

    assert load(Plain, tokenizer="no/such-model").rows()[0]["prompt"] == "Say 0."
    with pytest.raises(UsageError, match="odd:name"):
        load(Rendered, tokenizer="odd:name").rows()


def test_an_error_that_is_not_the_tokenizers_is_the_one_that_is_told():
    class Broken:
        def build_dataset(self, tokenizer):
            return [{"prompt": str(tokenizer), "answer": {}["lost"]}]

        def score_episode(self, model, tokenizer, completion):
            return 1.0

    with pytest.raises(DatasetError, match="KeyError: 'lost'"):
        load(Broken).rows()


def test_a_scorer_has_the_tokenizer_of_the_rows():
    assert {episode.reward for episode in evaluate(Counted, "echo", tokenizer=MARKS).episodes} == {0.2}


@pytest.mark.parametrize("create", [make, to_gymnasium])
def test_a_reset_draws_from_the_rows_of_the_tokenizer_that_is_given(create):
    env = create(f"{__name__}:Turns", tokenizer=MARKS)
    env.reset(seed=0)
    assert env.messages[0]["content"].startswith("[Say")


def test_a_reset_needs_no_tokenizer():
    env = Turns()
    env.reset(seed=0)
    assert env.messages[0]["content"].startswith("<|user|>Say")


def test_the_gymnasium_adapter_takes_a_tokenizer():
    (message,), _ = to_gymnasium(Rendered, tokenizer=MARKS).reset(seed=0)
    assert message["content"].startswith("[Say")


def test_the_manifest_records_what_decides_the_rows(tmp_path):
    evaluate(Rendered, "echo", tokenizer=MARKS, out=tmp_path / "one")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GrpoEnvWarning)
        evaluate(Rendered, "echo", out=tmp_path / "other")
    evaluate(Guarded, "echo", out=tmp_path / "none")
    named = [open_run(tmp_path / name).manifest["tokenizer"] for name in ("one", "other", "none")]
    assert named == ["marks", STAND_IN, None]


def test_only_a_model_in_this_process_has_a_tokenizer_for_its_rows():
    assert [tokenizer_for(name) for name in ("gold", "random", "openai:some-model", "replay:runs/x")] == [None] * 4
    assert tokenizer_for("Qwen/Qwen3-0.6B").model == "Qwen/Qwen3-0.6B"


@pytest.fixture
def rendered(tmp_path, monkeypatch):
    """A working directory with a module of such an environment."""
    source = (
        "class Env:\n"
        "    def build_dataset(self, tokenizer):\n"
        "        chats = [[{'role': 'user', 'content': f'Say {n}.'}] for n in range(20)]\n"
        "        return [{'prompt': tokenizer.apply_chat_template(chat, tokenize=False)} for chat in chats]\n"
        "    def score_episode(self, model, tokenizer, completion):\n"
        "        return float('Say' in completion)\n"
        "    def solve(self, row):\n"
        "        return 'Say it.'\n"
    )
    (tmp_path / "rendered_env.py").write_text(source)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    return "rendered_env:Env"


def test_every_command_has_a_stand_in(rendered, capsys):
    assert main(["info", rendered]) == 0
    told = capsys.readouterr()
    assert "tokenizer  stand-in" in told.out
    assert told.err.startswith("note: rendered_env:Env uses a tokenizer")
    assert main(["eval", rendered, "--model", "gold", "--out", "run"]) == 0
    assert main(["rescore", "run", "--out", "again"]) == 0
    assert main(["diff", "run", "again"]) == 0
    assert "Settings that differ" not in capsys.readouterr().out
    assert main(["play", rendered, "--gold"]) == 0
    assert "<|user|>Say 0." in capsys.readouterr().out
    assert main(["eval", "--resume", "run"]) == 0


def test_a_tokenizer_that_nothing_opens_is_one_line_with_the_next_step(rendered, capsys):
    assert main(["info", rendered, "--tokenizer", "odd:name"]) == 2
    assert "No installed plugin opens the tokenizer of 'odd:name'" in capsys.readouterr().err
