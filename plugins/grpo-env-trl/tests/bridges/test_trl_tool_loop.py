import copy

import pytest
from environments import SCHEMA, Errands, Letters, Served, Talk, rows
from scripted import ScriptedTrainer, calls, config, tokens, written

from grpo_env_sdk import ToolEnv, load, reward, tool
from grpo_env_sdk.errors import UsageError
from grpo_env_trl.bridges.trainer_kwargs import trainer_kwargs
from grpo_env_trl.bridges.trl_tool_loop import CallableSchema


class Lookup:
    """A plain class whose tool keeps no state, and says so."""

    parallel = True

    def build_dataset(self, tokenizer):
        return rows(20)

    def get_tools(self):
        return [SCHEMA]

    def call_tool(self, name, arguments):
        return {"Ada": "12", "Bob": "34"}[arguments["name"]]

    def score_episode(self, model, tokenizer, completion, tool_calls):
        return 1.0 if [call["error"] for call in tool_calls] == [None] and completion.endswith("12") else 0.25


def trained(env, bridge, tiny, folder, *texts, family="qwen3", **changes):
    """A trainer after one step in which the model said these texts, and the episodes of it."""
    model, tokenizer = tiny(family)
    seen = []
    args = config(folder, max_completion_length=800, **changes.pop("settings", {}))
    kwargs = trainer_kwargs(env, tokenizer, args=args, bridge=bridge, seen=seen.append, **changes)

    def script(context, most):
        turn = tokenizer.decode(context).count("<|im_start|>assistant") - 1
        return tokens(tokenizer, texts[turn])

    trainer = ScriptedTrainer(model=model, script=script, **kwargs)
    trainer.train()
    return trainer, seen[0].episodes


@pytest.mark.parametrize("bridge", ["tools", "environment_factory"])
def test_the_prompt_has_the_exact_schema_and_the_answers_are_scored(tiny, tmp_path, bridge):
    call = written(tiny()[1], calls(("look-up", {"name": "Ada"})))
    trainer, episodes = trained(Lookup, bridge, tiny, tmp_path, call, "12")
    asked = [{"role": "user", "content": episodes[0].row["prompt"]}]
    exact = tiny()[1].apply_chat_template(asked, tools=[SCHEMA], add_generation_prompt=True, return_dict=False)
    assert trainer.spoken.contexts[0][0] == exact
    assert [episode.reward for episode in episodes] == [1.0] * 4
    assert [message["role"] for message in episodes[0].completion] == ["assistant", "tool", "assistant"]
    assert trainer.reward_func_names == ["score"]
    line = trainer.state.log_history[0]
    assert (line["tools/call_frequency"], line["episodes/tool_calls"], line["reward"]) == (1.0, 1.0, 1.0)


@pytest.mark.parametrize("bridge", ["tools", "environment_factory"])
def test_wrong_arguments_are_answered_in_our_words_and_unknown_tools_in_those_of_trl(tiny, tmp_path, bridge):
    wrong = written(tiny()[1], calls(("look-up", {"name": "Eve"})))
    unknown = written(tiny()[1], calls(("lookup", {"name": "Ada"})))
    _, episodes = trained(Lookup, bridge, tiny, tmp_path, f"{wrong}\n{unknown}", "12")
    first, second = episodes[0].tool_calls
    assert (first["error"], second["error"]) == ("invalid_arguments", "tool_failed")
    assert second["content"] == "{'error': 'Tool lookup not found.'}"
    assert episodes[0].reward == 0.25


def test_every_episode_has_an_environment_of_its_own(tiny, tmp_path):
    call = written(tiny()[1], calls(("add", {"x": 1, "y": 2}), ("note", {"text": "hi"})))
    trainer, episodes = trained(Errands, "environment_factory", tiny, tmp_path, call, "3")
    names = [schema["function"]["name"] for schema in load(Errands).tools]
    assert [one.__name__ for one in trainer.tools] == names
    assert [episode.rewards for episode in episodes] == [{"short": 0.2, "called": 1.0}] * 4
    assert [episode.metrics for episode in episodes] == [{"notes": 1.0}] * 4
    hosts = {id(adapter._played.host.instance) for adapter in trainer.environments}
    assert len(hosts) == 4


