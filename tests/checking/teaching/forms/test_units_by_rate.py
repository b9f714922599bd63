"""G639: numbers of calls in another unit than the schema's, of which the prompt says how much of it makes one."""

import pytest

from grpo_env_sdk import ToolEnv, call_message, reward, tool
from grpo_env_sdk.checking.teaching.forms.units_as_told import numbers_are_in_the_unit_that_is_told
from tests.checking.trying import found

PLANKS = "Shed {n} needs {metres} metres of plank. {rate} Buy it."
RATE = "A bundle of planks has {size} metres."


def shop(asked="in bundles", said=RATE, gold="metres", right=("metres",), prompt=PLANKS, replied="Bought."):
    """A shop whose schema asks for planks `asked`, and whose prompts say `said` of both units."""

    class Shop(ToolEnv):
        max_turns = 3

        def build_dataset(self, tokenizer):
            rows = [{"n": n, "size": 6 + n % 4, "bundles": 3 + 2 * n} for n in range(10)]
            rows = [{**row, "metres": row["size"] * row["bundles"]} for row in rows]
            return [{**row, "prompt": prompt.format(rate=said.format(**row), **row)} for row in rows]

        def setup(self, row):
            self.bought = None

        def buy(self, amount: float) -> str:
            self.bought = amount
            return replied.format(**self.row)

        buy.__doc__ = f"Buy planks.\n\nArgs:\n    amount: How much to buy, {asked}.\n"
        buy = tool(buy)

        @reward
        def right(self, bundles, metres):
            return self.bought in [{"bundles": bundles, "metres": metres}[one] for one in right]

        def solve(self, row):
            return [call_message("buy", amount=row[gold]), "Done."]

    return Shop


@pytest.mark.parametrize("env", [
    shop(),
    shop(said="There are {size} metres in a bundle."),
    shop(said="They come with {size} metres per bundle."),
    shop(said="", replied="Bought. Each bundle has {size} metres."),
    shop("in metres", "One bundle is {size} metres.", "bundles", ("bundles",), "It needs {bundles} bundles. {rate}"),
])  # fmt: skip
def test_the_number_of_a_prompt_with_another_unit_is_an_error(env):
    (finding,) = found(numbers_are_in_the_unit_that_is_told, env)
    assert (finding.severity, "by what the prompt says, scores 0" in finding.message) == ("error", True)


@pytest.mark.parametrize("env", [
    shop("in metres"),
    shop("in bundles or metres"),
    shop("in bundles, which have some metres each"),
    shop(gold="bundles", right=("bundles",)),
    shop(right=("metres", "bundles")),
    shop(said=""),
    shop("in boards", "They cost 3 per board, and a lorry takes 80 oak boards.", prompt="{metres} oak boards. {rate}"),
    shop(prompt="Shed {n} needs {metres} metres of plank, which are {metres} bundles. {rate}"),
])  # fmt: skip
def test_numbers_in_the_unit_that_is_asked_and_others_without_a_rate_are_let_be(env):
    assert found(numbers_are_in_the_unit_that_is_told, env) == []
