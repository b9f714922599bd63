"""G671: wrong answers that score though the prompt says that they score nothing."""

import pytest

from grpo_env_sdk import MultiTurnEnv, SingleTurnEnv, ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.teaching.lazy_answers.words_for_nothing import what_is_said_to_earn_nothing_earns_nothing
from tests.checking.trying import found

TOWNS = ["Oslo", "Bern", "Rome", "Cairo", "Quito", "Lima", "Accra", "Hanoi"]
WRONG = "A wrong town scores nothing."


def quiz(says, wrong):
    class Quiz(SingleTurnEnv):
        def build_dataset(self, tokenizer):
            return [
                {"prompt": f"Which town has number {n} on the map? {says}", "town": town}
                for n, town in enumerate(TOWNS)
            ]

        @reward
        def right(self, completion, town):
            said = answer_text(completion).strip()
            return 1.0 if said == town else wrong if said in TOWNS else 0.0

        def solve(self, row):
            return row["town"]

    return Quiz


class AfterTwoStops(MultiTurnEnv):
    """Two stops have to be named before the town, which is wrong for most of the reward."""

    max_turns = 3
    pays_wrong = 0.5

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Say go twice, then the town of bus {n}. {WRONG}", "town": town} for n, town in enumerate(TOWNS)
        ]

    def setup(self, row):
        self.stops = 0

    def step(self, action):
        said = answer_text(action).strip()
        if self.stops < 2:
            self.stops += said == "go"
            return "Go on.", 0.0, False, False, {}
        earned = 1.0 if said == self.row["town"] else self.pays_wrong if said in TOWNS else 0.0
        return "Bye.", earned, True, False, {}

    def solve(self, row):
        yield from ("go", "go", row["town"])


class WorkIsPaid(ToolEnv):
    """A look earns some of the reward, whatever is answered."""

    max_turns = 3

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Look up number {n}. {WRONG}", "town": town} for n, town in enumerate(TOWNS)]

    def setup(self, row):
        self.looked = False

    @tool
    def look(self) -> str:
        """Read the map."""
        self.looked = True
        return self.row["town"]

    @reward(weight=0.5)
    def right(self, completion, town):
        return answer_text(completion) == town

    @reward(weight=0.5)
    def work(self):
        return self.looked

    def solve(self, row):
        yield call_message("look")
        yield row["town"]


class Unpaid(AfterTwoStops):
    pays_wrong = 0.0


@pytest.mark.parametrize("says", [
    WRONG,
    "No points for a wrong town.",
    "Only the right town is rewarded.",
    "If the town is wrong, you get nothing.",
])  # fmt: skip
def test_wrong_answers_that_are_said_to_score_nothing_and_do_are_an_error(says):
    (finding,) = found(what_is_said_to_earn_nothing_earns_nothing, quiz(says, 0.3))
    assert (finding.severity, "wrong answers as the first message" in finding.message) == ("error", True)


def test_wrong_answers_after_what_gold_does_are_an_error():
    (finding,) = found(what_is_said_to_earn_nothing_earns_nothing, AfterTwoStops)
    assert "after what gold does" in finding.message


@pytest.mark.parametrize("env", [
    quiz(WRONG, 0.0),
    quiz("Answer with a town.", 0.3),
    quiz(f"{WRONG} A town in the right format still gets 0.3.", 0.3),
    quiz(WRONG, 1.0),
    Unpaid,
    WorkIsPaid,
])  # fmt: skip
def test_wrong_answers_for_nothing_and_other_rewards_are_let_be(env):
    assert found(what_is_said_to_earn_nothing_earns_nothing, env) == []
