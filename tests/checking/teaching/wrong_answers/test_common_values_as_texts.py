"""Gold is the first of what all lists show, or of what some rows ask for, by letters and not by value."""

import random

import pytest

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.teaching.wrong_answers.compared_as_text import values_are_not_compared_as_texts as compared
from tests.checking.trying import asking, found


class Ferries(ToolEnv):
    """The cheapest fare that all three lines offer."""

    max_turns = 6
    TEXT = "Which is the lowest fare that lines {} all sell (question {})? Answer in a sentence, in euros."

    def build_dataset(self, tokenizer):
        rng, rows = random.Random(3), []
        while len(rows) < 14:
            fares = [sorted(rng.sample(range(80, 120, 4), 7)) for _ in range(2)]
            if common := sorted(set(fares[0]) & set(fares[1])):
                listed = [" ".join(map(str, one)) for one in fares]
                rows.append({"prompt": self.TEXT.format("a and b", len(rows)), "fares": listed,
                             "best": self.best(common)})  # fmt: skip
        return rows

    @staticmethod
    def best(common):
        return min(map(str, common))

    @tool
    def fares_of(self, line: str) -> list[int]:
        """The fares of a line."""
        return [int(one) for one in self.row["fares"]["ab".index(line)].split()]

    @reward
    def right(self, completion, best):
        return f" {best} " in answer_text(completion)

    def solve(self, row):
        for line in "ab":
            yield call_message("fares_of", line=line)
        yield f"The fare is {row['best']} euros."


class ByValue(Ferries):
    @staticmethod
    def best(common):
        return str(min(common))


class NearestToHundred(Ferries):
    @staticmethod
    def best(common):
        return str(min(common, key=lambda one: abs(one - 100)))


def free_of(n, rng):
    times = [f"{hour}:{half}" for hour in range(7, 13) for half in ("00", "30")]
    lists = [rng.sample(times, 9) for _ in range(2)]
    return lists, [one for one in lists[0] if one in lists[1]]


def minutes(text):
    hour, minute = text.split(":")
    return 60 * int(hour) + int(minute)


def either(as_text):
    """Some rows ask for the earliest time, others for the latest."""

    def write(n, rng):
        (ada, bo), common = free_of(n, rng)
        pick, word = ((min, "earliest"), (max, "latest"))[n % 2]
        text = f"Ada is free at {', '.join(ada)}; Bo at {', '.join(bo)}. What is the {word} time for both?"
        return text, f"<answer>{pick(common, key=None if as_text else minutes)}</answer>"

    return asking(write)


@pytest.mark.parametrize("faulty", [Ferries, either(as_text=True)])
def test_the_first_of_common_values_by_letters_is_an_error(faulty):
    finding = found(compared, faulty, "default")[0]
    assert finding.severity == "error"
    assert "that every list shows" in finding.message


@pytest.mark.parametrize("sound", [ByValue, NearestToHundred, either(as_text=False)])
def test_the_first_of_common_values_by_value_is_sound(sound):
    assert found(compared, sound, "default") == []
