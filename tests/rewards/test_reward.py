"""A reward: a function with a name, a weight, and arguments that it asks for by name."""

import pickle

import pytest

from grpo_env_sdk import SingleTurnEnv, evaluate, load, reward
from grpo_env_sdk.errors import ContractError, GrpoEnvWarning, UnknownNameError, UsageError
from grpo_env_sdk.rewards import Reward
from grpo_env_sdk.rewards.reward import as_reward, bound_rewards

OFFERED = {"completion": "ho", "answer": "ho", "level": 2, "row": {}}


def right(completion, answer):
    return completion == answer


class Env(SingleTurnEnv):
    @reward
    def right(self, completion, answer):
        return completion == answer

    @reward(weight=2, name="is_short")
    def short(self, completion):
        return len(completion) < 5


def test_a_marked_method_is_a_reward_and_stays_callable():
    first, second = bound_rewards(Env())
    assert (first.name, first.weight, second.name, second.weight) == ("right", 1.0, "is_short", 2.0)
    assert Env().right("a", "a") is True
    assert first.call(OFFERED) is True


def test_a_free_function_may_be_marked_or_not():
    assert as_reward(right) == Reward(right, "right")
    marked = reward(weight=3, name="r")(lambda completion: 1.0)
    assert (as_reward(marked).name, as_reward(marked).weight) == ("r", 3.0)


def test_an_object_that_can_be_called_is_a_reward_by_its_classs_name():
    class Judge:
        def __call__(self, completion):
            return 0.5

    made = as_reward(Judge())
    assert (made.name, made.call(OFFERED)) == ("Judge", 0.5)


@pytest.mark.parametrize("thing", [5, "exact_match", None])
def test_what_cannot_be_called_is_no_reward(thing):
    with pytest.raises(ContractError, match=r"is not a reward\. Use a function, or one of grpo_env_sdk\.rewards\."):
        as_reward(thing)


def test_a_weight_given_by_position_is_told_how_to_write_it():
    with pytest.raises(ContractError, match=r"@reward decorates a function, got 2\. Write @reward\(weight=\.\.\.\)\."):
        reward(2)


@pytest.mark.parametrize("weight", [float("nan"), float("inf"), "2", None])
def test_a_weight_is_a_finite_number(weight):
    with pytest.raises(ContractError, match=r"The weight of .* is .*\. Give a finite number\."):
        reward(weight=weight)(right)
    with pytest.raises(ContractError, match=r"The weight of 'right' is .*\. Give a finite number\."):
        Reward(right, "right", weight)


def test_a_reward_gets_what_it_names_and_nothing_else():
    assert as_reward(lambda completion, level=5, missing=7: (completion, level, missing)).call(OFFERED) == ("ho", 2, 7)


def test_a_reward_with_kwargs_gets_everything():
    assert as_reward(lambda completion, **others: others).call(OFFERED) == {"answer": "ho", "level": 2, "row": {}}


def test_a_source_fills_an_argument_from_another_column():
    made = Reward(right, "right", sources={"answer": "level"})
    made.check(["level"])
    assert made.call({"completion": 2, "level": 2, "answer": 9})


def test_a_reward_can_be_tried_by_hand():
    assert Reward(right, "right")("a", answer="a")


def test_a_column_that_no_row_has_is_told_with_the_nearest_and_the_place():
    with pytest.raises(UnknownNameError) as caught:
        as_reward(right).check(["prompt", "anwser"])
    assert caught.value.message.startswith(
        "The reward 'right' asks for 'answer', which is not a column (tests/rewards/"
    )
    assert caught.value.hint == "Did you mean 'anwser'?"


def test_where_nothing_is_near_all_names_are_listed_columns_first():
    with pytest.raises(UnknownNameError, match="prompt, completion, messages, row, episode, state, tool_calls"):
        as_reward(lambda xyz: 1).check(["prompt"])


@pytest.mark.parametrize(("asked", "columns", "hint"), [
    ("anwser", ["prompt", "answer"], "Did you mean 'answer'?"),
    ("stat", ["start", "prompt"], "Did you mean 'start'?"),  # 'state' is nearer, but reserved
    ("mesages", ["prompt"], "Did you mean 'messages'?"),
])  # fmt: skip
def test_a_near_column_comes_before_a_near_reserved_name(asked, columns, hint):
    asking = Reward(lambda given: 1.0, "right", sources={"given": asked})
    with pytest.raises(UnknownNameError) as caught:
        asking.check(columns)
    assert caught.value.hint == hint


