"""A plain class is an environment as it stands: no base class, no decorator, no registration."""

import inspect

import pytest

from grpo_env_sdk import evaluate, load, make
from grpo_env_sdk.errors import UnknownNameError

COUNTDOWN = """
    import re
    from datasets import Dataset

    class Countdown:
        def __init__(self, longest=5):
            self.starts = list(range(2, longest + 1))
        def build_dataset(self, tokenizer):
            return Dataset.from_dict({"prompt": [f"Count down from {n} to 1." for n in self.starts],
                                      "case_idx": list(range(len(self.starts)))})
        def score_episode(self, model, tokenizer, completion, case_idx):
            wanted = [str(n) for n in range(self.starts[case_idx], 0, -1)]
            return float(re.findall(r"\\d+", completion) == wanted)
        def get_tools(self):
            return []
"""
RIGHT = {2: "2 1", 3: "3 2 1", 4: "4, 3, 2, 1", 5: "5 4 3 2 1"}


class FixedReplies:
    """A policy that answers each row with what a function makes of it."""

    name = "saying"

    def __init__(self, answer):
        self.answer = answer

    async def respond(self, request):
        from grpo_env_sdk.types import Turn

        return Turn({"role": "assistant", "content": self.answer(request.row)})


def scores(env, answer=lambda row: "ho", **plan):
    """The rewards of every row, by index; any error of an episode fails the test."""
    evaluation = evaluate(env, FixedReplies(answer), **{"split": "all"} | plan)
    assert evaluation.summary["errors"] == {}
    return evaluation.summary["reward"]["mean"]


@pytest.fixture
def countdown(workplace):
    """The class of the documentation in a folder of its own, on no path."""
    workplace.write("my_envs/hotel_env.py", COUNTDOWN)
    return "my_envs.hotel_env:Countdown"


def test_the_class_of_the_documentation_runs_by_import_path(countdown):
    assert scores(countdown, lambda row: RIGHT[row["case_idx"] + 2]) == 1.0
    assert scores(countdown, lambda row: "2 1") == 0.25


def test_it_is_a_single_turn_environment_that_scores_serially(countdown):
    loaded = load(countdown)
    assert (loaded.traits.kind, loaded.traits.instances, loaded.traits.parallel) == ("single-turn", "shared", False)
    assert loaded.tools == []


def test_it_takes_config(countdown):
    assert len(load(countdown, {"longest": 9}).rows()) == 8
    assert make(countdown, longest=3).starts == [2, 3]


def test_text_with_thoughts_arrives_as_it_was_written(workplace):
    workplace.write(
        "thinking.py",
        """
        class Thinking:
            def build_dataset(self, tokenizer):
                return [{"prompt": "hi"}]
            def score_episode(self, model, tokenizer, completion):
                return float(completion == "<think>\\nhm, 6 * 7\\n</think>\\n\\n42")
        """,
    )
    assert scores("thinking:Thinking", lambda row: "<think>\nhm, 6 * 7\n</think>\n\n42") == 1.0


class Plain:
    """Scores 1 where its `check` is satisfied."""

    def build_dataset(self, tokenizer):
        return [{"prompt": f"say {n}", "answer": n} for n in range(3)]


class WithoutCaseIdx(Plain):
    def score_episode(self, model, tokenizer, completion, answer):
        return float(answer in (0, 1, 2))


class WithCaseIdx(Plain):
    def score_episode(self, model, tokenizer, completion, case_idx, answer):
        return float(case_idx == answer)


class WithNothing(Plain):
    def score_episode(self, model, tokenizer, completion):
        return float((model, tokenizer, completion) == (None, None, "ho"))


class WithKeywordsOnly(Plain):
    def score_episode(self, model, tokenizer, completion, *, answer, prompt):
        return float(prompt == f"say {answer}")


class WithDefault(Plain):
    def score_episode(self, model, tokenizer, completion, bonus=1.0):
        return bonus


class WithKwargs(Plain):
    def score_episode(self, model, tokenizer, completion, **columns):
        return float({"prompt", "answer", "case_idx"} <= set(columns))


class WithOtherNames(Plain):
    def score_episode(self, _, __, text, **columns):
        return float(text == columns["completion"] == "ho")


class WithReserved(Plain):
    def score_episode(self, model, tokenizer, completion, row, messages, episode, state, tool_calls):
        said = messages[-1]["content"]
        return float(
            row["prompt"] == messages[0]["content"] and said == completion and state is self and not tool_calls
        )


class Asynchronous(Plain):
    async def score_episode(self, model, tokenizer, completion, answer):
        return float(answer in (0, 1, 2))


class Static(Plain):
    @staticmethod
    def score_episode(model, tokenizer, completion):
        return 1


class OfAwaitable(Plain):
    def score_episode(self, model, tokenizer, completion, answer):
        return Asynchronous().score_episode(model, tokenizer, completion, answer)


class ToolsAreNone(WithNothing):
    def get_tools(self):
        return None


CLASSES = [
    WithoutCaseIdx, WithCaseIdx, WithNothing, WithKeywordsOnly, WithDefault, WithKwargs, WithOtherNames, WithReserved,
    Asynchronous, Static, OfAwaitable, ToolsAreNone,
]  # fmt: skip


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_a_scorer_may_be_written_in_many_ways(cls):
    assert scores(cls) == 1.0


def test_an_async_scorer_is_concurrent_unless_it_says_otherwise():
    class Serial(Asynchronous):
        parallel = False

    assert load(Asynchronous).traits.parallel
    assert not load(Serial).traits.parallel


def test_a_chat_prompt_makes_the_completion_a_list_of_messages():
    class Chat:
        def build_dataset(self, tokenizer):
            return [{"prompt": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "hi"}]}]

        def score_episode(self, model, tokenizer, completion):
            return float(completion == [{"role": "assistant", "content": "ho"}])

    assert scores(Chat) == 1.0


def test_a_generator_of_rows_is_read_once_however_often_it_is_asked():
    class Generating(WithNothing):
        def build_dataset(self, tokenizer):
            yield from super().build_dataset(tokenizer)

    assert scores(Generating) == 1.0


def test_an_argument_that_no_row_has_is_told_before_any_episode():
    class Asking(Plain):
        def score_episode(self, model, tokenizer, completion, anwser):
            return 1.0

    with pytest.raises(
        UnknownNameError, match=r"Asking\.score_episode asks for 'anwser', which is not a column \(.*\)\. Did"
    ):
        scores(Asking)


def test_a_case_idx_that_the_class_splits_by_is_the_whole_datasets():
    class Remembering(Plain):
        def build_dataset(self, tokenizer):
            self.answers = list(range(40))
            return [{"prompt": f"say {n}"} for n in self.answers]

        def score_episode(self, model, tokenizer, completion, case_idx):
            return float(completion == str(self.answers[case_idx]))

    assert scores(Remembering, lambda row: row["prompt"].split()[1], split="test") == 1.0


def test_the_scorer_may_be_called_by_hand(countdown):
    env = make(countdown)
    assert inspect.signature(env.score_episode).parameters["case_idx"]
    assert env.score_episode(None, None, "3 2 1", case_idx=1) == 1.0
