"""Numbers that are acts of a control task, of which one that is off by one costs nothing, and guesses."""

import pytest

from grpo_env_sdk import MultiTurnEnv, answer_text
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.wrong_answers.near_misses import near_misses_score_less
from tests.checking.trying import found


class Oven(MultiTurnEnv):
    """Keep an oven warm for some hours; each hour in which it is, is paid."""

    max_turns = 9
    reward_range = (0, 1)
    by_step = True

    def build_dataset(self, tokenizer):
        text = (
            "Oven {}. Each hour it loses {} degrees. Say by how many to heat it; it stays between 170 and "
            "190 degrees, and is at 180 now."
        )
        rows = [[11 + (n * 7 + hour * 5) % 13 for hour in range(self.hours(n))] for n in range(12)]
        return [{"prompt": text.format(n, ", ".join(map(str, lost))), "lost": lost} for n, lost in enumerate(rows)]

    def hours(self, number):
        return 6 + number % 3

    def setup(self, row):
        self.degrees, self.hour = 180, 0

    def step(self, action):
        text = answer_text([action]).strip()
        self.degrees += (int(text) if text.isdecimal() else 0) - self.row["lost"][self.hour]
        self.hour += 1
        if not 170 <= self.degrees <= 190:
            return "Too cold or too hot.", 0.0, True, False, {}
        over, part = self.hour == len(self.row["lost"]), 1 / len(self.row["lost"])
        return f"{self.degrees} degrees.", part if self.by_step else float(over), over, False, {}

    def solve(self, row):
        return [str(lost) for lost in row["lost"]]


class PaidAtTheEnd(Oven):
    """Nothing is paid before the last hour, and all ovens are kept as long."""

    by_step = False

    def hours(self, number):
        return 6


class Weights(MultiTurnEnv):
    """A weight that is guessed, where a guess beside it is right too."""

    max_turns = 12
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Stone {n} weighs 10 to 99 kilos. Say how many; you hear 'more' or 'less'.",
                 "kilos": 13 + 5 * n} for n in range(14)]  # fmt: skip

    def step(self, action):
        text = answer_text([action]).strip()
        off = int(text) - self.row["kilos"] if text.isdecimal() else 99
        return ("less" if off > 0 else "more"), float(abs(off) <= 1), abs(off) <= 1, False, {}

    def solve(self, row):
        low, high = 10, 99
        while True:
            guess = (low + high) // 2 if abs((low + high) // 2 - row["kilos"]) > 1 else row["kilos"]
            heard = yield str(guess)
            low, high = (low, guess - 1) if heard[-1]["content"] == "less" else (guess + 1, high)


def near_misses(cls):
    return [one.message for one in found(near_misses_score_less, cls) if isinstance(one, Finding)]


@pytest.mark.parametrize("cls", [Oven, PaidAtTheEnd])
def test_one_act_of_many_may_be_off_by_one(cls):
    assert near_misses(cls) == []


def test_a_guess_may_not_be_off_by_one():
    assert any("off by one" in message for message in near_misses(Weights))