@pytest.mark.parametrize(
    ("stage", "fault"), [("reset", "OSError"), ("memory", "MemoryError"), ("score", "ZeroDivisionError")]
)
def test_an_environment_that_fails_costs_its_own_episode(tiny, tmp_path, stage, fault):
    call = written(tiny()[1], calls(("add", {"x": 1, "y": 2})))
    _, episodes = trained(
        Errands, "environment_factory", tiny, tmp_path, call, "3", config={"fails": ("", stage, stage)},
        settings={"per_device_train_batch_size": 8},
    )  # fmt: skip
    assert {episode.row["fails"]: episode.error and episode.error.type for episode in episodes} == {
        "": None,
        stage: fault,
    }
    assert all((episode.reward is None) == (episode.error is not None) for episode in episodes)


def test_what_a_reset_adds_to_the_prompt_is_shown(tiny, tmp_path):
    class Clerk(Errands):
        def reset(self, *, seed=None, options=None):
            super().reset(seed=seed, options=options)
            return "The door is open.", {}

    trainer, episodes = trained(Clerk, "environment_factory", tiny, tmp_path, "3")
    opening = episodes[0].messages[0]["content"]
    assert opening == f"{episodes[0].row['prompt']}\n\nThe door is open."
    assert opening in tiny()[1].decode(trainer.spoken.contexts[0][0])


def test_turns_are_as_many_as_the_environment_allows(tiny, tmp_path):
    call = written(tiny()[1], calls(("add", {"x": 1, "y": 2})))
    trainer, episodes = trained(Errands, "environment_factory", tiny, tmp_path, *[call] * 9)
    assert trainer.max_tool_calling_iterations == Errands.max_turns - 1
    assert [(episode.turns, len(episode.tool_calls), episode.stop_reason) for episode in episodes] == [
        (5, 4, "length")
    ] * 4


class Uncopyable(Lookup):
    def __init__(self):
        self.iterator = iter([])
        self.locked = __import__("threading").Lock()


class Static(ToolEnv):
    def build_dataset(self, tokenizer):
        return rows(20)

    @tool
    @staticmethod
    def double(x: int) -> int:
        """Double a number.

        Args:
            x: The number.
        """
        return 2 * x

    @reward
    def done(self, tool_calls):
        return len(tool_calls)


def test_tools_without_self_need_no_episode(tiny, tmp_path):
    call = written(tiny()[1], calls(("double", {"x": 21})))
    _, episodes = trained(Static, "tools", tiny, tmp_path, call, "42")
    assert [(episode.reward, episode.tool_calls[0]["content"]) for episode in episodes] == [(1.0, "42")] * 4


@pytest.mark.parametrize(("env", "bridge", "why"), [
    (Errands, "tools", r"has tools that belong to an episode, and TRL's `tools` know of none\. Use 'auto' or"),
    (Letters, "tools", r"has no tools that run, so TRL's tool loop has nothing to do\. Use 'auto'"),
    (Talk, "environment_factory", "answers by `step`, which TRL never calls"),
    (Served, "environment_factory", "has a user who answers, and TRL's tool loop asks nobody"),
    (Uncopyable, "environment_factory", "cannot be copied, and TRL plays those of a batch together"),
])  # fmt: skip
def test_what_the_loop_of_trl_cannot_carry_is_refused(tiny, tmp_path, env, bridge, why):
    with pytest.raises(UsageError, match=why):
        trainer_kwargs(env, tiny()[1], args=config(tmp_path), bridge=bridge)


def test_a_template_without_tools_is_refused_as_on_every_bridge(tiny, tmp_path):
    with pytest.raises(UsageError, match="cannot render tool calls, and this environment runs tools"):
        trainer_kwargs(Lookup, tiny("gemma3")[1], args=config(tmp_path), bridge="tools")


def test_a_callable_schema_is_the_schema():
    one, other = (CallableSchema(copy.deepcopy(SCHEMA), lambda call: f"{call.name}: {call.arguments}") for _ in "ab")
    assert one == other == SCHEMA
    assert len({one, other}) == 2
    assert one(name="Ada") == "look-up: {'name': 'Ada'}"
