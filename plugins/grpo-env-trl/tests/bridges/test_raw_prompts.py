"""Prompts that `build_dataset` has rendered reach the model once, under each bridge and in evaluations."""

import pytest
import torch
from asking import Watch
from environments import SCHEMA
from scripted import ScriptedTrainer, calls, config, tokens, written
from transformers import AutoModelForSequenceClassification

from grpo_env_sdk import MultiTurnEnv, evaluate
from grpo_env_sdk.errors import GrpoEnvWarning, UsageError
from grpo_env_trl.bridges.trainer_kwargs import trainer_kwargs
from grpo_env_trl.inference.policy import TransformersPolicy
from tests.images.pictures import square

FAMILIES = ("qwen3", "llama2")
ASKED = "Say {}."


class Rendered:
    """A plain class that renders its prompts, as scripts for TRL do."""

    raw_prompts = True

    def __init__(self, plain=()):
        self.plain = plain
        self.scored = []

    def build_dataset(self, tokenizer):
        return [{"prompt": self.prompt(tokenizer, ASKED.format(place)), "place": place} for place in range(20)]

    def prompt(self, tokenizer, text):
        if text in self.plain:
            return text
        messages = [{"role": "user", "content": text}]
        return tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)

    def score_episode(self, model, tokenizer, completion, prompt, place):
        self.scored.append((prompt, completion))
        return 0.5


class Recognised(Rendered):
    """The same, and the class does not say so."""

    raw_prompts = None


class Looked(Recognised):
    """The same with a tool, which TRL's own loops need."""

    parallel = True

    def get_tools(self):
        return [SCHEMA]

    def call_tool(self, name, arguments):
        return "42"


class Talk(MultiTurnEnv):
    """Two turns from a rendered prompt."""

    raw_prompts = True
    max_turns = 2

    def build_dataset(self, tokenizer):
        return Rendered().build_dataset(tokenizer)

    def step(self, action):
        return "And then?", 0.25, False, False, {}


def trained(env, tiny, folder, family="qwen3", script=None, **changes):
    """A trainer after one step, and its tokenizer, environment and batches."""
    model, tokenizer = tiny(family)
    seen = []
    settings = config(folder, **{"max_completion_length": 60, **changes.pop("settings", {})})
    kwargs = trainer_kwargs(env, tokenizer, args=settings, seen=seen.append, **changes)
    script = script or (lambda context, most: tokens(tokenizer, "yes"))
    trainer = ScriptedTrainer(model=model, script=script, **kwargs)
    trainer.train()
    return trainer, tokenizer, seen[0].episodes


def templated(tokenizer, place, tools=None):
    """The tokens of a row's question, rendered and tokenised in one go by transformers."""
    asked = [{"role": "user", "content": ASKED.format(place)}]
    return tokenizer.apply_chat_template(asked, tools=tools, add_generation_prompt=True, return_dict=False)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("bridge", ["native", "rollout"])
def test_the_model_reads_exactly_the_rendered_prompt(tiny, tmp_path, family, bridge):
    env = Rendered()
    trainer, tokenizer, episodes = trained(env, tiny, tmp_path, family, bridge=bridge)
    read = [context for contexts in trainer.spoken.contexts for context in contexts]
    assert read == [templated(tokenizer, episode.row["place"]) for episode in episodes]
    for episode, (prompt, completion) in zip(episodes, env.scored, strict=True):
        assert prompt == episode.row["prompt"] == episode.messages[0]["content"]  # as its author gave it
        assert prompt == tokenizer.decode(templated(tokenizer, episode.row["place"]))
        assert completion == "yes"
    assert trainer.state.log_history[0]["reward"] == 0.5


@pytest.mark.parametrize("bridge", ["tools", "environment_factory"])
def test_trls_own_loops_read_it_too(tiny, tmp_path, bridge):
    tokenizer = tiny()[1]
    call = written(tokenizer, calls(("look-up", {"name": "Ada"})))

    def script(context, most):
        return tokens(tokenizer, "It is 42." if "<tool_response>" in tokenizer.decode(context) else call)

    with pytest.warns(GrpoEnvWarning, match="20 of 20 prompts are already rendered"):
        trainer, _, episodes = trained(
            Looked, tiny, tmp_path, script=script, bridge=bridge, settings={"max_completion_length": 300}
        )
    places = [episode.row["place"] for episode in episodes]
    assert trainer.spoken.contexts[0] == [templated(tokenizer, place) for place in places]
    for place, again in zip(places, trainer.spoken.contexts[1], strict=True):
        first = templated(tokenizer, place)
        assert again[: len(first)] == first
        assert "<tool_response>\n42\n</tool_response>" in tokenizer.decode(again[len(first) :])
    assert [len(episode.tool_calls) for episode in episodes] == [1] * 4


@pytest.mark.parametrize("bridge", ["native", "rollout"])
def test_prompts_of_both_kinds_are_each_read_as_they_should(tiny, tmp_path, bridge):
    plain = tuple(ASKED.format(place) for place in range(0, 20, 2))
    with pytest.warns(GrpoEnvWarning, match="10 of 20 prompts are already rendered"):
        trainer, tokenizer, episodes = trained(
            Recognised, tiny, tmp_path, "llama2", bridge=bridge, config={"plain": plain},
            settings={"per_device_train_batch_size": 16},
        )  # fmt: skip
    assert {"[INST]" in episode.row["prompt"] for episode in episodes} == {True, False}
    read = [context for contexts in trainer.spoken.contexts for context in contexts]
    assert read == [templated(tokenizer, episode.row["place"]) for episode in episodes]


