"""Help that the prompt says costs something, and that raises the score."""

import pytest

from grpo_env_sdk import MultiTurnEnv, ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.teaching.acts.penalties import penalties_lower_the_score
from tests.checking.trying import found

RIVERS = ["Loire", "Volga", "Tagus", "Rhone", "Vistula", "Danube", "Neva", "Ebro"]


class Rivers(ToolEnv):
    """A cost with the wrong sign; nothing says what the answer is but the column that is compared."""

    max_turns = 6
    asks = "Which river is meant by sketch {}? Answer with its name. Each clue lowers what the name earns by a tenth."

    def build_dataset(self, tokenizer):
        return [{"prompt": self.asks.format(n), "river": river} for n, river in enumerate(RIVERS)]

    def setup(self, row):
        self.clues = 0

    def price(self):
        return 0.5 + 0.1 * self.clues

    @tool
    def next_clue(self) -> str:
        """Ask for one more letter."""
        self.clues += 1
        return self.row["river"][: self.clues]

    @reward
    def named(self, completion, river):
        return self.price() if answer_text(completion).strip() == river else 0


class Solved(Rivers):
    def solve(self, row):
        yield row["river"]


class Fair(Solved):
    def price(self):
        return 1 - 0.1 * self.clues


class OnlyTheFirst(Solved):
    """An answer without any look earns less, as the prompt says, and further ones cost."""

    def price(self):
        return 1 - 0.1 * self.clues if self.clues else 0.5


class Paying(Rivers):
    """Clues are paid, as the prompt says."""

    asks = "Which river is meant by sketch {}? Answer with its name. Each clue earns a tenth more."


class CostingTurns(Rivers):
    """The cost is one of turns."""

    asks = "Which river is meant by sketch {}? Answer with its name. Each clue costs one of your six turns."


class PayingInOtherWords(Rivers):
    asks = "Which river is meant by sketch {}? Each clue costs something of value. The name earns 0.5, a clue adds 0.1."


class Spoken(MultiTurnEnv):
    """The same in a conversation."""

    max_turns = 6
    asks = "Which river is meant by sketch {}? Send its name, or 'clue' for a letter. Each clue costs 0.1."
    sign = 0.1
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        return [{"prompt": self.asks.format(n), "river": river} for n, river in enumerate(RIVERS)]

    def setup(self, row):
        self.clues = 0

    def step(self, action):
        said = answer_text(action).strip()
        if said == "clue":
            self.clues += 1
            return self.row["river"][: self.clues], 0.0, False, False, {}
        return "Thanks.", (0.6 + self.sign * self.clues) * (said == self.row["river"]), True, False, {}

    def solve(self, row):
        yield row["river"]


class SpokenFair(Spoken):
    sign = -0.1


@pytest.mark.parametrize("cls", [Rivers, Solved, Spoken])
def test_help_that_costs_and_raises_the_score_is_an_error(cls):
    (finding,) = found(penalties_lower_the_score, cls)
    assert finding.severity == "error"
    assert "Asking for what costs something raises the score on 8 of 8 rows" in finding.message


@pytest.mark.parametrize("cls", [Fair, OnlyTheFirst, Paying, CostingTurns, PayingInOtherWords, SpokenFair])
def test_help_that_lowers_the_score_or_is_said_to_pay_is_let_be(cls):
    assert not found(penalties_lower_the_score, cls)


def test_calls_are_made_before_the_answer():
    finding = found(penalties_lower_the_score, Solved)[0]
    assert finding.input[0]["tool_calls"][0]["function"] == call_message("next_clue")["tool_calls"][0]["function"]
