"""Gold with other values of a parameter."""

from typing import Literal

import pytest

from grpo_env_sdk.checking.contract.config import every_choice_of_config_builds
from grpo_env_sdk.checking.contract.gold_elsewhere import gold_wins_with_other_values as elsewhere
from grpo_env_sdk.checking.runner.worker import found_by
from tests.checking.trying import found, subject_of


class Shares:
    """The share that a number has of 64, with as many decimals as the prompt says."""

    def __init__(self, places: int = 2):
        self.places = places

    def build_dataset(self, tokenizer):
        asked = "What is {} / 64, with {} decimals? Answer with the number."
        return [{"prompt": asked.format(n, self.places), "share": n / 64} for n in range(3, 50, 2)]

    def score_episode(self, model, tokenizer, completion, share):
        return float(completion == f"{share:.2f}")

    def solve(self, row):
        return f"{row['share']:.{self.places}f}"


class Followed(Shares):
    """Sound: the scorer follows."""

    def score_episode(self, model, tokenizer, completion, share):
        return float(completion == f"{share:.{self.places}f}")


class Rounded(Shares):
    """Sound: the scorer takes less exact numbers too, so that gold wins with one of the values."""

    def score_episode(self, model, tokenizer, completion, share):
        return float(abs(float(completion) - share) <= 0.006)


class Doors:
    """Open a number of doors by saying so as often; `limit` is what an answer may have."""

    def __init__(self, limit: int = 6, mode: Literal["open", "shut"] = "open", loud: bool = False):
        self.limit, self.mode, self.loud = limit, mode, loud

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Say 'open' {n} times. Hall {hall}.", "n": n} for hall in range(5) for n in (4, 5, 6)]

    def score_episode(self, model, tokenizer, completion, n):
        words = completion.split()
        return float(words == [self.word()] * n and n <= self.limit)

    def word(self):
        return "open"

    def solve(self, row):
        return " ".join(["open"] * row["n"])


class OtherWord(Doors):
    def word(self):
        return self.mode


class Louder(Doors):
    def word(self):
        return "OPEN" if self.loud else "open"


class Raising(Doors):
    """Another value is refused where the rows are built."""

    def build_dataset(self, tokenizer):
        if self.mode == "shut" or self.loud:
            raise ValueError("not yet")
        return super().build_dataset(tokenizer)


class Counted(Doors):
    """Counts how often rows are built with a mode other than the usual one."""

    built = 0

    def build_dataset(self, tokenizer):
        Counted.built += self.mode == "shut"
        return super().build_dataset(tokenizer)


def test_the_number_that_prompts_state_and_the_scorer_does_not_read_is_an_error():
    [finding] = found(elsewhere, Shares, "default")
    assert finding.message == "With places=1 the answer of `solve` earns 0 and not 1, as with 2, on 4 of 4 rows."
    assert (finding.input, finding.output, finding.expected) == ('"0.0"', 0.0, 1.0)
    assert finding.severity == "error"


@pytest.mark.parametrize(("cls", "value"), [(OtherWord, "mode='shut'"), (Louder, "loud=True")])
def test_a_choice_with_which_gold_loses_though_prompts_are_the_same_is_a_warning(cls, value):
    [finding] = found(elsewhere, cls, "default")
    assert finding.message.startswith(f"With {value} the answer of `solve` earns 0 and not 1")
    assert finding.severity == "warning"


@pytest.mark.parametrize("cls", [Followed, Rounded, Doors, Raising])
def test_values_with_which_gold_wins_limits_and_refused_values_are_sound(cls):
    assert found(elsewhere, cls, "default") == []


def test_rows_with_another_value_are_built_once_for_all_checks():
    subject = subject_of(Counted, "default")
    assert [*found_by(every_choice_of_config_builds, subject), *found_by(elsewhere, subject)] == []
    assert Counted.built == 1
