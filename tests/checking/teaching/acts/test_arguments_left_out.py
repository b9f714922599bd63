"""Written calls, in the form that the prompt shows, whose missing arguments nobody misses."""

import ast
import json
import re

import pytest

from grpo_env_sdk import SingleTurnEnv, answer_text, reward
from grpo_env_sdk.checking.teaching.acts.written_calls import made_up_arguments_do_not_score as made_up
from grpo_env_sdk.checking.teaching.wrong_answers.left_out import what_is_left_out_is_not_right as left_out
from tests.checking.trying import found

LOADS = [{"oven": n % 4 + 1, "bread": bread, "minutes": 20 + n} for n, bread in enumerate(("rye", "spelt", "corn") * 4)]


def load_of(given, wanted):
    return all(wanted[key] == value for key, value in given.items())


class Bakery:
    """The call is an object in tags."""

    form = 'Write one call: <call>{"name": "bake", "arguments": {"oven": ..., "bread": ..., "minutes": ...}}</call>'

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Bake {one['bread']} in oven {one['oven']}, {one['minutes']} min.\n{self.form}", "load": n}
            for n, one in enumerate(LOADS)
        ]

    def score_episode(self, model, tokenizer, completion, load):
        try:
            given = self.given(answer_text(completion).strip())
            return float(given is not None and self.fits(given, LOADS[load]))
        except (ValueError, KeyError, TypeError, AttributeError, SyntaxError):
            return 0.0

    def given(self, text):
        written = re.fullmatch(r"<call>(.*)</call>", text, re.DOTALL)
        call = json.loads(written[1]) if written else {}
        return call["arguments"] if call["name"] == "bake" else None

    def fits(self, given, wanted):
        return load_of(given, wanted)


class ByName(Bakery):
    form = "Answer with one call of the form bake(oven=..., bread=..., minutes=...)."

    def given(self, text):
        call = ast.parse(text, mode="eval").body
        return {one.arg: ast.literal_eval(one.value) for one in call.keywords} if call.func.id == "bake" else None


class Whole(Bakery):
    def fits(self, given, wanted):
        return given == wanted


class WholeByName(ByName):
    def fits(self, given, wanted):
        return given == wanted


class MayBeLeftOut(Bakery):
    form = f"{Bakery.form} Leave out arguments that are 20 or rye, which are the default."


@pytest.mark.parametrize(("cls", "call"), [(Bakery, "arguments"), (ByName, "bake()")])
def test_calls_without_arguments_are_tried_in_the_form_that_is_shown(cls, call):
    (finding,) = found(made_up, cls)
    assert finding.severity == "error"
    assert call in finding.message


@pytest.mark.parametrize("cls", [Whole, WholeByName, MayBeLeftOut])
def test_calls_that_are_compared_as_a_whole_are_let_be(cls):
    assert found(made_up, cls) == []


class Solved(SingleTurnEnv):
    """One argument of a call may be missing, and not be wrong."""

    whole = False

    def build_dataset(self, tokenizer):
        return ByName().build_dataset(tokenizer)

    @reward
    def right(self, completion, load):
        baker = WholeByName() if self.whole else ByName()
        return baker.score_episode(None, None, answer_text(completion), load)

    def solve(self, row):
        one = LOADS[row["load"]]
        return f"bake(oven={one['oven']}, bread={one['bread']!r}, minutes={one['minutes']})"


class SolvedWhole(Solved):
    whole = True


class Tagged(Solved):
    """The call is an object in tags."""

    def build_dataset(self, tokenizer):
        return Bakery().build_dataset(tokenizer)

    @reward
    def right(self, completion, load):
        baker = Whole() if self.whole else Bakery()
        return baker.score_episode(None, None, answer_text(completion), load)

    def solve(self, row):
        return f"<call>{json.dumps({'name': 'bake', 'arguments': LOADS[row['load']]})}</call>"


class TaggedWhole(Tagged):
    whole = True


@pytest.mark.parametrize("cls", [Solved, Tagged])
def test_an_argument_that_is_never_missed_is_named(cls):
    (finding,) = found(left_out, cls)
    assert "oven" in finding.message


@pytest.mark.parametrize("cls", [SolvedWhole, TaggedWhole])
def test_arguments_that_are_missed_are_let_be(cls):
    assert found(left_out, cls) == []
