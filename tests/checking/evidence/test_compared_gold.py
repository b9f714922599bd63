"""Gold from what a scorer compares answers with: no column holds it, and there is no `solve`."""

import ast
import asyncio
import inspect
import random
import re
import textwrap
from datetime import datetime

import pytest

from grpo_env_sdk import SingleTurnEnv, answer_text, reward
from grpo_env_sdk.checking.evidence.author_code.score_code import ScoreFunction
from grpo_env_sdk.checking.evidence.author_code.watched_comparisons import WatchedComparisons
from grpo_env_sdk.checking.evidence.gold.compared_gold import in_the_shape_of
from grpo_env_sdk.checking.score.parallel import parallel_scoring_is_safe
from grpo_env_sdk.checking.score.repeats import a_score_is_the_same_in_another_process
from tests.checking.trying import found, subject_of

WORDS = ("river", "stone", "paper", "candle", "window", "garden", "bridge", "mirror", "anchor", "basket")


class Rows:
    """A plain class with ten rows."""

    text = "Word {number}: which one is it?"

    def build_dataset(self, tokenizer):
        return [{"prompt": self.text.format(number=number), "number": number} for number in range(10)]

    def get_tools(self):
        return []


class Moments(Rows):
    text = "The clock of a server says {number}0000000 (Unix time). Which day is that, as 'YYYY-MM-DD'?"

    def score_episode(self, model, tokenizer, completion, number):
        day = datetime.fromtimestamp(10_000_000 * number).date()
        return float(answer_text(completion).strip() == day.isoformat())


class Spelt(Rows):
    text = "Spell word {number} of the list in capitals with hyphens, as in C-A-T."

    async def score_episode(self, model, tokenizer, completion, number):
        self.wanted = WORDS[number]
        said = answer_text(completion)
        await asyncio.sleep(0.001)
        return float(said.isupper() and "-" in said and said.replace("-", "").lower() == self.wanted)


class Sums(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [{"prompt": f"Add the digits of {n}. End with 'Sum: <number>'.", "n": n} for n in range(110, 910, 37)]

    @reward
    def sum_is_right(self, completion, n):
        _, _, said = answer_text(completion).partition("Sum:")
        try:
            return float(abs(float(said) - sum(map(int, str(n)))) < 0.01)
        except ValueError:
            return 0.0


class Listed(Rows):
    def score_episode(self, model, tokenizer, completion, number):
        return float(answer_text(completion).strip().lower() in {WORDS[number], WORDS[number] + "s"})


class Forecast(Rows):
    text = "How likely is rain on day {number}? Answer with a probability, such as 0.3."

    def score_episode(self, model, tokenizer, completion, number):
        happened = random.Random(number).random() < 0.5
        return float(answer_text(completion).strip() == str(int(happened)))


class SameForAll(Rows):
    def score_episode(self, model, tokenizer, completion, number):
        return float(answer_text(completion).strip() == "open sesame")


@pytest.mark.parametrize(
    ("env", "answer"),
    [(Moments, r"19\d\d-\d\d-\d\d"), (Spelt, "R-I-V-E-R"), (Sums, "Sum: 2"), (Listed, "rivers?")],
)
def test_an_answer_is_found_that_the_scorer_pays_for(env, answer):
    subject = subject_of(env)
    assert subject.gold_source == "what the scorer compares answers with"
    assert subject.gold(0).reward == 1.0
    assert re.fullmatch(answer, subject.gold(0).completion[-1]["content"])


@pytest.mark.parametrize("env", [Forecast, SameForAll])
def test_what_happened_and_a_word_for_all_rows_are_no_gold(env):
    assert subject_of(env).gold_source is None


def test_with_it_shared_state_shows():
    assert [finding.check for finding in found(parallel_scoring_is_safe, Spelt)] == ["S220"]


@pytest.mark.slow
def test_with_it_the_time_zone_shows():
    assert [finding.check for finding in found(a_score_is_the_same_in_another_process, Moments)] == ["S213"]


class Compares:
    __hidden = "h"

    def many(self, text, *rest, limit=3):
        """Compares in every way that is watched."""
        closed = "c"

        def inner():
            return text == closed

        if text.startswith("s") or text in ("t", "u") or text != self.__hidden:
            return [inner(), abs(len(text) - limit), 1 < limit < 9]
        return super().__repr__()

    async def waits(self, text):
        await asyncio.sleep(0)
        return text == "w"

    def yields(self, text):
        yield text == "y"


def closing_over(word):
    def compares(text):
        return text == word

    return compares


def watched(function, *given):
    """What a call gives, and the pairs that it compared."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    code = function.__code__
    with WatchedComparisons([ScoreFunction(function, tree)]).watched() as seen:
        result = function(*given)
        if inspect.iscoroutine(result):
            result = asyncio.run(result)
        result = list(result) if inspect.isgenerator(result) else result
    assert function.__code__ is code
    return result, [(one.left, one.right) for one in seen]


def test_a_function_that_is_watched_does_as_before_and_tells_what_it_compares():
    one = Compares()
    assert watched(Compares.many, one, "v") == (
        one.many("v"), [("v", "s"), ("v", ("t", "u")), ("v", "h"), ("v", "c"), (1, 3), (1, 3), (3, 9)],
    )  # fmt: skip
    assert watched(Compares.waits, one, "w") == (True, [("w", "w")])
    assert watched(Compares.yields, one, "n") == ([False], [("n", "y")])
    assert watched(closing_over("z"), "z") == (True, [("z", "z")])


def test_an_error_of_the_author_leaves_the_function_as_it_was():
    code = Compares.many.__code__
    with pytest.raises(AttributeError):
        watched(Compares.many, Compares(), 5)
    assert Compares.many.__code__ is code


@pytest.mark.parametrize(
    ("shown", "wanted", "written"),
    [("C-A-T", "river", "R-I-V-E-R"), ("CAT", "river", "RIVER"), ("Cat", "river", "River"), ("c a t", "is", "i s")],
)
def test_a_text_is_written_in_the_shape_of_an_example(shown, wanted, written):
    assert in_the_shape_of(shown, wanted) == written
