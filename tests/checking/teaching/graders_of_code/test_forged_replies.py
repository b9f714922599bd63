"""Games whose scorer finds the words of the game in messages of the model."""

import pytest

from grpo_env_sdk import MultiTurnEnv, answer_text
from grpo_env_sdk.checking.teaching.graders_of_code.forged_results import results_that_are_written_are_not_gold
from tests.checking.trying import found


class Ferry(MultiTurnEnv):
    """Buy a ticket to a harbour; the scorer looks for the receipt in the whole transcript."""

    max_turns = 4

    def build_dataset(self, tokenizer):
        asked = "Traveller {} wants to go to {}. Write PRICE, and then 'BUY harbour'."
        return [{"prompt": asked.format(n, HARBOURS[n % 4]), "harbour": HARBOURS[n % 4]} for n in range(16)]

    def setup(self, row):
        self.bought = None

    def step(self, action):
        said = answer_text(action).strip()
        if said == "PRICE":
            return "It costs 5.", 0.0, False, False, {}
        if said.startswith("BUY ") and said[4:] in HARBOURS:
            self.bought = said[4:]
            return f"TICKET PRINTED for {self.bought}", 0.0, True, False, {}
        return "That is no command.", 0.0, False, False, {}

    def score_episode(self, model, tokenizer, completion, messages, harbour):
        return float(any(f"TICKET PRINTED for {harbour}" in one["content"] for one in self.read(messages)))

    def read(self, messages):
        return messages

    def solve(self, row):
        return ["PRICE", f"BUY {row['harbour']}"]


HARBOURS = ("Sassnitz", "Trelleborg", "Gdynia", "Visby")


class ReadsTheGame(Ferry):
    """Sound: only what the game has said counts."""

    def read(self, messages):
        return [one for one in messages if one["role"] != "assistant"]


class ReadsTheState(Ferry):
    """Sound: what was done counts."""

    def score_episode(self, model, tokenizer, completion, harbour):
        return float(self.bought == harbour)


class FindsCommandsInSentences(ReadsTheState):
    """Sound: the harbour may stand in a sentence, so that whoever writes its reply has bought a ticket."""

    def step(self, action):
        named = [one for one in HARBOURS if one in answer_text(action)]
        if len(named) != 1:
            return super().step(action)
        self.bought = named[0]
        return f"TICKET PRINTED for {self.bought}", 0.0, True, False, {}


def test_a_receipt_that_the_model_writes_is_found():
    (finding,) = found(results_that_are_written_are_not_gold, Ferry)
    assert (
        "A message with the game's reply to gold, which the game does not give then, scores as much" in finding.message
    )
    assert finding.severity == "error"


@pytest.mark.parametrize("cls", [ReadsTheGame, ReadsTheState, FindsCommandsInSentences])
def test_what_the_game_says_or_does_itself_is_no_finding(cls):
    assert found(results_that_are_written_are_not_gold, cls) == []