@pytest.mark.parametrize("asked", ["completions", "prompts"])
def test_a_function_for_batches_is_told_of_from_trl(asked):
    asking = Reward(lambda given: [1.0], "brief", sources={"given": asked})
    with pytest.raises(UnknownNameError, match=r"It gets one `completion`.* rewards = \[from_trl\(it\)\]"):
        asking.check(["prompt"])
    asking.check([asked])


def test_a_default_makes_a_column_optional():
    as_reward(lambda completion, level=0: 1.0).check(["prompt"])


def test_a_subclass_may_redefine_a_reward_without_marking_it_again():
    class Stricter(Env):
        def right(self, completion, answer):
            return 0.0

    assert [(item.name, item.call(OFFERED)) for item in bound_rewards(Stricter())] == [
        ("right", 0.0),
        ("is_short", True),
    ]


def test_a_subclass_may_mark_it_anew_with_another_weight():
    class Heavier(Env):
        @reward(weight=5)
        def right(self, completion, answer):
            return 1.0

    assert [item.weight for item in bound_rewards(Heavier())] == [5.0, 2.0]


def test_a_subclass_may_take_a_reward_out():
    class Laxer(Env):
        right = None

    assert [item.name for item in bound_rewards(Laxer())] == ["is_short"]


def test_static_and_class_methods_may_be_rewards():
    class Fixed(SingleTurnEnv):
        bonus = 0.5

        @reward
        @staticmethod
        def one(completion):
            return 1.0

        @staticmethod
        @reward
        def two(completion):
            return 2.0

        @classmethod
        @reward
        def three(cls, completion):
            return cls.bonus

    assert [(item.name, item.call(OFFERED)) for item in bound_rewards(Fixed())] == [
        ("one", 1),
        ("two", 2),
        ("three", 0.5),
    ]


def test_a_reward_of_a_module_level_function_can_be_pickled():
    assert pickle.loads(pickle.dumps(Reward(right, "right"))) == Reward(right, "right")


class Clashing(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [{"prompt": "hi", "tool_calls": "mine", "answer": "hi"}]

    @reward
    def nothing_was_called(self, tool_calls):
        return tool_calls == []


def test_a_reserved_name_wins_over_a_column_with_a_note():
    with pytest.warns(GrpoEnvWarning, match="The column 'tool_calls' is hidden: scorers that ask for 'tool_calls' get"):
        evaluation = evaluate(Clashing, "echo", split="all")
    assert evaluation.summary["reward"]["mean"] == 1.0


def test_an_evaluation_keeps_each_part_by_name():
    class Own(Env):
        def build_dataset(self, tokenizer):
            return [{"prompt": "hi", "answer": "no"}]

    summary = evaluate(Own, "echo", split="all").summary
    assert {name: part["mean"] for name, part in summary["rewards"].items()} == {"right": 0.0, "is_short": 1.0}
    assert summary["reward"]["mean"] == pytest.approx(2 / 3)


def test_an_unknown_column_is_told_before_any_episode():
    class Own(Env):
        def build_dataset(self, tokenizer):
            return [{"prompt": "hi", "anwser": "no"}]

    with pytest.raises(UnknownNameError, match=r"asks for 'answer', which is not a column .* Did you mean 'anwser'\?"):
        evaluate(Own, "echo")


def test_a_reward_that_is_added_to_a_class_later_counts_from_then_on():
    class Late(Env):
        """Has what Env has, until a reward is added."""

    assert len(bound_rewards(Late())) == 2
    Late.loud = reward(lambda self, completion: completion.isupper())
    assert len(bound_rewards(Late())) == 3


def test_a_method_without_self_is_told_how_to_begin():
    class Pasted(SingleTurnEnv):
        def build_dataset(self, tokenizer):
            return [{"prompt": "1"}]

        @reward
        def brief(completions, **kwargs):  # noqa: N805  # as it is pasted from a script
            return [1.0]

    class Forgotten(Pasted):
        @reward
        def brief(completion):  # noqa: N805
            return 1.0

    with pytest.raises(ContractError, match=r"'brief' begins with 'completions'.* rewards = \[from_trl\(it\)\]"):
        load(Pasted).rows()
    with pytest.raises(ContractError, match=r"'brief' begins with 'completion', .* def brief\(self, completion, "):
        load(Forgotten).rows()


def test_a_misspelt_option_of_a_reward_is_answered_with_the_right_one():
    with pytest.raises(UsageError, match=r"reward\(\) takes no 'weigth'\. Did you mean 'weight'"):
        reward(weigth=2)
