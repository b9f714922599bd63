"""A value that the prompt names, where only a look that gold does without lists the others."""

import pytest

from grpo_env_sdk import ToolEnv, call_message, reward, tool
from grpo_env_sdk.checking.teaching.acts.named_values import each_value_that_is_asked_for_counts as values
from tests.checking.trying import found

DRIVERS = ("Ann Reed", "Bob Sand", "Cleo Tarn", "Dan Ulm", "Eve Vale", "Flo Wade", "Gil York", "Hal Zorn")


class Fleet(ToolEnv):
    """The score looks at who drives, and not at the van."""

    max_turns = 5
    said = "Give van {van} to {driver} for today, then say so."

    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": self.said.format(van=f"V-{100 + place}", driver=driver),
                "driver": driver,
                "vans": [f"V-{100 + place}", f"V-{500 + place}", f"V-{700 + place}"],
            }
            for place, driver in enumerate(DRIVERS * 2)
        ]

    def setup(self, row):
        self.given = []

    @tool
    def list_vans(self) -> list[dict[str, str]]:
        """List the vans in the yard."""
        return [{"van": van, "fuel": "full"} for van in self.row["vans"]]

    @tool
    def give_keys(self, van: str, driver: str) -> str:
        """Give the keys of a van to a driver.

        Args:
            van: The van.
            driver: The driver.
        """
        if van not in self.row["vans"] or driver != self.row["driver"]:
            return "That is not possible."
        self.given.append((van, driver))
        return "The keys are handed out."

    @reward
    def is_driven(self, driver):
        return [one for _, one in self.given] == [driver]

    def solve(self, row):
        yield call_message("give_keys", van=row["vans"][0], driver=row["driver"])
        yield "Done."


class OfThatVan(Fleet):
    """Sound: the van counts."""

    @reward
    def is_driven(self, vans, driver):
        return self.given == [(vans[0], driver)]


class OneVanIsReady(Fleet):
    """Sound: the tool gives out no other."""

    @tool
    def give_keys(self, van: str, driver: str) -> str:
        """Give the keys of a van to a driver.

        Args:
            van: The van.
            driver: The driver.
        """
        if van != self.row["vans"][0]:
            return "That van is being repaired."
        self.given.append((van, driver))
        return "The keys are handed out."


class AnyVan(Fleet):
    """Sound: the van is an example."""

    said = "Give any van, such as {van}, to {driver} for today, then say so."


class Lockers(ToolEnv):
    """Lockers have numbers, and are listed by their owner."""

    max_turns = 5

    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"Today {owner} wants locker {110 + place} cleaned and nothing else. Order it, then say so.",
                "owner": owner,
                "lockers": [110 + place, 360 + place],
            }
            for place, owner in enumerate(DRIVERS * 2)
        ]

    def setup(self, row):
        self.ordered = []

    @tool
    def list_lockers(self, owner: str) -> dict[int, str]:
        """List the lockers of somebody.

        Args:
            owner: The owner.
        """
        return dict.fromkeys(self.row["lockers"], "dusty") if owner == self.row["owner"] else {}

    @tool
    def order_cleaning(self, locker: int) -> str:
        """Order that a locker is cleaned.

        Args:
            locker: Its number.
        """
        if locker not in self.row["lockers"]:
            return "There is no such locker."
        self.ordered.append(locker)
        return "It is ordered."

    @reward
    def is_ordered(self):
        return len(self.ordered) == 1

    def solve(self, row):
        yield call_message("order_cleaning", locker=row["lockers"][0])
        yield "Done."


class TheLocker(Lockers):
    """Sound: the number counts."""

    @reward
    def is_ordered(self, lockers):
        return self.ordered == lockers[:1]


class Idle(Lockers):
    """Sound for this: nothing has to be done at all."""

    @reward
    def is_ordered(self):
        return True


@pytest.mark.parametrize(("env", "name"), [(Fleet, "'van' of give_keys"), (Lockers, "'locker' of order_cleaning")])
def test_another_value_that_a_look_lists_is_found(env, name):
    (finding,) = found(values, env)
    assert f"another value that a tool lists as {name}, which the prompt names, scores as much" in finding.message
    assert finding.severity in (None, "error")


@pytest.mark.parametrize("env", [OfThatVan, OneVanIsReady, AnyVan, TheLocker, Idle])
def test_nothing_is_said_where_it_counts_or_is_refused_or_any_will_do(env):
    assert not found(values, env)
