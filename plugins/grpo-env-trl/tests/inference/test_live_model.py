"""The live model for scorers outside a training: whom it is lent to, with which guards, and who is refused."""

import json
import sys
import threading

import pytest
import torch
from environments import rows
from tiny_models import save_tiny_model, save_training, tiny_tokenizer

from grpo_env_sdk import EnvSpec, Sampling, check_env, evaluate
from grpo_env_sdk.checking.evidence.subject import Settings, Subject
from grpo_env_sdk.cli import main
from grpo_env_sdk.errors import UsageError
from grpo_env_trl.inference.policy import TransformersPolicy

SHORT = Sampling(max_tokens=6)


class Judge:
    """Scores by what the model itself says next, and notes how it was lent."""

    def __init__(self):
        self.lent = []

    def build_dataset(self, tokenizer):
        return rows(20)

    def score_episode(self, model, tokenizer, completion):
        self.lent.append((model, model.training, torch.is_grad_enabled(), tokenizer))
        asked = tokenizer(f"Is it good? {completion}", return_tensors="pt")
        said = model.generate(**asked, max_new_tokens=3, do_sample=True)
        return int(said.sum()) % 11 / 10


class Declared(Judge):
    """Says so, too."""

    uses_model = True


class Async(Judge):
    """Awaits something on the way."""

    async def score_episode(self, model, tokenizer, completion):
        return super().score_episode(model, tokenizer, completion)


@pytest.mark.parametrize("env", [Judge, Declared, Async])
def test_a_scorer_has_the_model_of_the_policy_with_the_guards_of_a_training(env, tiny):
    model, tokenizer = tiny()
    made = env()
    torch.manual_seed(7)
    before = torch.get_rng_state()
    found = evaluate(made, TransformersPolicy(model, tokenizer), split="all", sampling=SHORT)
    assert found.summary["scored"] == 20
    assert {id(lent) for lent, *_ in made.lent} == {id(model)}
    assert {(training, gradients) for _, training, gradients, _ in made.lent} == {(False, False)}
    lent = made.lent[0][3]
    assert lent is not tokenizer
    assert lent.get_vocab() == tokenizer.get_vocab()
    assert torch.get_rng_state().equal(before)
    assert torch.is_grad_enabled()


def test_scores_are_the_same_whoever_is_scored_first(tiny):
    def scored(concurrency):
        found = evaluate(
            Async(), TransformersPolicy(*tiny()), split="all", sampling=SHORT, concurrency=concurrency, rows=6
        )
        return {episode.row_index: episode.reward for episode in found.episodes}

    assert scored(1) == scored(6)


def test_nothing_is_sampled_while_a_scorer_has_the_model(tiny):
    model, tokenizer = tiny()
    using = threading.Lock()
    generate = model.generate

    def alone(*args, **kwargs):
        assert using.acquire(blocking=False), "two use the model at once"
        with torch.no_grad():
            try:
                return generate(*args, **kwargs)
            finally:
                using.release()

    model.generate = alone
    found = evaluate(Async(), TransformersPolicy(model, tokenizer, batch_size=2), split="all", sampling=SHORT)
    assert found.summary["scored"] == 20


def test_a_scorer_that_ignores_the_model_does_not_wait_for_it(tiny):
    class Indifferent(Judge):
        parallel = True

        def __init__(self):
            self.together = threading.Barrier(2, timeout=60)

        def score_episode(self, model, tokenizer, completion):
            self.together.wait()
            return 1.0

    found = evaluate(Indifferent(), TransformersPolicy(*tiny()), split="all", sampling=SHORT, rows=2)
    assert found.summary["scored"] == 2


@pytest.mark.parametrize(("env", "more"), [(Judge, "'NoneType' object"), (Declared, r"\(uses_model\)")])
def test_without_a_model_there_is_one_refusal_that_names_the_attribute(env, more, tmp_path):
    with pytest.raises(UsageError, match=rf"{env.__name__} scores with the live model.*{more}.*uses_model = True"):
        evaluate(env, "random", out=tmp_path / "run")
    assert [*tmp_path.iterdir()] == []


