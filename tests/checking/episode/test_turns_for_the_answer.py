"""As many tries as a prompt allows, and an answer, which has to fit into an episode."""

import pytest

from grpo_env_sdk import MultiTurnEnv, ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.episode.promised_turns import episodes_have_the_turns_that_are_promised
from tests.checking.trying import found


class Wells(MultiTurnEnv):
    """A well of sweet water is found by tasting."""

    max_turns = 4
    asked = (
        "Village {}: one of wells 1 to 9 is sweet. You may taste up to 4 wells, one in each message, with 'TASTE n'. "
        "Then write 'DRAW n'."
    )

    def build_dataset(self, tokenizer):
        return [{"prompt": self.asked.format(n), "sweet": 1 + n * 4 % 9} for n in range(18)]

    def step(self, action):
        verb, _, well = answer_text(action).partition(" ")
        if verb == "DRAW":
            return "Drawn.", float(well == str(self.row["sweet"])), True, False, {}
        return "Sweet." if well == str(self.row["sweet"]) else "Bitter.", 0.0, False, False, {}

    def solve(self, row):
        return [f"TASTE {row['sweet']}", f"DRAW {row['sweet']}"]


class OneTurnMore(Wells):
    """Sound: the answer has a turn."""

    max_turns = 5


class InAll(Wells):
    """Sound: the answer is one of the messages."""

    asked = Wells.asked.replace("taste up to 4 wells, one in each message,", "write up to 4 messages: taste")


class ThreeTastes(Wells):
    """Sound: three and an answer."""

    asked = Wells.asked.replace("up to 4", "up to three")


class TheLastTasteDecides(Wells):
    """Sound: there is no other answer."""

    asked = "Village {}: one of wells 1 to 9 is sweet. You may taste up to 4 wells with TASTE n; stop at the sweet one."

    def step(self, action):
        said, *_ = super().step(action)
        return said, float(said == "Sweet."), said == "Sweet.", False, {}

    def solve(self, row):
        return [f"TASTE {row['sweet']}"]


class Witnesses(ToolEnv):
    """Some questions to a witness, and a text at the end."""

    max_turns = 3
    asked = "Case {}: who was it? You can put 3 questions to the witness with ask_witness. Then answer with the name."

    def build_dataset(self, tokenizer):
        names = ("Ada", "Ben", "Cleo", "Dan")
        return [{"prompt": self.asked.format(n), "name": names[n % 4]} for n in range(16)]

    @tool
    def ask_witness(self, question: str) -> str:
        """Ask something."""
        return f"It was {self.row['name']}."

    @reward
    def right(self, completion, name):
        return answer_text(completion) == name

    def solve(self, row):
        return [call_message("ask_witness", question="Who was it?"), row["name"]]


class WithATurnToAnswer(Witnesses):
    max_turns = 4


def test_a_game_without_a_turn_for_the_answer_is_found():
    (finding,) = found(episodes_have_the_turns_that_are_promised, Wells)
    assert "allows 4 tries before the answer, and an episode ends after max_turns = 4" in finding.message
    assert finding.severity == "error"


def test_calls_without_a_turn_for_the_answer_are_a_warning_as_a_message_may_have_several():
    (finding,) = found(episodes_have_the_turns_that_are_promised, Witnesses)
    assert finding.severity == "warning"


@pytest.mark.parametrize("cls", [OneTurnMore, InAll, ThreeTastes, TheLastTasteDecides, WithATurnToAnswer])
def test_turns_that_are_enough_are_no_finding(cls):
    assert found(episodes_have_the_turns_that_are_promised, cls) == []
