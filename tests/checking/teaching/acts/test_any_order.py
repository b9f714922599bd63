"""What may be done or listed in any order, and amounts that add up."""

import pytest

from grpo_env_sdk import MultiTurnEnv, ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.teaching.acts.any_order import any_order_is_right_where_it_is_said
from tests.checking.trying import found

PLANTS = ["fern", "ivy", "lily", "moss", "palm", "rose", "sage", "thyme"]


def columns_of(number):
    plants = [PLANTS[(number + step * 3) % 8] for step in (0, 1, 2)]
    return {"plants": plants, "cups": [2 + (number + step) % 3 for step in (0, 1, 2)]}


def pairs(row):
    return [[plant, cups] for plant, cups in zip(row["plants"], row["cups"], strict=True)]


class Watering(ToolEnv):
    """Water plants; what was done is compared as a log."""

    max_turns = 9
    asked = "Water these plants in any order, and then close the tap: {}."

    def build_dataset(self, tokenizer):
        rows = []
        for n in range(12):
            row = columns_of(n)
            listed = ", ".join(f"{count} cups for the {plant}" for plant, count in pairs(row))
            rows.append({"prompt": f"{self.asked.format(listed)} House {n}.", **row})
        return rows

    def setup(self, row):
        self.log, self.closed = [], False

    @tool
    def water(self, plant: str, cups: int) -> str:
        """Water a plant.

        Args:
            plant: The plant.
            cups: The number of cups.
        """
        self.log.append([plant, cups])
        return "Watered."

    @tool
    def close_tap(self) -> str:
        """Close the tap."""
        self.closed = True
        return "Closed."

    @reward
    def watered(self):
        return self.closed and self.log == pairs(self.row)

    def solve(self, row):
        for plant, cups in pairs(row):
            yield call_message("water", plant=plant, cups=cups)
        yield call_message("close_tap")
        yield "Done."


class InPairs(Watering):
    """Each plant is fetched first, and a tool says that any order will do."""

    asked = "Water these plants, and then close the tap: {}."

    @tool
    def fetch(self, plant: str) -> str:
        """Fetch a plant. Plants may be fetched in any order.

        Args:
            plant: The plant.
        """
        return f"The {plant} is here."

    def solve(self, row):
        for plant, cups in pairs(row):
            yield call_message("fetch", plant=plant)
            yield call_message("water", plant=plant, cups=cups)
        yield call_message("close_tap")
        yield "Done."


class AsOneList(Watering):
    """One call has all of them in a list."""

    @tool
    def water_all(self, plants: list[str]) -> str:
        """Water several plants.

        Args:
            plants: The plants, in any order.
        """
        self.log = [[plant, count] for plant in plants for name, count in pairs(self.row) if name == plant]
        self.closed = True
        return "Watered."

    def solve(self, row):
        yield call_message("water_all", plants=[plant for plant, _ in pairs(row)])
        yield "Done."


class AddsUp(Watering):
    """Cups add up, and the log has to have each plant once."""

    asked = "Water these plants, and then close the tap: {}."

    @tool
    def water(self, plant: str, cups_count: int) -> str:
        """Water a plant. May be called again for one plant; the numbers of cups add up.

        Args:
            plant: The plant.
            cups_count: The number of cups.
        """
        self.log.append([plant, cups_count])
        return "Watered."

    @reward
    def watered(self):
        return self.closed and sorted(self.log) == sorted(pairs(self.row))

    def solve(self, row):
        for plant, cups in pairs(row):
            yield call_message("water", plant=plant, cups_count=cups)
        yield call_message("close_tap")
        yield "Done."


class Answered(Watering):
    """What is answered may be in any order."""

    asked = "Look which plants are dry and answer with their names in any order, with commas between them: {}."

    @reward
    def watered(self, completion):
        return answer_text(completion) == ", ".join(self.row["plants"])

    def solve(self, row):
        yield call_message("close_tap")
        yield ", ".join(plant for plant, _ in pairs(row))


class InWords(MultiTurnEnv):
    """A game of texts in which plants are watered one by one."""

    max_turns = 5
    reward_range = (0, 1)
    asked = "Say 'water' and the name of a plant, until all are watered, and 'end'. Water them in any order: {}."

    def build_dataset(self, tokenizer):
        rows = [columns_of(n) for n in range(12)]
        return [
            {"prompt": f"{self.asked.format(', '.join(row['plants']))} House {n}.", **row} for n, row in enumerate(rows)
        ]

    def setup(self, row):
        self.said = []

    def step(self, action):
        text = answer_text([action])
        if text == "end":
            return "Over.", float(self.compared(self.said) == self.compared(self.wanted())), True, False, {}
        self.said.append(text)
        return "Fine.", 0.0, False, False, {}

    def wanted(self):
        return [f"water {plant}" for plant, _ in pairs(self.row)]

    def compared(self, said):
        return said

    def solve(self, row):
        return [*[f"water {plant}" for plant, _ in pairs(row)], "end"]


class AsASet(Watering):
    """Sound: the log is compared without its order, and adds up."""

    @reward
    def watered(self):
        return self.closed and sorted(self.log) == sorted(pairs(self.row))


class InThisOrder(Watering):
    """Sound: the order is asked for."""

    asked = "Water these plants in this order, and then close the tap: {}."


class ShownInAnyOrder(Watering):
    """Sound: it is said of what is shown."""

    asked = "These plants came here in any order. Water them one after another as you read them: {}."


class InTwoCallsToo(AddsUp):
    """Sound: what was given to each plant is added up."""

    @reward
    def watered(self):
        given = {plant: sum(count for name, count in self.log if name == plant) for plant, _ in self.log}
        return self.closed and given == dict(pairs(self.row))


class OnlyOnce(AddsUp):
    """Sound: each plant is to be watered once."""

    asked = "Water each of these plants once, and then close the tap: {}."


class Refused(Watering):
    """Sound: what is not possible in this order is refused, which the reply says."""

    @tool
    def water(self, plant: str, cups: int) -> str:
        """Water a plant.

        Args:
            plant: The plant.
            cups: The number of cups.
        """
        if [plant, cups] != pairs(self.row)[len(self.log)]:
            return "That is not possible: another plant is in front of it."
        self.log.append([plant, cups])
        return "Watered."


class InWordsAsASet(InWords):
    """Sound: in any order."""

    def compared(self, said):
        return sorted(said)


FLAWED = [
    (Watering, "acts in another order"),
    (InPairs, "acts in another order"),
    (AsOneList, "list in another order"),
    (AddsUp, "an amount in two calls"),
    (Answered, "answers in another order"),
    (InWords, "acts in another order"),
]


@pytest.mark.parametrize(("cls", "what"), FLAWED)
def test_what_may_be_in_any_order_and_is_not_is_found(cls, what):
    (finding,) = found(any_order_is_right_where_it_is_said, cls)
    assert what in finding.message
    assert finding.severity == "error"


@pytest.mark.parametrize("cls", [AsASet, InThisOrder, ShownInAnyOrder, InTwoCallsToo, OnlyOnce, Refused, InWordsAsASet])
def test_orders_that_count_or_do_not_are_let_be(cls):
    assert found(any_order_is_right_where_it_is_said, cls) == []
