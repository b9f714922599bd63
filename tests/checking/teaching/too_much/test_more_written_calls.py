"""Written calls against their schemas, answers without the calls that are needed, and several answers in one."""

from typing import ClassVar

import pytest

from grpo_env_sdk.checking.teaching.acts.written_calls import written_calls_are_compared_as_a_whole as written
from grpo_env_sdk.checking.teaching.lazy_answers.idling import idling_is_not_gold as idling
from grpo_env_sdk.checking.tools.answering import the_solution_keeps_to_the_schemas as fitting
from tests.checking.trying import found, subject_of

FOUND = "the calls that the scorer compares with"
PLANTS = ("fern", "cactus", "ivy", "palm", "moss", "orchid", "basil", "mint", "sage", "aloe")


def schema(name, **properties):
    parameters = {"type": "object", "properties": properties, "required": list(properties)}
    return {"type": "function", "function": {"name": name, "description": "One.", "parameters": parameters}}


def calls_of(completion):
    calls = [call["function"] for message in completion for call in message.get("tool_calls") or []]
    return [(call["name"], call["arguments"]) for call in calls]


class Watering:
    """Right amounts are read from a table of texts, and never converted."""

    WATER: ClassVar = {"type": "integer", "description": "In millilitres."}
    READ = str

    def __init__(self):
        self.wanted = [{"plant": plant, "water": self.READ(50 + 10 * n)} for n, plant in enumerate(PLANTS)]

    def build_dataset(self, tokenizer):
        texts = [f"Give the {one['plant']} {one['water']} ml with one call of water." for one in self.wanted]
        return [{"prompt": [{"role": "user", "content": text}]} for text in texts]

    def get_tools(self):
        return [schema("water", plant={"type": "string"}, water=self.WATER)]

    def score_episode(self, model, tokenizer, completion, case_idx):
        return float(calls_of(completion) == [("water", self.wanted[case_idx])])


class ByKey(Watering):
    def score_episode(self, model, tokenizer, completion, case_idx):
        calls = calls_of(completion)
        wanted = self.wanted[case_idx]
        return float(len(calls) == 1 and all(calls[0][1].get(key) == value for key, value in wanted.items()))


class OtherName(Watering):
    """What the scorer wants is called otherwise in the schema."""

    READ = int

    def get_tools(self):
        return [schema("water", plant={"type": "string"}, millilitres=self.WATER)]


class NotListed(Watering):
    """The values of the schema are not those of the table."""

    READ = "{}ml".format
    WATER: ClassVar = {"enum": ["50", "100", "200"]}


@pytest.mark.parametrize(
    ("env", "shown"),
    [(Watering, "water=50)"), (ByKey, "water=50)"), (OtherName, "millilitres="), (NotListed, 'water="50")')],
)
def test_a_call_that_is_wanted_against_its_schema_is_found(env, shown):
    assert subject_of(env, "default").gold_source == FOUND
    (finding,) = found(fitting, env, "default")
    assert (finding.severity, shown in finding.message, "10 of 10" in finding.message) == ("error", True, True)


class Numbers(Watering):
    READ = int


class AsText(Watering):
    """Both are compared as texts, so that the number of the schema is right."""

    def score_episode(self, model, tokenizer, completion, case_idx):
        calls = calls_of(completion)
        wanted = self.wanted[case_idx]
        return float(len(calls) == 1 and all(str(calls[0][1].get(key)) == value for key, value in wanted.items()))


class Either(Watering):
    """Another spelling is right too, and the one of the schema is."""

    WATER: ClassVar = {"enum": [str(50 + 10 * n) for n in range(10)]}

    def score_episode(self, model, tokenizer, completion, case_idx):
        calls, wanted = calls_of(completion), self.wanted[case_idx]
        if len(calls) != 1 or calls[0][1].get("plant") != wanted["plant"]:
            return 0.0
        return float(calls[0][1].get("water") in (f"{wanted['water']} ml", wanted["water"]))


@pytest.mark.parametrize("env", [Numbers, AsText, Either])
def test_calls_that_fit_their_schemas_are_right(env):
    assert not found(fitting, env, "default")


class Greenhouse:
    """Calls that are needed are never missed, only wrong ones cost something."""

    ASKED = (
        ("Water the fern, please.", [("water", {"plant": "fern"})]),
        ("The cactus wants light.", [("light", {"plant": "cactus"})]),
        ("Water the ivy and the palm.", [("water", {"plant": "ivy"}), ("water", {"plant": "palm"})]),
        ("Who was Linnaeus?", []),
        ("Light for the moss!", [("light", {"plant": "moss"})]),
        ("The orchid is dry.", [("water", {"plant": "orchid"})]),
        ("Light the basil and water the mint.", [("light", {"plant": "basil"}), ("water", {"plant": "mint"})]),
        ("Sell the house.", []),
        ("The sage is in the dark.", [("light", {"plant": "sage"})]),
        ("A little water for the aloe.", [("water", {"plant": "aloe"})]),
    )

    def build_dataset(self, tokenizer):
        rule = " Make all calls that are needed; if no tool fits, make none."
        return [{"prompt": [{"role": "user", "content": text + rule}]} for text, _ in self.ASKED]

    def get_tools(self):
        return [schema("water", plant={"type": "string"}), schema("light", plant={"type": "string"})]

    def score_episode(self, model, tokenizer, completion, case_idx):
        wanted, made = list(self.ASKED[case_idx][1]), calls_of(completion)
        return self.scored(made, wanted)

    def scored(self, made, wanted):
        return 1 - sum(call not in wanted for call in made) / max(len(made), 1)


class OnlyWhereNeeded(Greenhouse):
    """The share of all calls, needed or made, that are both."""

    def scored(self, made, wanted):
        both = sum(call in wanted for call in made)
        return both / max(len(made), len(wanted)) if made or wanted else 1.0


class AllOrNothing(Greenhouse):
    def scored(self, made, wanted):
        return float(made == wanted)


class FirstOnly(AllOrNothing):
    """Later calls are not looked at."""

    def scored(self, made, wanted):
        return float(made[: len(wanted)] == wanted and bool(made) == bool(wanted))


def test_no_call_that_earns_all_where_calls_are_needed_is_found():
    (finding,) = found(idling, Greenhouse, "default")
    assert (finding.severity, "An empty answer scores 1" in finding.message) == ("error", True)


@pytest.mark.parametrize("env", [OnlyWhereNeeded, AllOrNothing])
def test_no_call_is_right_where_none_is_needed(env):
    subject = subject_of(env, "default")
    assert subject.gold_source == FOUND
    assert [bool(turn.get("tool_calls")) for row in (0, 2, 3) for turn in subject.gold(row).completion[:1]] == [
        True, True, False,
    ]  # fmt: skip
    assert not found(idling, env, "default")
    assert not found(written, env, "default")


def test_a_call_too_many_is_found_where_other_rows_need_none():
    (finding,) = found(written, FirstOnly, "default")
    assert "behind it" in finding.message
