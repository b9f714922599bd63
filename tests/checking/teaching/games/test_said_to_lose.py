"""Games of counting whose prompt says what loses."""

import pytest

from grpo_env_sdk import answer_text
from grpo_env_sdk.checking.teaching.games.said_to_lose import what_is_said_to_lose_does_not_win as check
from tests.checking.trying import found
from tests.gallery.broken.last_step_wins import Stair


class TheOtherSaysIt(Stair):
    """Gold leaves the last step to the other, who loses."""

    told = "Who says {} loses."

    def build_dataset(self, tokenizer):
        rows = [{"top": top, "start": 0} for top in range(12, 24)]
        return [{"prompt": f"We climb in turn, 1 or 2 steps. {self.told.format(row['top'])}", **row} for row in rows]

    def step(self, action):
        said = answer_text([action]).strip()
        if not said.isdecimal() or not 1 <= int(said) - self.at <= 2:
            return f"We are at {self.at}.", 0.0, False, False, {}
        self.at = int(said) + 1
        if self.at >= self.row["top"]:
            return "I say the last.", float(self.at == self.row["top"]), True, False, {}
        return f"I say {self.at}.", 0.0, False, False, {}

    def solve(self, row):
        while self.at < row["top"]:
            yield str(self.at + 1 + (row["top"] - self.at) % 2)


class NotSayingItLoses(Stair):
    def build_dataset(self, tokenizer):
        return [
            {**row, "prompt": f"Climb 1 or 2 steps from {row['start']}. Who does not say {row['top']} loses."}
            for row in super().build_dataset(tokenizer)
        ]


class InGerman(Stair):
    def build_dataset(self, tokenizer):
        return [
            {**row, "prompt": f"Wir zählen von {row['start']} an um 1 oder 2 weiter. Wer {row['top']} sagt, verliert."}
            for row in super().build_dataset(tokenizer)
        ]


@pytest.mark.parametrize(("cls", "count"), [(TheOtherSaysIt, 0), (NotSayingItLoses, 0), (InGerman, 1)])
def test_gold_that_ends_with_what_loses_is_found(cls, count):
    assert len(found(check, cls)) == count
