"""C169: code that compares a column with what no row has, and code that only looks so."""

import pytest

from grpo_env_sdk import SingleTurnEnv, answer_text, reward
from grpo_env_sdk.checking.contract.values_in_code import code_compares_with_values_that_occur
from tests.checking.trying import found


class Sums(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"What is {n} and {n}?",
                "sum": str(2 * n),
                "level": n % 3,
                "kind": ["easy", "very hard"][n % 2],
                "shown": n % 2 == 0,
            }
            for n in range(8)
        ]

    def is_right(self, completion, row):
        return answer_text(completion) == row["sum"]

    @reward
    def right(self, completion, row):
        return self.is_right(completion, row)


class OtherCase(Sums):
    @reward
    def brief(self, completion, kind):
        return len(completion) < 9 if kind == "Easy" else 1.0


class OtherSeparator(Sums):
    @reward
    def brief(self, completion, row):
        return len(completion) < 9 if row["kind"] in ("very_hard", "other") else 1.0


class OtherType(Sums):
    @reward
    def brief(self, completion, level):
        match level:
            case "2":
                return len(completion) < 9
        return 1.0


class TextForFlag(Sums):
    @reward
    def brief(self, completion, shown):
        return len(completion) < 9 if shown == "true" else 1.0


class ByHelper(Sums):
    def most(self, sort):
        return {"EASY": 9, "hard": 99}.get(sort, 999)

    @reward
    def brief(self, completion, row):
        return len(completion) < self.most(row["kind"])


@pytest.mark.parametrize("env", [OtherCase, OtherSeparator, OtherType, TextForFlag, ByHelper])
def test_a_value_in_another_spelling_than_that_of_the_rows_is_named(env):
    (finding,) = found(code_compares_with_values_that_occur, env)
    assert (finding.severity, "none of the 8 rows" in finding.message) == ("error", True)


class OfAConfig(OtherCase):
    def __init__(self, level: str = "any") -> None:
        self.level = level


def test_it_is_a_warning_where_another_config_may_have_the_value():
    assert [one.severity for one in found(code_compares_with_values_that_occur, OfAConfig)] == ["warning"]


class UnknownRole(Sums):
    @reward
    def brief(self, messages):
        return all(len(message["content"]) < 9 for message in messages if message["role"] == "narrator")


def test_a_role_that_no_message_has_is_named():
    (finding,) = found(code_compares_with_values_that_occur, UnknownRole)
    assert (finding.severity, "'narrator'" in finding.message) == ("warning", True)


class EitherRole(Sums):
    @reward
    def brief(self, messages):
        return all(len(message["content"]) < 9 for message in messages if message["role"] in ("assistant", "ai"))


class PlayersHaveRoles(Sums):
    @reward
    def brief(self, messages):
        players = [{"role": "wizard" * len(messages)}]
        return sum(player["role"] == "witch" for player in players)


class BothSpellings(Sums):
    @reward
    def brief(self, completion, kind, level):
        return len(completion) < 9 if kind in ("Easy", "easy") or level == "2" or level == 2 else 1.0


class Lowered(Sums):
    @reward
    def brief(self, completion, kind, level):
        kind, level = kind.upper(), str(level)
        return len(completion) < 9 if kind == "EASY" or level == "2" else 1.0


class AnotherWord(Sums):
    @reward
    def brief(self, completion, kind):
        return len(completion) < 9 if kind == "medium" else 1.0


class OfOtherThings(Sums):
    @reward
    def brief(self, completion, kind):
        rows = [{"kind": kind.title()}]
        return len(completion) < 9 if any(row["kind"] == "Easy" for row in rows) else 1.0


@pytest.mark.parametrize("env", [EitherRole, PlayersHaveRoles, BothSpellings, Lowered, AnotherWord, OfOtherThings])
def test_spellings_that_may_occur_are_let_be(env):
    assert found(code_compares_with_values_that_occur, env) == []
