"""The reward functions that TRL's documentation and guides print, unchanged, under each bridge."""

import documented_rewards as documented
import pytest
from environments import SCHEMA
from scripted import ScriptedTrainer, calls, config, tokens, written

from grpo_env_sdk import ToolEnv, reward, tool
from grpo_env_trl.bridges.trainer_kwargs import trainer_kwargs

BRIDGES = ("native", "rollout", "tools", "environment_factory")
SAID = "The solution is \\boxed{2}."
FORMATTED = "<reasoning>one and one</reasoning><answer>2</answer>!!"


class Sums:
    """A plain class of one turn: prompts of text, or the same as chat messages."""

    def __init__(self, chat=False):
        self.chat = chat

    def build_dataset(self, tokenizer):
        texts = [f"Say {number}." for number in range(20)]
        prompts = [[{"role": "user", "content": text}] for text in texts] if self.chat else texts
        truths = ["2", "3"] * 10
        return [
            {"prompt": prompt, "ground_truth": truth, "answer": truth, "task": "math" if truth == "2" else "code"}
            for prompt, truth in zip(prompts, truths, strict=True)
        ]

    def score_episode(self, model, tokenizer, completion):
        return 0.5


class SumsWithTools(Sums):
    """The same with a tool, as TRL's own loops need one."""

    parallel = True

    def get_tools(self):
        return [SCHEMA]

    def call_tool(self, name, arguments):
        return "42"


def trained(tiny, folder, bridge, functions, said, chat):
    """The reward columns of a batch in which the model said this, and its episodes."""
    model, tokenizer = tiny("qwen2.5")
    seen = []
    kwargs = trainer_kwargs(
        Sums if bridge in ("native", "rollout") else SumsWithTools, tokenizer, args=config(folder), bridge=bridge,
        config={"chat": chat}, reward_funcs=functions, seen=seen.append,
    )  # fmt: skip
    kwargs["args"].max_completion_length = 100
    trainer = ScriptedTrainer(model=model, script=lambda context, most: tokens(tokenizer, said), **kwargs)
    trainer.train()
    return {name: list(values) for name, values in trainer._logs["rewards"].items()}, seen[0].episodes


@pytest.mark.parametrize("bridge", BRIDGES)
def test_for_prompts_of_text_completions_are_texts(tiny, tmp_path, bridge):
    functions = [
        documented.reward_len, documented.reward_tokens, documented.reward_characters, documented.reward_letters,
        documented.reward_func, documented.math_reward_func, documented.async_reward_func,
    ]  # fmt: skip
    columns, episodes = trained(tiny, tmp_path, bridge, functions, SAID, chat=False)
    assert columns["reward_len"] == [-(len(SAID) - 20)] * 4
    assert columns["reward_tokens"] == [len(SAID) + 1] * 4  # a byte each, and the end of the turn
    assert columns["reward_characters"] == [len(SAID)] * 4
    assert columns["reward_letters"] == [len(set(SAID))] * 4
    assert columns["reward_func"] == [float(episode.row["ground_truth"] == "2") for episode in episodes]
    right = [1.0 if episode.row["prompt"] == "Say 2." else -1.0 for episode in episodes]
    for found, wanted, episode in zip(columns["math_reward_func"], right, episodes, strict=True):
        assert found == wanted if episode.row["task"] == "math" else found != found  # None is NaN in TRL's log
    assert columns["async_reward_func"] == [1.0] * 4


@pytest.mark.parametrize("bridge", BRIDGES)
def test_for_prompts_of_messages_completions_are_messages(tiny, tmp_path, bridge):
    functions = [
        documented.format_reward_func, documented.correctness_reward, documented.format_reward,
        documented.incremental_format_reward,
    ]  # fmt: skip
    columns, episodes = trained(tiny, tmp_path, bridge, functions, FORMATTED, chat=True)
    assert columns["format_reward_func"] == [0.0] * 4
    assert columns["correctness_reward"] == [2.0 * (episode.row["answer"] == "2") for episode in episodes]
    assert columns["format_reward"] == [1.0] * 4
    assert columns["incremental_format_reward"] == pytest.approx([0.998] * 4)


@pytest.mark.parametrize("bridge", ["rollout", "tools", "environment_factory"])
def test_a_prompt_of_text_with_tool_calls_gives_the_text_that_scorers_get_and_the_whole_record(tiny, tmp_path, bridge):
    got = []

    def looks(prompts, completions, episode, **others):
        got.append((prompts, completions, episode))
        return [0.0] * len(prompts)

    call = written(tiny("qwen2.5")[1], calls(("look-up", {"name": "Ada"})))
    kwargs_of = []

    class Keeps(SumsWithTools):
        def score_episode(self, model, tokenizer, completion):
            kwargs_of.append(completion)
            return 0.5

    model, tokenizer = tiny("qwen2.5")
    kwargs = trainer_kwargs(
        Keeps, tokenizer, args=config(tmp_path, max_completion_length=300), bridge=bridge, reward_funcs=[looks]
    )

    def script(context, most):
        return tokens(tokenizer, "It is 42." if "<tool_response>" in tokenizer.decode(context) else call)

    ScriptedTrainer(model=model, script=script, **kwargs).train()
    prompts, completions, episodes = got[0]
    assert prompts == [episode.row["prompt"] for episode in episodes]
    assert completions == kwargs_of
    assert all("<tool_call>" in text and text.endswith("It is 42.") for text in completions)
    assert [message["role"] for message in episodes[0].completion] == ["assistant", "tool", "assistant"]


class Broken(ToolEnv):
    """Every second episode fails before its first turn."""

    def build_dataset(self, tokenizer):
        return [{"prompt": [{"role": "user", "content": f"Say {number}."}], "number": number} for number in range(20)]

    def setup(self, row):
        if row["number"] % 2:
            raise OSError("no office today")

    @tool
    def look(self) -> str:
        """Look."""
        return "here"

    @reward
    def some(self):
        return 0.5


def test_an_episode_that_never_began_does_not_break_a_documented_function(tiny, tmp_path):
    model, tokenizer = tiny("qwen2.5")
    kwargs = trainer_kwargs(
        Broken, tokenizer, args=config(tmp_path, per_device_train_batch_size=16, max_completion_length=100),
        reward_funcs=[documented.format_reward],
    )  # fmt: skip
    trainer = ScriptedTrainer(model=model, script=lambda context, most: tokens(tokenizer, FORMATTED), **kwargs)
    trainer.train()
    found = list(trainer._logs["rewards"]["format_reward"])
    assert {value == value for value in found} == {True, False}  # NaN where the episode failed
    assert {value for value in found if value == value} == {1.0}
