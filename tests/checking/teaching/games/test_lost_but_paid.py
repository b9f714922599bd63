"""Games that the other side has won are not paid as won."""

import pytest

from grpo_env_sdk import MultiTurnEnv, answer_text
from grpo_env_sdk.checking.teaching.games.lost_but_paid import lost_games_are_not_paid
from tests.checking.trying import found
from tests.gallery.broken.last_match_of_the_other import Matches


class PaidForTheLastMatch(Matches):
    """Who took the last match is noted."""

    def paid(self, mine):
        return float(self.left == 0 and mine == 0)


class ToldInWords(Matches):
    """The reply says who has won, and is right, where the reward is not."""

    rule = "The game goes on until the table is empty; whoever plays on an empty table has lost."

    def told(self, taken, mine):
        return ("You win." if mine == 0 else "You lose!") if self.left == 0 else f"There are {self.left}."


class ToldAndPaid(ToldInWords):
    def paid(self, mine):
        return float(self.left == 0 and mine == 0)


class LastMatchLoses(Matches):
    """Sound: who takes the last match has lost, as the prompt says."""

    rule = "If you take the last match you lose."

    def step(self, action):
        said = answer_text([action]).strip()
        if said not in ("1", "2", "3") or int(said) > self.left:
            return "Take 1 to 3.", 0.0, False, False, {}
        self.left -= int(said)
        if not self.left:
            return "You took the last match.", 0.0, True, False, {}
        mine = max(1, min(self.left, (self.left - 1) % 4 or 1))
        self.left -= mine
        return self.told(int(said), mine), float(self.left == 0), self.left == 0, False, {}

    def solve(self, row):
        while self.left > 1:
            yield str((self.left - 1) % 4 or 1)

    def build_dataset(self, tokenizer):
        return [row for row in super().build_dataset(tokenizer) if row["count"] % 4 != 1]


class LetTheChildWin(Matches):
    """Sound: the task is to lose."""

    rule = "The one who takes the last match wins. I am five years old: let me win."

    def paid(self, mine):
        return float(self.left == 0 and mine > 0)

    def solve(self, row):
        while self.left:
            yield "1"


class BestOfThree(MultiTurnEnv):
    """Sound: a round may be lost, and the match won."""

    max_turns = 3
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        text = "Match {} against me: heads or tails, three times. Two of three win."
        return [{"prompt": text.format(number), "number": number} for number in range(8)]

    def setup(self, row):
        self.sides = [("heads", "tails")[(row["number"] >> at) % 2] for at in range(3)]
        self.points = self.turn = 0

    def step(self, action):
        right = answer_text([action]).strip() == self.sides[self.turn]
        self.points += right
        self.turn += 1
        over = self.turn == 3
        return "You win this round." if right else "I win this round.", float(over and self.points > 1), over, False, {}

    def solve(self, row):
        return self.sides


class TakenTurnAbout(MultiTurnEnv):
    """Sound: the last message says who took what, and nothing of what is left or who has won."""

    max_turns = 20
    loses = False
    rule = "Whoever takes the last stone {}."
    outcomes = ("wins", "loses")
    ask = "There are {} stones. Take 1, 2 or 3 in turns; you begin."
    mine = "I take {}."

    def build_dataset(self, tokenizer):
        rule = self.rule.format(self.outcomes[self.loses])
        return [{"prompt": f"{self.ask.format(count)} {rule}", "count": count} for count in range(7, 27)]

    def setup(self, row):
        self.left = row["count"]

    def step(self, action):
        said = answer_text([action]).strip()
        if said not in ("1", "2", "3") or int(said) > self.left:
            return "?", 0.0, False, False, {}
        self.left -= int(said)
        if not self.left:
            return "Over.", self.paid(True), True, False, {}
        mine = (self.left - self.loses) % 4 or 1
        self.left -= mine
        return self.mine.format(mine), self.paid(False) if not self.left else 0.0, not self.left, False, {}

    def paid(self, took_last):
        return float(took_last != self.loses)


class LastStoneLoses(TakenTurnAbout):
    loses = True


class PaidTheWrongWay(TakenTurnAbout):
    def paid(self, took_last):
        return float(took_last == self.loses)


class PaidForTheLastStone(LastStoneLoses, PaidTheWrongWay):
    """Who takes the last one loses, and is paid."""


class WhoeverHadTheLast(PaidForTheLastStone):
    rule, outcomes = "Wer den letzten Stein nimmt, {}.", ("gewinnt", "verliert")
    ask, mine = "Da sind {} Steine. Wir nehmen 1, 2 oder 3; du beginnst.", "Ich nehme {}."


class PlayedToTakeTheLast(PaidForTheLastStone):
    """Gold plays for what is paid."""

    def solve(self, row):
        while self.left:
            yield str(self.left % 4 or 1)

    def build_dataset(self, tokenizer):
        return [row for row in super().build_dataset(tokenizer) if row["count"] % 4 == 3]


@pytest.mark.parametrize("flawed", [PaidTheWrongWay, PaidForTheLastStone, WhoeverHadTheLast, PlayedToTakeTheLast])
def test_the_last_one_is_counted_from_what_both_sides_take(flawed):
    (finding,) = found(lost_games_are_not_paid, flawed)
    assert "by the rule of the last one" in finding.message


@pytest.mark.parametrize("flawed", [Matches, ToldInWords])
def test_a_lost_game_that_is_paid_is_found(flawed):
    (finding,) = found(lost_games_are_not_paid, flawed)
    assert "paid as won" in finding.message
    assert finding.severity == "error"


@pytest.mark.parametrize(
    "sound",
    [PaidForTheLastMatch, ToldAndPaid, LastMatchLoses, LetTheChildWin, BestOfThree, TakenTurnAbout, LastStoneLoses],
)
def test_games_that_are_paid_to_their_winner_are_let_be(sound):
    assert found(lost_games_are_not_paid, sound) == []
