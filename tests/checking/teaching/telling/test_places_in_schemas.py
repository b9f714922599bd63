"""Values that gold gives and that stand in one place of what each row's schema allows."""

import random

import pytest

from grpo_env_sdk import Toolbox, ToolEnv, call_message, reward
from grpo_env_sdk.checking.teaching.telling.told_in_schemas import schemas_do_not_tell_the_answer
from tests.checking.trying import found

DESKS = ("tax", "roads", "parks", "water", "noise", "school", "pool", "bus", "waste", "light")


class Letters(ToolEnv):
    """Each row offers four desks, the right one first."""

    max_turns = 2
    runs_tools = True

    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"Letter {n}: it is about {desk[::-1]}. Send it on.",
                "desk": desk,
                "offered": self.offered(n, desk),
            }
            for n, desk in enumerate(DESKS)
        ]

    def offered(self, n, desk):
        return [desk, *random.Random(n).sample([one for one in DESKS if one != desk], 3)]

    def setup(self, row):
        self.sent = None
        allowed = {"type": "string", "enum": row["offered"]}
        parameters = {"type": "object", "properties": {"desk": allowed}, "required": ["desk"]}
        schema = {"name": "send", "description": "Send the letter on.", "parameters": parameters}
        self.toolbox = Toolbox.from_schemas([{"type": "function", "function": schema}], call=self.run)

    def run(self, name, arguments):
        self.sent = arguments["desk"]
        return "Sent."

    @reward
    def right(self, desk):
        return self.sent == desk

    def solve(self, row):
        return [call_message("send", desk=row["desk"]), "Sent."]


class Sorted(Letters):
    def offered(self, n, desk):
        return sorted(super().offered(n, desk))


class Shuffled(Letters):
    def offered(self, n, desk):
        return random.Random(n).sample(super().offered(n, desk), 4)


def test_the_right_value_that_is_always_first_is_found():
    (finding,) = found(schemas_do_not_tell_the_answer, Letters, "default")
    assert "'desk' of send is the first of those that its schema allows, on 10 of 10 rows" in finding.message


@pytest.mark.parametrize("cls", [Sorted, Shuffled])
def test_values_in_an_order_of_their_own_are_let_alone(cls):
    assert found(schemas_do_not_tell_the_answer, cls, "default") == []
