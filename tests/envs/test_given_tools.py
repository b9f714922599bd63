"""Tools that an author gives as schemas, or runs in a `step` of their own."""

import json

import pytest

from grpo_env_sdk import MultiTurnEnv, ToolEnv, call_message, evaluate, load, reward, tool
from grpo_env_sdk.envs.protocol import check_contract
from grpo_env_sdk.envs.traits import toolbox_of, traits_of
from grpo_env_sdk.errors import ContractError, ToolSchemaError
from grpo_env_sdk.rewards import valid_tool_calls

BOTH = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}, "required": ["a", "b"]}


def schema(name):
    return {"type": "function", "function": {"name": name, "description": "Add.", "parameters": BOTH}}


class Sums(ToolEnv):
    """Add two numbers with a tool that has a schema."""

    max_turns = 4

    def build_dataset(self, tokenizer):
        return [{"prompt": f"{a} + 2?", "a": a} for a in range(3)]

    def setup(self, row):
        self.sums = []

    def get_tools(self):
        return [schema("add")]

    @reward
    def right(self, a, tool_calls):
        return self.sums == [a + 2] and [call["name"] for call in tool_calls] == ["add"]

    def solve(self, row):
        return [call_message("add", a=row["a"], b=2), "Done."]


class ByCallTool(Sums):
    def call_tool(self, name, arguments):
        self.sums.append(arguments["a"] + arguments["b"])
        return self.sums[-1]


class ByAsyncCallTool(Sums):
    async def call_tool(self, name, arguments):
        self.sums.append(arguments["a"] + arguments["b"])
        return self.sums[-1]


class ByMethod(Sums):
    def add(self, a, b):
        self.sums.append(a + b)
        return self.sums[-1]


class ByMarkedMethod(Sums):
    @tool
    def add(self, a: int, b: int) -> int:
        """Add, as the schema of `get_tools` says in other words."""
        self.sums.append(a + b)
        return self.sums[-1]

    @tool
    def subtract(self, a: int, b: int) -> int:
        """Subtract; `get_tools` does not offer it."""
        return a - b


class StepsByItself(ByMethod):
    """Runs the calls without the SDK's toolbox; a reply to the model has no id."""

    def step(self, action):
        calls = action.get("tool_calls", [])
        answers = [{"role": "tool", "content": str(self.add(**call["function"]["arguments"]))} for call in calls]
        return answers, 0.0, not calls, False, {}


class StepsByToolbox(ByMethod):
    def step(self, action):
        from grpo_env_sdk.ext import tool_calls_of

        answers = [self.toolbox.run(call).as_message() for call in tool_calls_of(action)]
        return answers, 0.0, not answers, False, {}


class StepsBySuper(ByMethod):
    def step(self, action):
        observation, value, terminated, truncated, info = super().step(action)
        return observation, value, terminated, truncated, info


class NoToolEnv(MultiTurnEnv):
    """The same task where `step` alone knows of tools."""

    build_dataset, setup, get_tools, solve = Sums.build_dataset, Sums.setup, Sums.get_tools, Sums.solve
    right, add, step = Sums.right, ByMethod.add, StepsByItself.step


@pytest.mark.parametrize("cls", [ByCallTool, ByAsyncCallTool, ByMethod, ByMarkedMethod])
def test_tools_given_as_schemas_are_run(cls):
    assert traits_of(cls()).kind == "tools"
    summary = evaluate(cls, "gold", split="all").summary
    assert (summary["reward"]["mean"], summary["tool_calls"]["mean"], summary["turns"]) == (1.0, 1.0, 2.0)


@pytest.mark.parametrize("cls", [StepsByItself, StepsByToolbox, StepsBySuper, NoToolEnv])
def test_calls_that_a_step_of_the_author_runs_are_recorded_once(cls):
    evaluation = evaluate(cls, "gold", split="all")
    assert evaluation.summary["reward"]["mean"] == 1.0
    assert evaluation.summary["tool_calls"] == {"mean": 1.0, "failed_share": 0.0}
    (call,) = evaluation.episodes[2].tool_calls
    assert (call["name"], call["arguments"], call["content"], call["error"]) == ("add", {"a": 2, "b": 2}, "4", None)


