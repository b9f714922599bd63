"""G519 where a word or a tool gives up, is answered with the secret, and the episode goes on."""

import random

import pytest

from grpo_env_sdk import MultiTurnEnv, ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.teaching.telling.telling import replies_do_not_tell_the_answer
from tests.checking.trying import found

HERBS = ["basil", "chervil", "dill", "fennel", "hyssop", "lovage", "mint", "oregano", "parsley", "rue", "sage", "thyme"]


class Herbs(MultiTurnEnv):
    """A herb is found by its letters; HINT tells it, and the game goes on."""

    max_turns = 30
    reward_range = (0, 1)
    over = False

    def build_dataset(self, tokenizer):
        text = "Bed {}. Which herb grows here? Send a letter, or the herb, or HINT. It has {} letters."
        return [{"prompt": text.format(place, len(herb)), "herb": herb} for place, herb in enumerate(HERBS)]

    def step(self, action):
        said, herb = answer_text(action).strip(), self.row["herb"]
        if said == "HINT":
            return self.hint(), 0.0, self.over, False, {}
        if len(said) == 1:
            return f"{said} stands at {[at for at, one in enumerate(herb) if one == said]}.", 0.0, False, False, {}
        return "Over.", float(said == herb), True, False, {}

    def hint(self):
        return f"It is {self.row['herb']}."

    def solve(self, row):
        return [*sorted(set(row["herb"])), row["herb"]]


class HerbsUntilHint(Herbs):
    """The same, where the hint ends the game."""

    over = True


class HerbsWithFamilies(Herbs):
    """The hint only says with which letter it ends."""

    def hint(self):
        return f"It ends with {self.row['herb'][-1]}."


class HerbsForLess(Herbs):
    """Who asks for the hint earns half."""

    def setup(self, row):
        self.hinted = False

    def step(self, action):
        self.hinted |= answer_text(action).strip() == "HINT"
        reply, earned, *rest = super().step(action)
        return (reply, earned / 2 if self.hinted else earned, *rest)


class Depth(ToolEnv):
    """A number is found by soundings; `surrender` tells it."""

    max_turns = 12

    def build_dataset(self, tokenizer):
        depths = random.Random(1).sample(range(1, 101), 16)
        return [{"prompt": f"Pond {at}: how deep is it, 1 to 100 feet?", "depth": one} for at, one in enumerate(depths)]

    def setup(self, row):
        self.given_up = False

    @tool
    def is_deeper(self, feet: int) -> bool:
        """Whether the pond is deeper than this."""
        return self.row["depth"] > feet

    @tool
    def surrender(self) -> str:
        """Stop sounding."""
        self.given_up = True
        return f"It was {self.row['depth']}."

    @reward
    def right(self, completion, depth):
        return answer_text(completion).strip() == str(depth)

    def solve(self, row):
        low, high = 1, 100
        while low < high:
            middle = (low + high) // 2
            answered = yield call_message("is_deeper", feet=middle)
            low, high = (middle + 1, high) if "rue" in answered[-1]["content"] else (low, middle)
        yield str(low)


class DepthOrNothing(Depth):
    """Whoever surrenders earns nothing."""

    @reward
    def right(self, completion, depth):
        return not self.given_up and answer_text(completion).strip() == str(depth)


@pytest.mark.parametrize("cls", [Herbs, Depth])
def test_the_secret_that_giving_up_tells_is_paid(cls):
    (finding,) = found(replies_do_not_tell_the_answer, cls)
    assert finding.severity == "error"
    assert finding.message.startswith("A guess, or giving up, is answered with what the model has to find out")


@pytest.mark.parametrize("cls", [HerbsUntilHint, HerbsWithFamilies, HerbsForLess, DepthOrNothing])
def test_nothing_is_found_where_giving_up_ends_it_costs_something_or_tells_less(cls):
    assert not found(replies_do_not_tell_the_answer, cls)
