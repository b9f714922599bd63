"""Training and reading where each row has tools of its own."""

import asyncio
from dataclasses import replace

import pytest
from asking import ask
from scripted import ScriptedTrainer, calls, config, tokens, written
from tiny_models import tiny_tokenizer

from grpo_env_sdk import ToolEnv, call_message, load, reward
from grpo_env_sdk.errors import UsageError
from grpo_env_trl.bridges.choosing import choose_bridge
from grpo_env_trl.bridges.trainer_kwargs import trainer_kwargs
from grpo_env_trl.demo.demonstrations import demonstrate, error_messages
from grpo_env_trl.demo.model import tokenize_demos
from grpo_env_trl.demo.tokenizer import build_tokenizer
from grpo_env_trl.inference.policy import TransformersPolicy
from grpo_env_trl.tokens.rendering import Renderer

DISHES = ("soup", "bread", "cake", "stew", "pie")


def schema(name, **types):
    properties = {key: {"type": type_} for key, type_ in types.items()}
    parameters = {"type": "object", "properties": properties, "required": list(types)}
    return {"type": "function", "function": {"name": name, "description": f"To {name}.", "parameters": parameters}}


class Kitchen(ToolEnv):
    """Each row has one tool, which no other row of another dish has."""

    max_turns = 3

    def build_dataset(self, tokenizer):
        return [{"prompt": f"{dish} for {n}.", "dish": dish, "guests": n} for dish in DISHES for n in range(2, 10)]

    def setup(self, row):
        self.made = []

    def get_tools(self, row):
        return [schema(f"make_{row['dish']}", guests="integer")]

    def call_tool(self, name, arguments):
        self.made.append(arguments["guests"])
        return "Done."

    @reward
    def right(self, guests):
        return self.made == [guests]

    def solve(self, row):
        return [call_message(f"make_{row['dish']}", guests=row["guests"]), "Here you are."]


class FirstCall(Kitchen):
    runs_tools = False


def prompt_of(tokenizer, episode):
    """The tokens of the first turn as the model's own template renders them."""
    asked = [{"role": "user", "content": episode.row["prompt"]}]
    tools = [schema(f"make_{episode.row['dish']}", guests="integer")]
    return tokenizer.apply_chat_template(asked, tools=tools, add_generation_prompt=True, return_dict=False)


@pytest.mark.parametrize("env", [Kitchen, FirstCall])
def test_the_model_in_training_reads_the_schemas_of_each_row(tiny, tmp_path, env):
    model, tokenizer = tiny("qwen3")
    seen = []
    args = config(tmp_path, max_completion_length=200, max_steps=2)
    kwargs = trainer_kwargs(env, tokenizer, args=args, seen=seen.append)

    def script(context, most):
        read = tokenizer.decode(context)
        if "Done." in read:
            return tokens(tokenizer, "Here you are.")
        dish = next(dish for dish in DISHES if f"make_{dish}" in read)
        guests = int(read.rpartition(" for ")[2][0])
        return tokens(tokenizer, written(tokenizer, calls((f"make_{dish}", {"guests": guests}))))

    trainer = ScriptedTrainer(model=model, script=script, **kwargs)
    trainer.train()
    episodes = [episode for batch in seen for episode in batch.episodes]
    assert len({episode.row["dish"] for episode in episodes}) > 1
    for episode in episodes:
        assert episode.token_ids is not None
        assert episode.tools == env().get_tools(episode.row)
    assert env is FirstCall or {episode.reward for episode in episodes} == {1.0}
    read = {tuple(ids) for contexts in trainer.spoken.contexts for ids in contexts}
    opened = {tuple(prompt_of(tokenizer, episode)) for episode in episodes}
    assert opened == {ids for ids in read if "Done." not in tokenizer.decode(ids)}


def test_a_model_in_this_process_reads_the_schemas_of_the_row(tiny):
    model, tokenizer = tiny("qwen3")
    policy, loaded = TransformersPolicy(model, tokenizer), load(Kitchen)
    for row in (loaded.rows().row(0), loaded.rows().row(39)):
        tools = Kitchen().get_tools(row)
        request = replace(ask(row["prompt"]), row=row, tools=tools, env=loaded.description, memory={})
        turn = asyncio.run(policy.respond(request))
        asked = [{"role": "user", "content": row["prompt"]}]
        exact = tokenizer.apply_chat_template(asked, tools=tools, add_generation_prompt=True, return_dict=False)
        assert request.memory["tokens"].last.prompt_ids == exact
        assert turn.prompt_tokens == len(exact)


def test_five_thousand_rows_with_schemas_of_their_own_keep_a_bounded_number_of_renderers():
    renderer = Renderer(tiny_tokenizer("qwen3"), runs_tools=True, several_turns=True, tools_to_come=True)
    asked = [{"role": "user", "content": "hi"}]
    for number in range(5_000):
        one = renderer.with_tools([schema(f"tool_{number}")])
        if number % 500 == 0:
            assert f"tool_{number}" in one.tokenizer.decode(one.opening(asked))
    assert len(renderer._with_tools) == 256
    assert renderer.with_tools([schema("tool_4999")]) is one
    assert renderer.with_tools([]) is renderer.with_tools(None) is renderer


def test_schemas_with_another_order_of_keys_are_other_prompts():
    renderer = Renderer(tiny_tokenizer("qwen3"), tools_to_come=True)
    asked = [{"role": "user", "content": "hi"}]
    one, other = schema("make", a="string", b="string"), schema("make", b="string", a="string")
    assert renderer.with_tools([one]).opening(asked) != renderer.with_tools([other]).opening(asked)


@pytest.mark.parametrize("env", [Kitchen, FirstCall])
def test_bridges_with_fixed_tools_are_refused_and_auto_takes_the_rollout_bridge(env):
    loaded = load(env)
    rows = loaded.rows()
    assert choose_bridge("auto", loaded, rows) == choose_bridge("rollout", loaded, rows) == "rollout"
    for bridge in ("native", "tools", "environment_factory"):
        with pytest.raises(UsageError, match="--bridge rollout"):
            choose_bridge(bridge, loaded, rows)


def test_a_template_without_tools_is_refused_before_any_row_is_known():
    with pytest.raises(UsageError, match="cannot render tool calls"):
        Renderer(tiny_tokenizer("gemma3"), runs_tools=True, several_turns=True, tools_to_come=True)


def test_the_demo_model_learns_from_demonstrations_with_the_tools_of_their_rows():
    loaded = load(Kitchen)
    shown = demonstrate(loaded, loaded.rows("train"), 0, lambda what, done, of: None, 80)
    assert [tools[0]["function"]["name"] for tools in shown.tools[:1]] == ["make_soup"]
    refused = error_messages(loaded, shown.tools)
    assert any("unknown_tool" in message["content"] for said in refused for message in said)
    tokenizer = build_tokenizer(shown.solved, shown.tools, shown.values)
    demos = tokenize_demos(shown.randomized, shown.tools_of_randomized, tokenizer, 4096)
    texts = [tokenizer.decode(ids) for ids in demos.ids]
    assert len(texts) == len(shown.randomized)
    for text, said in zip(texts, shown.randomized, strict=True):
        dish = said[0]["content"].partition(" ")[0]
        assert f"make_{dish}(guests)" in text
