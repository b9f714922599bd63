"""Episodes that end after a part of gold."""

import pytest

from grpo_env_sdk import MultiTurnEnv, answer_text
from grpo_env_sdk.checking.teaching.acts.ending_early import _OF_THE_ANSWERED
from grpo_env_sdk.checking.teaching.acts.ending_early import ending_early_is_not_gold as ending_early
from tests.checking.trying import found


class Capitals(MultiTurnEnv):
    """Four letters of a name, one in a message; QUIT leaves."""

    max_turns = 8
    told = "All four letters count. Say QUIT to leave."
    NAMES = ("Oslo", "Rome", "Lima", "Bern", "Kyiv", "Riga", "Doha", "Suva", "Male", "Baku", "Lomé", "Apia")

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Spell {name} backwards, one letter in a message. {self.told}", "name": name.lower()}
            for name in self.NAMES
        ]

    def setup(self, row):
        self.said = []

    def step(self, action):
        said = answer_text([action]).strip()
        if said != "QUIT":
            self.said.append(said)
        over = said == "QUIT" or len(self.said) == 4
        return "Go on.", self.score() if over else 0.0, over, False, {}

    def right(self):
        return sum(one == other for one, other in zip(self.said, reversed(self.row["name"]), strict=False))

    def score(self):
        return self.right() / 4

    def solve(self, row):
        return list(reversed(row["name"]))


class OverThoseSaid(Capitals):
    def score(self):
        return self.right() / max(1, len(self.said))


class OverThoseSaidByAWordOfTheCode(OverThoseSaid):
    """The prompt does not name the word."""

    told = "All four letters count."


class AsToldOverThoseSaid(OverThoseSaid):
    """Sound: the prompt says so."""

    told = "Your score is the share of the letters that you try. Say QUIT to leave."


class WithALook(Capitals):
    """Sound: gold looks at what it has before it leaves, which is not needed."""

    def step(self, action):
        said = answer_text([action]).strip()
        if said not in ("QUIT", "look"):
            self.said.append(said)
        return "Go on.", self.score() if said == "QUIT" else 0.0, said == "QUIT", False, {}

    def score(self):
        return float(self.said[:1] == [self.row["name"][-1]])

    def solve(self, row):
        return [row["name"][-1], "look", "look", "QUIT"]


@pytest.mark.parametrize("cls", [OverThoseSaid, OverThoseSaidByAWordOfTheCode])
def test_ending_after_a_part_of_gold_is_found(cls):
    [finding] = found(ending_early, cls)
    assert (finding.severity, "after 1 of 4 turns" in finding.message) == ("error", True)


@pytest.mark.parametrize("cls", [Capitals, AsToldOverThoseSaid, WithALook])
def test_ending_early_is_let_be_where_all_counts_or_the_prompt_says_so(cls):
    assert found(ending_early, cls) == []


@pytest.mark.parametrize(
    ("prompt", "of_the_answered"),
    [("A question that you do not answer counts as wrong.", False), ("Only questions that you answer count.", True)],
)
def test_prompts_in_which_only_what_was_answered_counts(prompt, of_the_answered):
    assert bool(_OF_THE_ANSWERED.search(prompt)) == of_the_answered