def test_a_model_that_scorers_cannot_use_is_refused_before_it_is_opened(tmp_path, capsys):
    folder = save_tiny_model("qwen3", tmp_path / "model")
    with pytest.raises(UsageError, match=r"Declared scores with the live model \(uses_model\)"):
        evaluate(Declared, f"vllm:{folder}")  # where vLLM is not installed, opening it would be another error


SOURCE = """
class Judge:
    def build_dataset(self, tokenizer):
        chats = [[{"role": "user", "content": f"Say {number}."}] for number in range(12)]
        return [{"prompt": tokenizer.apply_chat_template(chat, tokenize=False)} for chat in chats]

    def score_episode(self, model, tokenizer, completion):
        asked = tokenizer(f"Is it good? {completion[:20]}", return_tensors="pt")
        return int(model.generate(**asked, max_new_tokens=3).sum()) % 11 / 10


class Declared(Judge):
    uses_model = True
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A working directory with a module of environments, a model, and the run of a training."""
    (tmp_path / "judging.py").write_text(SOURCE)
    save_tiny_model("qwen3", tmp_path / "model")
    save_training(tmp_path / "run", {"max_completion_length": 8}, tokenizer="model")
    save_tiny_model("llama3.2", tmp_path / "run" / "model")
    tiny_tokenizer("gemma3").save_pretrained(tmp_path / "bare")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    sys.modules.pop("judging", None)


def first_prompt(folder):
    return json.loads((folder / "episodes.jsonl").read_text().splitlines()[0])["row"]["prompt"]


@pytest.mark.parametrize(("model", "mark"), [("model", "<|im_start|>"), ("run", "<|start_header_id|>")])
def test_eval_builds_rows_with_the_tokenizer_of_its_model_and_lends_the_model(place, capsys, model, mark):
    words = ["eval", "judging:Declared", "--model", model, "--max-tokens", "4", "--out", "one"]
    assert main(words) == 0
    assert mark in first_prompt(place / "one")
    assert "stand-in" not in capsys.readouterr().err
    assert json.loads((place / "one/manifest.json").read_text())["tokenizer"].startswith(model)
    assert main(["eval", "--resume", "one"]) == 0


@pytest.mark.parametrize(("name", "mark"), [("model", "<|im_start|>"), ("bare", "<start_of_turn>")])
def test_info_shows_rows_of_a_tokenizer_with_or_without_its_model(place, capsys, name, mark):
    assert main(["info", "judging:Judge", "--tokenizer", name]) == 0
    assert mark in capsys.readouterr().out


def test_the_rows_of_a_run_are_those_that_it_was_trained_on(place, capsys):
    save_training(place / "demo", {"max_completion_length": 8}, tokenizer="stand-in")
    save_tiny_model("qwen3", place / "demo" / "model")
    assert main(["eval", "judging:Judge", "--model", "demo", "--out", "one"]) == 0
    assert "<|user|>" in first_prompt(place / "one")


@pytest.mark.parametrize("env", ["Judge", "Declared"])
def test_a_check_scores_with_the_model_that_is_named_and_says_where_there_is_none(place, env):
    spec = EnvSpec(f"judging:{env}", f"judging:{env}")
    with pytest.raises(UsageError, match=f"judging:{env} scores with the live model"):
        Subject(spec).score(0, "Yes.")
    named = Subject(spec, Settings(model="model"))
    assert "<|im_start|>" in named.row(0)["prompt"]
    assert named.score(0, "Yes.").value is not None


def test_a_check_of_a_class_that_says_so_is_left_undecided_without_a_model(place):
    report = check_env("judging:Declared", select=["S201"], env_pool="thread")
    assert ["uses_model" in item.why for item in report.undecided] == [True]
