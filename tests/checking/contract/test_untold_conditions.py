"""Rules for a value that no prompt has: members, express parcels, winters; and values that something tells."""

import random

import pytest

from grpo_env_sdk import SingleTurnEnv, ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.contract.untold_conditions import prompts_tell_what_their_rules_depend_on
from grpo_env_sdk.checking.runner.worker import found_by
from tests.checking.trying import found, subject_of
from tests.gallery.broken.members_not_told import Ferries


class Parcels(SingleTurnEnv):
    """What a parcel costs: so much a kilo and a base, and twice as much for express."""

    text = "Parcel {n}: {kilos} kilos at {rate} euros a kilo. {rule} What does it cost?"
    rule = "If it is express, it costs twice as much."
    column = "is_express"

    def build_dataset(self, tokenizer):
        return [self.parcel(n, random.Random(n)) for n in range(60)]

    def parcel(self, n, rng):
        kilos, rate = rng.randint(2, 30), rng.randint(3, 12)
        value = self.value(rng, kilos)
        cost = kilos * rate * (2 if value in (True, "winter") else 1)
        text = self.text.format(n=n, kilos=kilos, rate=rate, rule=self.rule, value=value)
        return {"prompt": text, self.column: value, "cost": cost}

    def value(self, rng, kilos):
        return rng.random() < 0.4

    @reward
    def right(self, completion, cost):
        return answer_text(completion).strip() == str(cost)

    def solve(self, row):
        return str(row["cost"])


class Winters(Parcels):
    """A column of seasons, of which the prompts name one."""

    rule = "In winter it costs twice as much."
    column = "season"

    def value(self, rng, kilos):
        return rng.choice(["winter", "spring", "summer", "autumn"])


class SeasonSaid(Winters):
    """Sound: each prompt has its season."""

    text = "It is {value}. " + Winters.text


class SeasonIdle(Winters):
    """Sound: gold does not depend on the season."""

    def parcel(self, n, rng):
        row = super().parcel(n, rng)
        return row | {"cost": row["cost"] // (2 if row["season"] == "winter" else 1)}


class Heavy(Parcels):
    """Sound: the weight tells whether a parcel is bulky."""

    rule = "Bulky parcels, of more than 15 kilos, cost twice as much."
    column = "bulky"

    def value(self, rng, kilos):
        return kilos > 15


class Named(Parcels):
    """Sound: each parcel has words of its own, which may tell it."""

    def parcel(self, n, rng):
        row = super().parcel(n, rng)
        return row | {"prompt": f"{row['prompt']} ({'x' * n})"}


class Unruled(Parcels):
    """Sound here: no prompt has a rule for the column."""

    rule = "Some cost twice as much."


class Lookup(ToolEnv):
    """A tool has the season of a parcel."""

    build_dataset, parcel, value = Winters.build_dataset, Winters.parcel, Winters.value
    text, rule, column = Winters.text, Winters.rule, "season"

    @tool
    def record(self, parcel: int) -> str:
        """Read the record of the parcel.

        Args:
            parcel: Its number.
        """
        return f"Sent in {self.row['season']}."

    @reward
    def right(self, completion, cost):
        return answer_text(completion).strip() == str(cost)

    def solve(self, row):
        return [call_message("record", parcel=1), str(row["cost"])]


class LookupSilent(Lookup):
    """A tool has nothing of it."""

    @tool
    def record(self, parcel: int) -> str:
        """Read the record of the parcel.

        Args:
            parcel: Its number.
        """
        return "Sent."


class LookupUnruled(LookupSilent):
    """Sound: no prompt has a rule for a season."""

    rule = "Some cost twice as much."


@pytest.mark.parametrize(("cls", "name", "column"), [
    (Ferries, "member", "card"), (Parcels, "express", "is_express"), (Winters, "winter", "season"),
    (LookupSilent, "winter", "season"),
])  # fmt: skip
def test_a_rule_for_a_value_that_nothing_tells_is_found(cls, name, column):
    (finding,) = found(prompts_tell_what_their_rules_depend_on, cls)
    assert f"Prompts have a rule for {name!r}" in finding.message
    assert f"only the column {column!r} does" in finding.message


@pytest.mark.parametrize("cls", [SeasonSaid, SeasonIdle, Heavy, Named, Unruled, Lookup])
def test_values_that_are_told_or_that_gold_does_not_follow_are_let_alone(cls):
    assert found(prompts_tell_what_their_rules_depend_on, cls) == []


def test_what_tools_show_is_played_only_where_prompts_have_a_rule():
    played = []
    for cls in (LookupSilent, LookupUnruled):
        subject = subject_of(cls)
        list(found_by(prompts_tell_what_their_rules_depend_on, subject))
        played.append(subject.recall(("looked up", 0)) is not None)
    assert played == [True, False]
