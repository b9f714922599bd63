"""What an environment is and says of itself."""

import pytest

from grpo_env_sdk import MultiTurnEnv, SingleTurnEnv, ToolEnv, load, reward, tool
from grpo_env_sdk.envs.traits import notes_on, toolbox_of, traits_of
from grpo_env_sdk.errors import ContractError
from grpo_env_sdk.rewards import exact_match, soft_overlong

SCHEMA = {"type": "function", "function": {"name": "look_up", "description": "Look.", "parameters": {"type": "object"}}}


class Plain:
    def build_dataset(self, tokenizer):
        return [{"prompt": "hi"}]

    def score_episode(self, model, tokenizer, completion):
        return 1.0


class Schemas(Plain):
    def get_tools(self):
        return [SCHEMA]


class Methods(Schemas):
    def look_up(self, **arguments):
        return "12"


class Calling(Schemas):
    def call_tool(self, name, arguments):
        return f"{name} {arguments}"


class Marked(Plain):
    book = {"Ada": "12"}  # noqa: RUF012  # as an author writes it

    @tool
    def look_up(self, name: str) -> str:
        """The number of a person."""
        return self.book[name]


class Asynchronous(Plain):
    async def score_episode(self, model, tokenizer, completion):
        return 1.0


class Single(SingleTurnEnv):
    rewards = (exact_match(),)


class Talk(MultiTurnEnv):
    def step(self, action):
        return "", 1.0, True, False, {}


class Tools(ToolEnv):
    max_turns = 3

    @tool
    def look_up(self, name: str) -> str:
        """The number of a person."""
        return "12"

    @reward
    def right(self, completion):
        return 1.0

    def solve(self, row):
        return "12"


class OwnStep(Tools):
    def step(self, action):
        return super().step(action)


@pytest.mark.parametrize(
    ("cls", "kind", "runs_tools", "instances", "parallel", "max_turns"),
    [
        (Plain, "single-turn", "none", "shared", False, 1),
        (Asynchronous, "single-turn", "none", "shared", True, 1),
        (Schemas, "single-turn", "none", "shared", False, 1),
        (Methods, "tools", "methods", "copied", False, 10),
        (Calling, "tools", "call_tool", "copied", False, 10),
        (Marked, "tools", "methods", "copied", False, 10),
        (Single, "single-turn", "none", "shared", True, 1),
        (Talk, "multi-turn", "none", "constructed", True, 10),
        (Tools, "tools", "methods", "constructed", True, 3),
        (OwnStep, "multi-turn", "methods", "constructed", True, 3),
    ],
)
def test_the_methods_of_a_class_say_what_it_is(cls, kind, runs_tools, instances, parallel, max_turns):
    traits = traits_of(cls())
    assert (traits.kind, traits.runs_tools, traits.instances) == (kind, runs_tools, instances)
    assert (traits.parallel, traits.max_turns) == (parallel, max_turns)


def test_what_is_not_said_has_a_default():
    traits = traits_of(Plain())
    assert (traits.uses_model, traits.replayable, traits.reward_range) == (False, True, (0.0, 1.0))
    assert not traits.solvable
    assert traits.raw_prompts is None
    assert traits_of(Tools()).solvable


def test_what_the_class_says_counts():
    class FixedReplies(Plain):
        parallel = True
        uses_model = True
        replayable = False
        reward_range = (-1, 2)

    traits = traits_of(FixedReplies())
    assert (traits.parallel, traits.uses_model, traits.replayable, traits.reward_range) == (True, True, False, (-1, 2))


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("parallel", 1, r"\.parallel is 1\. Make it True or False\."),
        ("uses_model", "no", r"\.uses_model is 'no'\. Make it True or False\."),
        ("replayable", None, r"\.replayable is None\. Make it True or False\."),
        ("raw_prompts", "yes", r"\.raw_prompts is 'yes'\. Make it True or False\."),
        ("reward_range", 1, r"\.reward_range is 1\. Make it \(lowest, highest\), such as \(0, 1\)\."),
        ("reward_range", (1, 0), r"\.reward_range is \(1, 0\)\. "),
        ("reward_range", ("a", "b"), r"\.reward_range is \('a', 'b'\)\. "),
        ("reward_range", (0, float("nan")), r"\.reward_range is \(0, nan\)\. "),
        ("max_turns", 0, r"\.max_turns is 0\. Make it a whole number from 1\."),
        ("max_turns", 2.5, r"\.max_turns is 2\.5\. "),
        ("max_turns", True, r"\.max_turns is True\. "),
        ("max_turns", "5", r"\.max_turns is '5'\. "),
    ],
)
def test_what_the_class_says_wrongly_is_told(name, value, told):
    cls = type("FixedReplies", (Methods,), {name: value})
    with pytest.raises(ContractError, match=r"test_traits:FixedReplies" + told):
        traits_of(cls())


