"""G581 where only the number of turns keeps an episode from more calls than are allowed."""

import pytest

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.teaching.amounts.stated_limits import more_acts_than_allowed_are_not_gold
from tests.checking.trying import found


class Vats(ToolEnv):
    """Which of eight vats is sour? Mixed samples of some are tasted, and a message may have many calls."""

    max_turns = 4
    text = (
        "One of the vats 1 to 8 is sour, and a mixed sample of several vats is sour with it. The cellar's allowance\n"
    )
    limit = "is good for three tastings."

    def build_dataset(self, tokenizer):
        ask = f"{{}}: {self.text}{self.limit} Then say the number of the vat."
        return [{"prompt": ask.format(f"Cellar {at}"), "sour": 1 + at * 5 % 8} for at in range(24)]

    def setup(self, row):
        self.tasted = 0

    def is_used_up(self):
        return False

    @tool
    def tasting(self, vats: list[int]) -> str:
        """Mix samples of some vats and taste them."""
        if self.is_used_up():
            return "All samples are spent."
        return "sour" if self.row["sour"] in vats else "sweet"

    @reward
    def right(self, completion, sour):
        return answer_text(completion).strip() == str(sour)

    def solve(self, row):
        left = list(range(1, 9))
        while len(left) > 1:
            half = left[: len(left) // 2]
            answered = yield call_message("tasting", vats=half)
            left = half if answered[-1]["content"] == "sour" else left[len(half) :]
        yield str(left[0])


class Counted(Vats):
    """Sound: the fourth call is not answered, in whatever message it is."""

    def is_used_up(self):
        self.tasted += 1
        return self.tasted > 3


class Punished(Vats):
    """Sound: more calls than are allowed earn nothing."""

    @reward(weight=0)
    def calls(self, tool_calls):
        return len(tool_calls)

    @reward
    def right(self, completion, sour, tool_calls):
        return answer_text(completion).strip() == str(sour) and len(tool_calls) <= 3


class ByMessages(Vats):
    """Sound: messages are counted, as it says."""

    limit = "is good for three tastings, each message being one."


class SideBySide(Vats):
    """Sound: the calls of one message are one tasting."""

    limit = "is good for three tastings. Several calls side by side are one of them."


class InOneReply(Vats):
    """Sound: the same, in other words."""

    limit = "is good for three tastings. Samples that are asked for with one reply are one of them."


class Advice(Vats):
    """Sound: it is said how many are needed, and not that there may be no more."""

    text = Vats.text.replace("The cellar's allowance\n", "A good taster\n")
    limit = "needs at most three tastings."


class NoLimit(Vats):
    """Sound: no sentence says that there may be no more."""

    limit = "of wine must go through three tastings."
    text = Vats.text.replace("The cellar's allowance\n", "Each vat\n")


class ManyTurns(Vats):
    """Sound: there are turns for more, so that they are not what is to hold the limit."""

    max_turns = 9
    limit = "is enough for all."


def test_a_limit_that_only_the_turns_hold_is_found():
    (finding,) = found(more_acts_than_allowed_are_not_gold, Vats)
    assert "calls of tasting, several of them in one message, are all answered" in finding.message
    assert "good for three tastings" in finding.message
    assert "one by one, the 4 turns do not suffice for more" in finding.message


@pytest.mark.parametrize("env", [Counted, Punished, ByMessages, SideBySide, InOneReply, Advice, NoLimit, ManyTurns])
def test_nothing_is_said_where_calls_are_counted_or_not_limited(env):
    assert not found(more_acts_than_allowed_are_not_gold, env)
