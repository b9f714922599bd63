"""What a prompt forbids to say, said at once."""

import pytest

from grpo_env_sdk import MultiTurnEnv, ToolEnv, answer_text, reward
from grpo_env_sdk.checking.teaching.acts.said_outright import what_is_forbidden_to_say_does_not_pay
from tests.checking.trying import found

WORDS = {
    "lighthouse": "sea lamp", "butterfly": "wings flower", "umbrella": "rain handle", "violin": "strings bow",
    "hedgehog": "spines garden", "volcano": "lava mountain", "pyramid": "desert tomb", "compass": "north needle",
    "penguin": "ice bird", "cactus": "desert spines",
}  # fmt: skip


class Describe(MultiTurnEnv):
    """Describe a word that the prompt names; a host who hears the word says it."""

    max_turns = 4
    reward_range = (0, 1)
    text = "Describe '{}' so that I guess it. Never say the word itself. Name two things that go with it."

    def build_dataset(self, tokenizer):
        return [{"prompt": self.text.format(word), "word": word, "clues": clues} for word, clues in WORDS.items()]

    def setup(self, row):
        self.heard = set()

    def is_given_away(self, said):
        return False

    def step(self, action):
        said, row = answer_text(action).lower(), self.row
        self.heard |= {clue for clue in row["clues"].split() if clue in said}
        if self.is_given_away(said):
            return "You have said it.", 0.0, True, False, {}
        if row["word"] in said or len(self.heard) == 2:
            return f"Is it {row['word']}? Hooray!", 1.0, True, False, {}
        return "Hm, go on.", 0.0, False, False, {}

    def solve(self, row):
        return [f"It goes with {clue}." for clue in row["clues"].split()]


class Refused(Describe):
    """Sound: who says the word has lost."""

    def is_given_away(self, said):
        return self.row["word"] in said


class Allowed(Describe):
    """Nothing forbids to say the word."""

    text = "Describe '{}' so that I guess it. Name two things that go with it."


class OtherRule(Describe):
    """Sound: what must not be said is something else, and the word alone earns nothing."""

    text = "Describe '{}' so that I guess it. Never say a number. Name two things that go with it."

    def step(self, action):
        said = answer_text(action).lower().replace(self.row["word"], "")
        return super().step([{"role": "assistant", "content": said}])


class Percent(ToolEnv):
    """A pupil finds a tenth of a number; the tutor must not give the answer."""

    max_turns = 6

    def build_dataset(self, tokenizer):
        text = "What is a tenth of {}? I am a pupil: ask me questions, but do not tell me the answer."
        return [{"prompt": text.format(number), "number": number} for number in range(130, 1000, 70)]

    def setup(self, row):
        self.known, self.told = False, False

    def user(self, messages):
        if self.known:
            return None
        said, tenth = answer_text(messages[-1:]), str(self.row["number"] // 10)
        self.told = self.told or tenth in said.replace(".", " ").split()
        if self.told or "zero" in said:
            self.known = True
            return f"I see, it is {tenth}!"
        return "I do not know."

    @reward
    def pupil_knows(self):
        return self.known

    def solve(self, row):
        return ["What do you do to divide by ten?", "Which zero can you take away at the end?", "Well done."]


class NotIfTold(Percent):
    """Sound: what the tutor told does not count."""

    @reward
    def pupil_knows(self):
        return self.known and not self.told


@pytest.mark.parametrize("cls", [Describe, Percent])
def test_what_is_forbidden_and_pays_is_an_error(cls):
    finding = found(what_is_forbidden_to_say_does_not_pay, cls, "default")[0]
    assert "at once, which gold never says, although" in finding.message


@pytest.mark.parametrize("sound", [Refused, Allowed, OtherRule, NotIfTold])
def test_where_it_costs_or_is_allowed_nothing_is_found(sound):
    assert found(what_is_forbidden_to_say_does_not_pay, sound, "default") == []