def test_the_range_follows_from_weights_and_step_rewards():
    class Punishing(SingleTurnEnv):
        rewards = (exact_match(weight=3), soft_overlong(10, 5))

        @reward(weight=-1)
        def rude(self, completion):
            return 0.0

    assert traits_of(Punishing()).reward_range == (-2 / 3, 1.0)
    assert traits_of(Single()).reward_range == (0.0, 1.0)
    assert traits_of(Talk()).reward_range == (0.0, 1.0)
    assert traits_of(OwnStep()).reward_range == (0.0, 1.0)


def test_step_rewards_count_in_the_range_where_no_other_reward_can_raise_the_score():
    class Fined(Talk):
        @reward(weight=-0.5)
        def rude(self, completion):
            return 0.0

    class Watched(Talk):
        @reward(weight=0, range=(0, float("inf")))
        def length(self, completion):
            return len(completion)

    assert traits_of(Fined()).reward_range == (-0.5, 1.0)
    assert traits_of(Watched()).reward_range == (0.0, 1.0)


def test_a_reward_that_does_not_count_has_no_part_in_the_range():
    class Measured(Single):
        @reward(weight=0, range=(0, float("inf")))
        def length(self, completion):
            return len(completion)

    class Endless(Single):
        @reward(range=(0, float("inf")))
        def length(self, completion):
            return len(completion)

    assert traits_of(Measured()).reward_range == (0.0, 1.0)
    assert traits_of(Endless()).reward_range == (0.0, float("inf"))


@pytest.mark.parametrize("given", [(1, 0), (0, float("nan")), 1, None, ("a", 2)])
def test_a_reward_with_an_impossible_range_is_refused(given):
    def rude(self, completion):
        return 0.0

    with pytest.raises(ContractError, match="The range of 'rude' is"):
        reward(range=given)(rude)


def test_rewards_that_building_the_rows_adds_are_in_the_range():
    class Late(SingleTurnEnv):
        rewards = (exact_match(),)

        def build_dataset(self, tokenizer):
            self.rewards = (exact_match(), soft_overlong(10, 5))
            return [{"prompt": "1?", "answer": "1"}]

    loaded = load(Late)
    loaded.rows()
    assert loaded.traits.reward_range == (-1.0, 1.0)


@pytest.mark.parametrize("cls", [SingleTurnEnv, ToolEnv])
def test_a_class_that_could_never_be_scored_is_told_so(cls):
    unscored = type("Unscored", (cls,), {})
    with pytest.raises(ContractError, match=r"Unscored has no reward, so nothing would ever be scored\. Mark a method"):
        traits_of(unscored())


def test_a_tool_is_run_by_the_method_of_its_name_or_by_call_tool():
    from grpo_env_sdk import ToolCall

    call = ToolCall("1", "look_up", {})
    assert toolbox_of(Methods()).run(call).content == "12"
    assert toolbox_of(Calling()).run(call).content == "look_up {}"
    assert toolbox_of(Schemas()).run(call).error == "tool_failed"
    assert toolbox_of(Marked()).run(ToolCall("1", "look_up", {"name": "Ada"})).content == "12"


@pytest.mark.parametrize("name", ["build_dataset", "score_episode", "_secret", "solve"])
def test_a_model_cannot_call_what_is_no_tool(name):
    class Sly(Plain):
        def get_tools(self):
            return [{"type": "function", "function": {"name": name, "description": "Sly.", "parameters": {}}}]

        def _secret(self):
            return "the answer"

        def solve(self, row=None):
            return "the answer"

    assert traits_of(Sly()).runs_tools == "none"


def test_columns_of_reserved_names_are_noted():
    assert notes_on(Plain(), ["prompt", "row", "answer"]) == [
        "The column 'row' is hidden: scorers that ask for 'row' get the SDK's own."
    ]
