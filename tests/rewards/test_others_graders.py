"""Reward functions of TRL, rubrics of verifiers and scorers of Inspect as rewards of an environment."""

import functools
import inspect
import math
from dataclasses import replace
from types import SimpleNamespace

import pytest

from grpo_env_sdk import SingleTurnEnv, ToolEnv, call_message, evaluate, load, tool
from grpo_env_sdk.errors import ConfigError, ContractError, UnknownNameError
from grpo_env_sdk.rewards import from_inspect, from_trl, from_verifiers
from tests.rewards.same_shape import Rubric, inspect_package

__all__ = ["inspect_package"]


class Adds(ToolEnv):
    """Add one by a tool, and say the result."""

    rewards = ()

    def build_dataset(self, tokenizer):
        asked = [[{"role": "user", "content": f"Add one to {n}."}] for n in range(20, 24)]
        return [
            {"prompt": prompt, "n": n, "answer": str(n + 1), "info": {"n": n}} for n, prompt in enumerate(asked, 20)
        ]

    @tool
    def increase(self, n: int) -> int:
        """Add one.

        Args:
            n: A number.
        """
        return n + 1

    def solve(self, row):
        return [call_message("increase", n=row["n"]), f"It is {row['answer']}."]


class Says(SingleTurnEnv):
    """Repeat a number, in text."""

    def build_dataset(self, tokenizer):
        return [{"prompt": str(n), "answer": str(n)} for n in range(4)]


def graded(env, rewards, policy="gold"):
    """The first record, and the means of all by name."""
    found = evaluate(type("Graded", (env,), {"rewards": rewards}), policy, split="all")
    return found.episodes[0], {name: part["mean"] for name, part in found.summary["rewards"].items()}


# TRL


def right(completions, answer, **kwargs):
    assert kwargs["prompts"] == [kwargs["episode"][0].row["prompt"]]
    assert len(completions) == len(answer) == len(kwargs["completion_ids"]) == 1
    return [float(str(text if isinstance(text, str) else text[-1]["content"]) == answer[0]) for text in completions]


async def soon(completions, log_metric, log_extra):
    log_metric("length", len(completions[0]))
    log_extra("said", completions)
    return [None]


class Within:
    """An object that is called."""

    def __init__(self, most=2):
        self.most = most

    def __call__(self, completions):
        return [len(one) <= self.most for one in completions]


def test_a_function_in_the_manner_of_trl_grades_an_episode():
    rewards = [from_trl(right), from_trl(soon), from_trl(Within(9), weight=0.5), from_trl(functools.partial(Within(9)))]
    named = [from_trl(right), from_trl(soon), from_trl(Within(9), weight=0.5), from_trl(Within(0), name="none")]
    with pytest.raises(ContractError, match="two rewards named 'Within'"):
        graded(Says, rewards, "echo")
    episode, means = graded(Says, named, "echo")
    assert means == {"right": 1.0, "Within": 1.0, "none": 0.0}
    assert episode.rewards["soon"] is None
    assert episode.reward == pytest.approx(1.5 / 2.5)
    assert graded(Adds, [from_trl(right)])[1] == {"right": 0.0}  # whole transcripts, as in a training


def test_columns_that_a_function_asks_for_are_checked_when_the_rows_are_built():
    def asks(completions, anwser):
        return [0.0]

    with pytest.raises(UnknownNameError, match="Did you mean 'answer'"):
        load(type("Asking", (Says,), {"rewards": [from_trl(asks)]})).rows()


def test_a_function_that_asks_for_one_completion_is_refused():
    with pytest.raises(ConfigError, match=r"asks for 'completion'.*`completions`, a list"):
        from_trl(lambda completion: [1.0])


def by_tokens(completion_ids, **kwargs):
    return [float(len(ids)) for ids in completion_ids]


def by_step(completions, trainer_state, **kwargs):
    return [trainer_state.global_step * 0.1 for _ in completions]


def by_step_or_not(completions, trainer_state=None):
    return [0.0 if trainer_state is None else 1.0 for _ in completions]


