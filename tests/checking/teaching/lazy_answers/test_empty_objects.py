"""Objects without anything in them, which are paid for what gold does not have either."""

import json

import pytest

from grpo_env_sdk import SingleTurnEnv, ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.teaching.lazy_answers.empty_objects import what_is_empty_earns_little as empty_earns_little
from tests.checking.trying import found
from tests.gallery.broken.absent_is_null import Boats


class Submitted(ToolEnv):
    """The object is an argument."""

    def build_dataset(self, tokenizer):
        return Boats.build_dataset(self, tokenizer)

    def setup(self, row):
        self.boat = {}

    @tool
    def submit(self, boat: dict) -> str:
        """Submit the advertisement.

        Args:
            boat: What it says.
        """
        self.boat = boat
        return "Thanks."

    @reward
    def right(self, boat):
        return sum(self.boat.get(part) == value for part, value in json.loads(boat).items()) / 4

    def solve(self, row):
        return [call_message("submit", boat=json.loads(row["boat"])), "Done."]


class NullIsNeverWrong(Boats):
    """Only what is said is compared, but keys have to be there."""

    def count(self, said, boat):
        return float(set(said) == set(boat) and all(value in (None, boat[part]) for part, value in said.items()))


@pytest.mark.parametrize(
    ("env", "name"),
    [
        (Boats, "An empty object or list"),
        (Submitted, "An empty object or list"),
        (NullIsNeverWrong, "An object with null in every field"),
    ],
)
def test_what_is_empty_and_earns_a_good_part_is_found(env, name):
    (finding,) = found(empty_earns_little, env)
    assert finding.message.startswith(f"{name} earns ")
    assert finding.severity == "error"


class WithKeys(Boats):
    """A null has to be said."""

    def count(self, said, boat):
        return sum(part in said and said[part] == value for part, value in boat.items()) / len(boat)


class SaidAlone(Boats):
    """Only what the advertisement says counts."""

    def count(self, said, boat):
        told = {part: value for part, value in boat.items() if value is not None}
        return sum(said.get(part) == value for part, value in told.items()) / len(told)


class LeftOut(Boats):
    """What is not said is left out, and what is made up is wrong."""

    def build_dataset(self, tokenizer):
        told = [{**row, "boat": json.loads(row["boat"])} for row in super().build_dataset(tokenizer)]
        return [
            {
                "prompt": row["prompt"].replace("What is not said is null", "Leave out what is not said"),
                "boat": json.dumps({part: value for part, value in row["boat"].items() if value is not None}),
            }
            for row in told
        ]


class ForItsForm(Boats):
    """A fifth for JSON with the right keys."""

    def count(self, said, boat):
        return 0.2 * (set(said) == set(boat)) + 0.8 * (said == boat)


class NothingSaid(Boats):
    """On half of the rows everything is null, as it should be there."""

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        nothing = {"prompt": "A boat is for sale. Write JSON with masts, port, wood and berths. Null if not said."}
        return [
            {**nothing, "boat": json.dumps(dict.fromkeys(("masts", "port", "wood", "berths")))} if n % 2 else row
            for n, row in enumerate(rows)
        ]

    def count(self, said, boat):
        return float(said == boat)


class Multiples(SingleTurnEnv):
    """A list, of which what is right counts among all that is in it or should be."""

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"The multiples of {n} below 50, as a JSON list.", "all": json.dumps([*range(n, 50, n)])}
            for n in range(4, 20)
        ]

    @reward
    def right(self, completion, all):
        try:
            said = {*map(int, json.loads(answer_text(completion)))}
        except (ValueError, TypeError):
            return 0.0
        return len(said & {*json.loads(all)}) / len(said | {*json.loads(all)})

    def solve(self, row):
        return row["all"]


@pytest.mark.parametrize("env", [WithKeys, SaidAlone, LeftOut, ForItsForm, NothingSaid, Multiples])
def test_nothing_is_said_where_what_is_empty_is_worth_no_more_than_wrong_values(env):
    assert not found(empty_earns_little, env)