def test_a_refused_call_in_a_step_of_the_author_is_recorded_as_refused():
    class Judged(StepsByToolbox):
        rewards = (valid_tool_calls(),)

    loaded = load(Judged)
    env = loaded.instance()
    env.reset(seed=0, options=loaded.rows()[0])
    env.step(call_message("add", a="x", b=2))
    assert env.step("Done.")[4]["rewards"]["valid_tool_calls"] == 0.0


def test_a_call_that_nobody_answers_is_not_recorded():
    class Silent(Sums):
        def step(self, action):
            return "", 0.0, True, False, {}

    episode = evaluate(Silent, "gold", split="all").episodes[0]
    assert episode.tool_calls == []


def test_a_call_to_a_method_of_the_base_class_goes_to_call_tool():
    class Closing(Sums):
        def get_tools(self):
            return [schema("close"), schema("step")]

        def call_tool(self, name, arguments):
            return f"{name} with {arguments['a']}"

    box = toolbox_of(Closing())
    assert all(tool.function is None for tool in box.tools.values())
    env = Closing()
    env.reset(seed=0, options={"prompt": "hi", "a": 1})
    assert env.step(call_message("close", a=7, b=2))[0][0]["content"] == "close with 7"


def test_what_get_tools_adds_to_the_marked_methods_is_offered_too():
    class More(ByMarkedMethod):
        def get_tools(self):
            return [*ToolEnv.get_tools(self), schema("other")]

        def call_tool(self, name, arguments):
            return name

    tools = toolbox_of(More()).tools
    assert {name: tool.function is not None for name, tool in tools.items()} == {
        "add": True, "subtract": True, "other": False,
    }  # fmt: skip


def test_the_schema_of_get_tools_is_what_the_model_sees():
    loaded = load(ByMarkedMethod)
    assert [json.dumps(item) for item in loaded.tools] == [json.dumps(schema("add"))]


def test_an_invalid_schema_is_named_with_its_class():
    class Bare(Sums):
        def get_tools(self):
            return [{"type": "function", "function": {"description": "no name"}}]

    with pytest.raises(ToolSchemaError, match="Bare"):
        load(Bare)


@pytest.mark.parametrize("name", ["close", "step", "reset", "setup", "render", "get_tools", "solve", "call_tool"])
def test_a_tool_cannot_be_named_like_a_method_that_the_sdk_calls(name):
    @tool
    def marked(self) -> str:
        """A tool."""
        return ""

    with pytest.raises(ContractError, match=rf'marks {name} with @tool.*@tool\(name="{name}"\)'):
        type("Taken", (ToolEnv,), {name: marked})


def test_a_plain_class_and_a_mixin_cannot_have_such_a_tool_either():
    class Plain:
        def build_dataset(self, tokenizer):
            return [{"prompt": "hi"}]

        def score_episode(self, model, tokenizer, completion):
            return 1.0

        @tool
        def solve(self, expression: str) -> str:
            """Compute."""
            return ""

    class Closes:
        @tool
        def close(self) -> str:
            """Close."""
            return ""

    with pytest.raises(ContractError, match="Plain marks solve with @tool"):
        check_contract(Plain)
    with pytest.raises(ContractError, match="marks close with @tool"):
        type("Mixed", (Closes, Sums), {})


def test_the_name_that_the_model_sees_is_free():
    class Tickets(ToolEnv):
        @tool(name="close")
        def close_ticket(self) -> str:
            """Close the ticket."""
            return "closed"

        @tool
        def messages(self) -> str:
            """An attribute that authors may hide."""
            return ""

    assert list(toolbox_of(Tickets()).tools) == ["close", "messages"]