def test_a_function_that_counts_tokens_abstains_where_they_are_unknown():
    episode, means = graded(Says, [from_trl(by_tokens), from_trl(right)], "echo")
    assert (episode.rewards["by_tokens"], means["right"]) == (None, 1.0)
    assert from_trl(by_tokens).of(replace(episode, token_ids=[[7, 8], [9]])) == 3.0


def test_a_function_that_reads_the_state_of_a_trainer_is_for_the_training():
    with pytest.raises(ConfigError, match=r"'by_step' asks for 'trainer_state'.* Give it to the training: --reward-"):
        from_trl(by_step)
    assert graded(Says, [from_trl(by_step_or_not)], "echo")[1] == {"by_step_or_not": 0.0}
    read = from_trl(lambda completions, **kwargs: [kwargs["trainer_state"].epoch], name="curriculum")
    error = graded(Says, [read], "echo")[0].error
    assert "'curriculum' reads trainer_state.epoch." in error.message
    assert "--reward-func" in error.message


def by_environment(environments):
    return [float(environment.row["n"] == environment.added - 1) for environment in environments]


def test_a_function_that_reads_environments_gets_the_instance_of_the_episode():
    class Remembers(Adds):
        """It keeps the last sum."""

        @tool
        def increase(self, n: int) -> int:
            """Add one.

            Args:
                n: A number.
            """
            self.added = n + 1
            return self.added

    assert graded(Remembers, [from_trl(by_environment)])[1] == {"by_environment": 1.0}


@pytest.mark.parametrize(("values", "told"), [
    ([1.0, 2.0], "2 values for 1 completions"), (1.0, "returned 1.0"), (["good"], "'good' among its values"),
])  # fmt: skip
def test_values_of_another_form_are_one_clear_line(values, told):
    episode, _ = graded(Says, [from_trl(lambda completions: values, name="odd")], "echo")
    assert told in episode.error.message
    assert "'odd'" in episode.error.message


@pytest.mark.parametrize("wrong", ["accuracy_reward", Within, None, SimpleNamespace(parameters=list)])
def test_what_is_no_function_is_refused(wrong):
    with pytest.raises(ConfigError, match="is not a reward function"):
        from_trl(wrong)


# verifiers


def correct(parser, completion, answer):
    assert [message["role"] for message in completion] == ["assistant", "tool", "assistant"]
    return parser(completion[-1]["content"]) == answer


async def looks(state, info):
    state["seen"] = info
    return 1.0


def after(state, prompt, **kwargs):
    assert prompt[0]["content"] == f"Add one to {kwargs['n']}."
    return state["seen"] == kwargs["info"]


def test_the_functions_of_a_rubric_are_parts_called_in_order_with_one_state():
    inner = Rubric([correct], None, parser=lambda text: "never")
    rubric = Rubric(
        [correct, looks, after], [2.0, 0.0, 1.0], [inner], parser=lambda text: text.removeprefix("It is ").strip(".")
    )
    episode, means = graded(Adds, from_verifiers(rubric))
    assert means == {"correct": 1.0, "looks": 1.0, "after": 1.0, "correct_2": 0.0}
    assert episode.reward == pytest.approx(3 / 4)
    loaded = load(type("Graded", (Adds,), {"rewards": from_verifiers(rubric)}))
    assert [part.weight for part in loaded.description.score_rule.parts] == [2.0, 0.0, 1.0, 1.0]


def of_turns(state):
    first, last = state["trajectory"]
    assert last["prompt"] == state["prompt"] + state["completion"][:2]
    assert [*first["completion"], *last["completion"]] == state["completion"][::2]
    assert state["responses"][0].message is first["completion"][0]
    return state["turn"] == 2


def of_environment(state, answer):
    assert (state["prompt"], answer) == (state["input"]["prompt"], state["input"]["answer"])
    return state["added"] == state["info"]["n"] + 1


class Keeps(Adds):
    """What it knows is in a dict, as in verifiers; it has no say in what was read and answered."""

    def setup(self, row):
        self.state = {"trajectory": [], "prompt": None, "added": 0}

    @tool
    def increase(self, n: int) -> int:
        """Add one.

        Args:
            n: A number.
        """
        self.state["added"] = n + 1
        return n + 1


