"""Tools that may be used once, and have their effect each time."""

import pytest

from grpo_env_sdk import ToolEnv, call_message, reward, tool
from grpo_env_sdk.checking.evidence.prompts.said_once import said_once
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.amounts.stated_limits import more_acts_than_allowed_are_not_gold
from tests.checking.trying import found


class Farm(ToolEnv):
    """A grant that every farm may draw once, and draws as often as it asks."""

    max_turns = 8
    asked = (
        "Farm {} has {} florins. Draw the grant, which can be drawn once per customer, and buy a cow of 300 florins."
    )
    grant = 100

    def build_dataset(self, tokenizer):
        return [{"prompt": self.asked.format(n, 210 + 7 * n), "money": 210 + 7 * n} for n in range(12)]

    def setup(self, row):
        self.money, self.cows, self.drawn = row["money"], 0, 0

    @tool
    def draw_grant(self, farm: int) -> str:
        """Ask the county for money.

        Args:
            farm: The number of the farm.
        """
        self.drawn += 1
        return self.granted()

    def granted(self):
        self.money += self.grant
        return f"The county pays. The farm has {self.money} florins."

    @tool
    def buy_cow(self) -> str:
        """Buy a cow for 300 florins."""
        if self.money < 300:
            return "There is not enough money."
        self.money, self.cows = self.money - 300, self.cows + 1
        return f"A cow. There are {self.money} florins left."

    @reward
    def cow(self):
        return self.cows == 1

    def solve(self, row):
        yield call_message("draw_grant", farm=1)
        yield call_message("buy_cow")
        yield "There is a cow."


class SilentFarm(Farm):
    """Only what is left at the end shows it, and the tool says that it is for one use."""

    asked = "Farm {} has {} florins. Draw what the county pays, and buy a cow of 300 florins."

    @tool
    def draw_grant(self, farm: int) -> str:
        """Ask the county for money. Only one grant is paid.

        Args:
            farm: The number of the farm.
        """
        self.money += self.grant
        return "The county pays."


class RichFarm(SilentFarm):
    """What is left is a part of the score, and no reply names it."""

    @tool
    def buy_cow(self) -> str:
        """Buy a cow for 300 florins."""
        self.money, self.cows = self.money - 300, self.cows + 1
        return "A cow."

    @reward
    def cow(self):
        return (self.cows == 1) * (0.5 + self.money / 10_000)


class FarmThatRefuses(Farm):
    def granted(self):
        return super().granted() if self.drawn == 1 else f"It was paid before. The farm has {self.money} florins."


class FarmPaidOnce(Farm):
    """A second use has no effect, and is answered as the first one."""

    def granted(self):
        self.money = self.row["money"] + self.grant
        return f"The county pays. The farm has {self.money} florins."


class FarmThatCounts(FarmPaidOnce):
    """Replies count the requests, and have times."""

    def granted(self):
        super().granted()
        return f"Request {self.drawn}, at {10 + self.drawn}:30: the county pays once."


class FarmWithSeveralGrants(Farm):
    """Nobody says that it is for one use."""

    asked = "Farm {} has {} florins. Draw the grant, as often as you need it, and buy a cow of 300 florins."


class FarmThatMindsGrants(Farm):
    """A second grant costs the score."""

    @reward
    def cow(self):
        return self.cows == 1 and self.drawn == 1


class FarmPerCow(Farm):
    asked = "Farm {} has {} florins. Once you have drawn the grant, buy a cow of 300 florins; a grant is paid at once."


@pytest.mark.parametrize("cls", [Farm, SilentFarm, RichFarm])
def test_effects_that_add_up_are_found(cls):
    (one,) = found(more_acts_than_allowed_are_not_gold, cls)
    assert isinstance(one, Finding)
    assert "Using draw_grant" in one.message
    assert one.severity == "error"


@pytest.mark.parametrize(
    "cls",
    [FarmThatRefuses, FarmPaidOnce, FarmThatCounts, FarmWithSeveralGrants, FarmThatMindsGrants, FarmPerCow],
)
def test_uses_that_are_refused_or_allowed_are_let_be(cls):
    assert not found(more_acts_than_allowed_are_not_gold, cls)


@pytest.mark.parametrize(
    ("prompt", "said"),
    [
        ("The coupon can be used only once.", True),
        ("One coupon per order!", True),
        ("A coupon may not be used twice.", True),
        ("At most one coupon is accepted.", True),
        ("The coupon counts once.", False),
        ("Once the coupon is used, pay.", False),
        ("Pay at once, with a coupon.", False),
        ("A coupon may be used once per item.", False),
        ("One coupon per order line is fine.", False),
        ("The gift can be used only once; coupons follow.", True),
        ("The gift can be used only once. Coupons follow.", False),
        ("A coupon may be used only once, and several add up.", False),
    ],
)
def test_what_says_that_a_tool_may_be_used_once(prompt, said):
    assert bool(said_once(prompt, "use_coupon", "")) is said
