"""Less than nothing of one thing, beside more of another, is found where it pays; sound divisions are let be."""

import re
from itertools import product

import pytest

from grpo_env_sdk import MultiTurnEnv, ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.teaching.amounts.side_doors import absurd_numbers_are_not_gold
from tests.checking.trying import found

STORES = [(4, 3, 2), (3, 4, 1), (2, 4, 4), (4, 4, 3), (3, 3, 3), (4, 2, 3), (3, 4, 4), (4, 3, 4)]
MINE, THEIRS = (3, 0, 1), (2, 1, 2)


def worth(share, values):
    return sum(count * value for count, value in zip(share, values, strict=True))


def agreed(store, share):
    """Whether the other crew is left half of what the store is worth to it."""
    left = [count - mine for count, mine in zip(store, share, strict=True)]
    return 2 * worth(left, THEIRS) >= worth(store, THEIRS)


def best(store):
    shares = product(*(range(count + 1) for count in store))
    return max((share for share in shares if agreed(store, share)), key=lambda share: worth(share, MINE))


class Rations(MultiTurnEnv):
    """Two crews divide a store; each message is a share."""

    max_turns, reward_range, least, wording = 4, (0, 1), -1_000, ""

    def build_dataset(self, tokenizer):
        text = "{} tins, {} ropes, {} lamps. Say how many of each you take, such as '1 tins, 0 ropes, 2 lamps'."
        return [{"prompt": f"{text.format(*store)} {self.wording}", "store": list(store)} for store in STORES]

    def read(self, text):
        found = re.fullmatch(r"(-?\d+) tins, (-?\d+) ropes, (-?\d+) lamps", text.strip())
        return [int(number) for number in found.groups()] if found else None

    def step(self, action):
        share, store = self.read(answer_text([action])), self.row["store"]
        if share is None or any(not self.least <= mine <= count for mine, count in zip(share, store, strict=True)):
            return "That cannot be.", 0.0, False, False, {}
        if not agreed(store, share):
            return "Too much.", 0.0, False, False, {}
        return "Agreed.", max(0.0, min(1.0, worth(share, MINE) / worth(best(store), MINE))), True, False, {}

    def solve(self, row):
        return ["{} tins, {} ropes, {} lamps".format(*best(row["store"]))]


class StrictRations(Rations):
    least = 0


class RationsWithoutSigns(Rations):
    """A minus sign is a dash."""

    def read(self, text):
        return super().read(text.replace("-", ""))


class RationsOnCredit(Rations):
    wording = "A negative number is what you still owe."


class Depot(ToolEnv):
    """The same with a call that gets an object."""

    max_turns, least = 3, -1_000

    def build_dataset(self, tokenizer):
        text = "There are {} tins, {} ropes and {} lamps. Take what you can; the others need half of it. Use claim."
        return [{"prompt": text.format(*store), "store": list(store)} for store in STORES]

    def setup(self, row):
        self.share = None

    @tool
    def claim(self, amounts: dict[str, int]) -> str:
        """Claim an amount of each thing."""
        share = [self.cleaned(amounts.get(name, 0)) for name in ("tins", "ropes", "lamps")]
        if any(not self.least <= mine <= count for mine, count in zip(share, self.row["store"], strict=True)):
            return "That cannot be."
        if not agreed(self.row["store"], share):
            return "Too much."
        self.share = share
        return "Agreed."

    def cleaned(self, number):
        return number

    @reward
    def part(self, store):
        return min(1.0, worth(self.share, MINE) / worth(best(store), MINE)) if self.share else 0.0

    def solve(self, row):
        yield call_message("claim", amounts=dict(zip(("tins", "ropes", "lamps"), best(row["store"]), strict=True)))
        yield "Thanks."


class DepotThatCountsFromNothing(Depot):
    def cleaned(self, number):
        return max(0, number)


class StrictDepot(Depot):
    least = 0


@pytest.mark.parametrize(("cls", "shown"), [(Rations, "-50 ropes"), (Depot, "-50")])
def test_more_of_one_thing_for_less_than_nothing_of_another_is_found(cls, shown):
    (finding,) = found(absurd_numbers_are_not_gold, cls)
    assert "negative amount" in finding.message
    assert shown in finding.message


@pytest.mark.parametrize(
    "cls", [StrictRations, RationsWithoutSigns, RationsOnCredit, DepotThatCountsFromNothing, StrictDepot]
)
def test_divisions_without_negative_parts_are_not_accused(cls):
    assert not found(absurd_numbers_are_not_gold, cls)
