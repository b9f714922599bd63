"""Calls that are refused as one before them is missing, and count as done for those after them."""

import random

import pytest

from grpo_env_sdk import ToolEnv, call_message, reward, tool
from grpo_env_sdk.checking.teaching.acts.refused_acts import refused_acts_do_not_count
from tests.checking.trying import found

LAYERS = ["sand", "felt", "gravel", "bricks", "slate", "lawn"]


class Roof(ToolEnv):
    """Layers on a roof, each on the one before; what was refused is noted as laid."""

    max_turns = 8

    def build_dataset(self, tokenizer):
        orders = [random.Random(n).sample(LAYERS, 4) for n in range(12)]
        text = "Roof {}: lay {}, each on the one before, the first one on the bare roof."
        return [{"prompt": text.format(n, ", ".join(one)), "order": one} for n, one in enumerate(orders)]

    def setup(self, row):
        self.laid, self.asked = [], []

    @tool
    def lay(self, layer: str) -> str:
        """Lay one layer."""
        if layer not in self.row["order"]:
            return "There is none."
        below = self.row["order"][: self.row["order"].index(layer)][-1:]
        self.asked.append(layer)
        if any(one not in self.base() for one in below):
            return self.refusal(layer, below[0])
        self.laid.append(layer)
        return f"The {layer} lies."

    def base(self):
        return self.asked

    def refusal(self, layer, below):
        return f"The {layer} was not laid, as there is no {below}: it failed."

    @reward
    def finished(self, order):
        return order[-1] in self.laid and len(self.asked) <= len(order)

    def solve(self, row):
        return [*(call_message("lay", layer=one) for one in row["order"]), "Done."]


class RefusedShortly(Roof):
    def refusal(self, layer, below):
        return "Denied."


class OnWhatLies(Roof):
    """Sound: what was refused does not lie there."""

    def base(self):
        return self.laid


class OnlyTheLast(OnWhatLies):
    """Sound: nothing is refused, and the last layer is all that counts."""

    def refusal(self, layer, below):
        self.laid.append(layer)
        return f"The {layer} lies, without {below}."


class RefusedWithoutLoss(Roof):
    """Sound: the last layer is asked for alone, and what is refused on the way need not be done."""

    def base(self):
        return LAYERS if self.asked[-1] == self.row["order"][-1] else self.laid


@pytest.mark.parametrize("cls", [Roof, RefusedShortly])
def test_a_refused_call_that_counts_for_those_after_it_is_an_error(cls):
    (finding,) = found(refused_acts_do_not_count, cls)
    assert finding.message.startswith("Gold without lay(layer=")
    assert "is refused" in finding.message


@pytest.mark.parametrize("sound", [OnWhatLies, OnlyTheLast, RefusedWithoutLoss])
def test_refused_calls_that_do_not_count_are_sound(sound):
    assert found(refused_acts_do_not_count, sound) == []