def test_a_rubric_reads_the_turns_and_what_the_environment_keeps_in_its_state():
    rewards = from_verifiers(Rubric([of_turns, of_environment]))
    assert graded(Keeps, rewards)[1] == {"of_turns": 1.0, "of_environment": 1.0}


def test_a_rubric_that_a_single_episode_cannot_answer_is_refused():
    def best(completions, states):
        return [0.0]

    with pytest.raises(ContractError, match=r"'best' compares the rollouts of a group.*--reward-func MODULE:FUNC"):
        from_verifiers(Rubric([best]))
    for nothing in (Rubric([]), object(), None):
        with pytest.raises(ContractError, match="has no reward functions"):
            from_verifiers(nothing)


# Inspect


def scoring(give):
    """A scorer that gives what `give` makes of the state and the target."""

    async def score(state, target):
        return SimpleNamespace(value=give(state, target))

    return score


def named_match():
    score = scoring(lambda state, target: "C" if state.output.completion == f"It is {target.text}." else "I")
    score.__registry_info__ = SimpleNamespace(name="inspect_ai/match")
    return score


@pytest.mark.usefixtures("inspect_package")
def test_a_scorer_of_inspect_grades_an_episode():
    def looked(state, target):
        assert [message.role for message in state.messages] == ["user", "assistant", "tool", "assistant"]
        assert state.metadata["answer"] == target[0]
        return {"calls": len(state.messages[1].tool_calls), "asked": state.messages[1].tool_calls[0].arguments["n"] > 0}

    several = from_inspect(scoring(looked), name="looked", parts={"calls": 1, "asked": 1})
    episode, means = graded(Adds, [from_inspect(named_match(), target="answer", weight=2), several])
    assert means == {"match": 1.0, "calls": 1.0, "asked": 1.0}
    assert episode.reward == 1.0
    assert graded(Adds, [from_inspect(named_match())], "echo")[1] == {"match": 0.0}


@pytest.mark.usefixtures("inspect_package")
@pytest.mark.parametrize(("value", "number"), [
    ("C", 1.0), ("I", 0.0), ("P", 0.5), ("N", 0.0), ("yes", 1.0), ("0.25", 0.25), (True, 1.0), (3, 3.0),
    (math.nan, None), (None, None),
])  # fmt: skip
def test_values_are_read_as_inspect_reads_them(value, number):
    episode, _ = graded(Says, [from_inspect(scoring(lambda state, target: value), name="given")], "echo")
    assert episode.rewards == {"given": number}


@pytest.mark.usefixtures("inspect_package")
@pytest.mark.parametrize(("value", "told"), [
    ("good", "gave 'good'"), ([1, 0], "is not a score"), ({"a": 1}, "gave several values"),
])  # fmt: skip
def test_a_value_that_is_no_number_is_one_clear_line(value, told):
    episode, _ = graded(Says, [from_inspect(scoring(lambda state, target: value), name="given")], "echo")
    assert told in episode.error.message
    assert episode.error.type == "ScoreError"


@pytest.mark.usefixtures("inspect_package")
def test_a_scorer_that_does_not_read_its_target_asks_for_no_column():
    async def short(state, target):
        return SimpleNamespace(value=float(len(state.output.completion) < 99))

    reward = from_inspect(short, name="short", target="nowhere")
    assert graded(Says, [reward], "echo")[1] == {"short": 1.0}
    assert list(inspect.signature(reward.function).parameters) == ["episode"]


def test_a_missing_package_or_column_is_named():
    with pytest.raises(UnknownNameError, match=r"asks for 'answered'.*from_inspect\(match, target=...\)"):
        load(type("Asking", (Says,), {"rewards": [from_inspect(named_match(), target="answered")]})).rows()
    with pytest.raises(UnknownNameError, match="asks for 'target_column'"):
        load(type("Asking", (Says,), {"rewards": [from_inspect(named_match(), target="target_column")]})).rows()
    with pytest.raises(ConfigError, match="Call it"):
        from_inspect(type("Match", (), {}))
    episode, _ = graded(Says, [from_inspect(named_match())], "echo")
    assert "pip install inspect-ai" in str(episode.error)
