"""Games whose end is skipped by a wrong act that costs more than one life."""

import pytest

from grpo_env_sdk import MultiTurnEnv, answer_text
from grpo_env_sdk.checking.teaching.games.lost_goes_on import a_lost_game_is_over
from tests.checking.trying import found


class Doors(MultiTurnEnv):
    """Find the door with the treasure; a door of another floor costs two hearts."""

    max_turns = 20
    hearts = 5
    TREASURES = (12, 35, 41, 28, 17, 33, 22, 46, 14, 39)

    def build_dataset(self, tokenizer):
        ask = (
            "Castle {}: the treasure is behind a door from 11 to 49, on floor {}. You have five hearts; a wrong door "
            "costs one, and a door that does not exist costs two. Reply with a number."
        )
        return [{"prompt": ask.format(n, door // 10), "door": door} for n, door in enumerate(self.TREASURES)]

    def setup(self, row):
        self.left = self.hearts

    def lost(self):
        return self.left == 0

    def step(self, action):
        said = answer_text([action]).strip()
        if said == str(self.row["door"]):
            return "The treasure!", 1.0, True, False, {}
        exists = said.isdecimal() and 11 <= int(said) <= 49
        self.left -= 1 if exists else 2
        return ("The castle closes." if self.lost() else "Nothing here."), 0.0, self.lost(), False, {}

    def solve(self, row):
        return [str(row["door"])]


class ClosedDoors(Doors):
    """Sound: it is lost without hearts, however many went at once."""

    def lost(self):
        return self.left <= 0


class OneHeart(Doors):
    """Sound: every wrong door costs one heart."""

    def step(self, action):
        said = answer_text([action]).strip()
        self.left -= said != str(self.row["door"])
        won = said == str(self.row["door"])
        return "The treasure!" if won else "Nothing here.", float(won), won or self.lost(), False, {}


class FreeWords(ClosedDoors):
    """Sound: what is no number costs nothing."""

    def step(self, action):
        if not answer_text([action]).strip().isdecimal():
            return "A number, please.", 0.0, False, False, {}
        return super().step(action)


def test_an_end_that_is_skipped_is_found():
    (finding,) = found(a_lost_game_is_over, Doors)
    assert "one wrong act more" in finding.message


@pytest.mark.parametrize("cls", [ClosedDoors, OneHeart, FreeWords])
def test_games_that_end_when_they_are_lost_are_let_be(cls):
    assert found(a_lost_game_is_over, cls) == []
