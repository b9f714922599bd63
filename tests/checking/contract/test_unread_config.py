"""Which parameters of a constructor count as read."""

import pytest

from grpo_env_sdk import MultiTurnEnv, SingleTurnEnv
from grpo_env_sdk.checking.contract.unread_config import every_parameter_of_config_is_read
from tests.checking.trying import found


class Copies(SingleTurnEnv):
    """Say a word."""

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Say word{n}.", "answer": f"word{n}"} for n in range(9)]

    def score_episode(self, model, tokenizer, completion, answer):
        return float(completion == answer)


class Unread(Copies):
    def __init__(self, hardness: int = 1):
        self.hardness_kept = hardness


class NotEvenStored(Copies):
    def __init__(self, unusedness: int = 1):
        self.other = 1


class UnreadWithTurns(MultiTurnEnv):
    def __init__(self, hiddenness: bool = False):
        self.is_hidden = hiddenness

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Say word{n}."} for n in range(9)]

    def step(self, message):
        return "over", 1.0, True, False, {}


class ReadLater(Copies):
    def __init__(self, longest: int = 1):
        self.longest_word = longest

    def solve(self, row):
        return row["answer"][: self.longest_word]


class ReadByTheSdk(Copies):
    def __init__(self, max_turns: int = 1, low: float = 0.0):
        self.max_turns = max_turns
        self.reward_range = (low, 1.0)


class StoredTogether(ReadLater):
    def __init__(self, longest: int = 1, rarity: int = 2):
        self.longest_word, self.rarity_kept = longest, rarity


class Unpacked(Copies):
    def __init__(self, first: int = 1, second: int = 2):
        self.one, self.two = [first, second]


class GivenOn(ReadLater):
    def __init__(self, longer: int = 1):
        super().__init__(longer)


@pytest.mark.parametrize(
    ("cls", "name"),
    [(Unread, "hardness"), (NotEvenStored, "unusedness"), (UnreadWithTurns, "hiddenness"), (StoredTogether, "rarity")],
)
def test_a_parameter_that_no_code_reads_is_named(cls, name):
    (finding,) = found(every_parameter_of_config_is_read, cls)
    assert (repr(name) in finding.message, finding.severity) == (True, "error")


@pytest.mark.parametrize("cls", [Copies, ReadLater, ReadByTheSdk, Unpacked, GivenOn])
def test_what_is_read_somewhere_is_let_be(cls):
    assert found(every_parameter_of_config_is_read, cls) == []