@pytest.mark.parametrize("family", FAMILIES)
def test_later_turns_follow_a_rendered_prompt(tiny, tmp_path, family):
    trainer, tokenizer, episodes = trained(Talk, tiny, tmp_path, family)
    first, second = trainer.spoken.contexts
    for before, after, episode in zip(first, second, episodes, strict=True):
        assert before == templated(tokenizer, episode.row["place"])
        assert after[: len(before)] == before
        text = tokenizer.decode(after[len(before) :])
        assert text.startswith(f"yes{tokenizer.eos_token}")
        assert text.count("And then?") == 1
        assert ASKED[:3] not in text


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("env", [Rendered, Talk])
def test_an_evaluation_reads_what_training_reads(tiny, family, env):
    model, tokenizer = tiny(family)
    watch = Watch(model)
    found = evaluate(env, TransformersPolicy(model, tokenizer), rows=3, split="all", tokenizer=tokenizer)
    rows = [episode.row["place"] for episode in found.episodes]
    first = [context for contexts in watch.contexts for context in contexts]
    assert all(templated(tokenizer, place) in first for place in rows)
    assert not any(tokenizer.decode(context).count(ASKED[:3]) > 1 for context in first)


def test_an_evaluation_says_once_that_prompts_stay_as_they_are(tiny):
    model, tokenizer = tiny()
    with pytest.warns(GrpoEnvWarning) as noted:
        evaluate(Recognised, TransformersPolicy(model, tokenizer), rows=5, split="all", tokenizer=tokenizer)
    assert ["already rendered" in str(note.message) for note in noted] == [True]


def test_a_text_of_plain_words_is_rendered_as_before(tiny, tmp_path, recwarn):
    plain = tuple(ASKED.format(place) for place in range(20))
    trainer, tokenizer, episodes = trained(Recognised, tiny, tmp_path, "llama2", config={"plain": plain})
    assert trainer.rollout_func is None
    assert trainer.spoken.contexts[0] == [templated(tokenizer, episode.row["place"]) for episode in episodes]
    assert not [note for note in recwarn if issubclass(note.category, GrpoEnvWarning)]


@pytest.mark.parametrize("bridge", ["native", "rollout"])
def test_a_class_that_says_its_prompts_are_not_rendered_is_believed(tiny, tmp_path, bridge):
    class Quoted(Rendered):
        raw_prompts = False

    trainer, tokenizer, _ = trained(Quoted, tiny, tmp_path, "llama2", bridge=bridge)
    assert all(tokenizer.decode(context).count("[INST]") == 2 for context in trainer.spoken.contexts[0])


def test_a_base_model_reads_a_raw_prompt_without_special_tokens(tiny, tmp_path):
    class Bare(Rendered):
        def prompt(self, tokenizer, text):
            return f"<s>Q: {text}\nA:"

    model, tokenizer = tiny("llama2")
    tokenizer.chat_template = None
    kwargs = trainer_kwargs(Bare, tokenizer, args=config(tmp_path))
    trainer = ScriptedTrainer(model=model, script=lambda context, most: tokens(tokenizer, "yes"), **kwargs)
    trainer.train()
    for context in trainer.spoken.contexts[0]:
        assert tokenizer.decode(context).startswith("<s>Q: Say ")
        assert context.count(tokenizer.bos_token_id) == 1


def test_a_real_step_changes_the_model(tiny, tmp_path):
    model, tokenizer = tiny("llama2")
    before = {name: value.clone() for name, value in model.named_parameters()}

    class Long(Rendered):
        def score_episode(self, model, tokenizer, completion):
            return min(1.0, len(set(completion)) / 20)

    from trl import GRPOTrainer

    trainer = GRPOTrainer(model=model, **trainer_kwargs(Long, tokenizer, args=config(tmp_path)))
    trainer.train()
    assert any(not torch.equal(value, before[name]) for name, value in trainer.model.named_parameters())
    assert trainer.evaluate()["eval_reward"] > 0


def test_a_reward_model_reads_the_rendered_prompt_once(tiny, tmp_path):
    model, tokenizer = tiny("llama2")
    settings = model.config.to_dict() | {"num_labels": 1, "pad_token_id": tokenizer.eos_token_id}
    judge = AutoModelForSequenceClassification.from_config(type(model.config)(**settings))
    read = []
    judge.register_forward_pre_hook(lambda module, given, named: read.append(named["input_ids"]), with_kwargs=True)
    kwargs = trainer_kwargs(Rendered, tokenizer, args=config(tmp_path), reward_funcs=[judge])
    trainer = ScriptedTrainer(
        model=model, script=lambda context, most: tokens(tokenizer, "yes"),
        reward_processing_classes=[None, tokenizer], **kwargs,
    )  # fmt: skip
    trainer.train()
    texts = [tokenizer.decode(ids, skip_special_tokens=False) for ids in read[0]]
    assert all(text.count("[INST]") == text.count("<s>") == 1 for text in texts)
    assert all("[/INST]yes" in text for text in texts)


def test_images_have_no_place_in_a_rendered_prompt(tiny, tmp_path):
    class Seen(Rendered):
        def build_dataset(self, tokenizer):
            return [{**row, "image": square("red")} for row in super().build_dataset(tokenizer)]

    with pytest.raises(UsageError, match="rendered already, so there is no place for its images"):
        trainer_kwargs(Seen, tiny()[1], args=config(tmp_path))
