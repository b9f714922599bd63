"""An environment whose calls fail a few times, as a server that is overloaded does."""

import time
from collections import Counter

from grpo_env_sdk import MultiTurnEnv, ToolEnv, call_message, reward, tool

CALLS = Counter()
"""How often each place of each row was reached, in this process."""
OPEN = Counter()
"""How many instances are open now, and the most that were."""


def meet(env, place):
    """Fail where the config says so, the first few times."""
    number = env.row["number"]
    CALLS[place, number] += 1
    if place == env.fails_at and number % 2 and CALLS[place, number] <= env.times:
        if env.hangs:
            time.sleep(env.hangs)
        raise ConnectionError("the server is down")


class Opened:
    """Counts instances from their reset until they are closed."""

    def __init__(self, fails_at: str = "step", times: int = 1, hangs: float = 0.0, replayable: bool = True):
        self.fails_at, self.times, self.hangs, self.replayable = fails_at, times, hangs, replayable

    here = False

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Task {number}.", "number": number} for number in range(6)]

    def setup(self, row):
        OPEN["now"] += not self.here
        OPEN["most"] = max(OPEN["most"], OPEN["now"])
        self.here = True
        meet(self, "reset")
        self.said = []

    def close(self):
        OPEN["now"] -= self.here
        self.here = False


class Flaky(Opened, MultiTurnEnv):
    """Counts the messages; every other row fails in its second turn."""

    max_turns = 3

    def step(self, action):
        self.said.append(action["content"])
        if len(self.said) == 2:
            meet(self, "step")
        return self.shown(), 1 / 3, False, False, {}

    def shown(self):
        return f"{len(self.said)} so far: {', '.join(self.said)}"


class Changing(Flaky):
    """Shows how often the row was begun, so that no second try is like the first."""

    def shown(self):
        return str(CALLS["reset", self.row["number"]])


class FlakyTools(Opened, ToolEnv):
    """Note two numbers; the instance must stay good until the end."""

    max_turns = 5

    @tool
    def note(self, number: int) -> str:
        """Note a number.

        Args:
            number: It.
        """
        self.said.append(number)
        if len(self.said) == 2 and self.hangs:
            meet(self, "step")
        return f"noted {len(self.said)}"

    @reward
    def right(self, number):
        return self.said == [number, number + 1]

    def solve(self, row):
        answered = yield call_message("note", number=row["number"])
        assert answered[-1]["content"] == "noted 1"
        yield call_message("note", number=row["number"] + 1)
        yield "Done."
