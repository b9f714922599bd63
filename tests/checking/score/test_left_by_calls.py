"""What calls leave for other episodes, where there is no solve and only values of the row get useful replies."""

from typing import ClassVar

import pytest

from grpo_env_sdk import ToolEnv, answer_text, reward, tool
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.score.parallel import parallel_episodes_are_safe
from grpo_env_sdk.checking.score.repeats import a_score_is_the_same_in_another_process
from tests.checking.trying import found


def findings(check, cls):
    return [item for item in found(check, cls) if isinstance(item, Finding)]


class Satchel(ToolEnv):
    """Pack a satchel; it is an attribute of the class that setup empties."""

    max_turns = 6
    packed: ClassVar = set()

    def build_dataset(self, tokenizer):
        lists = [["map", "rope"], ["lamp", "tent", "mug"], ["mug", "map"], ["rope", "soap"], ["tent", "map", "soap"]]
        return [{"prompt": f"Pack the {' and the '.join(things)}.", "things": things} for things in lists]

    def setup(self, row):
        self.packed.clear()

    @tool
    def pack(self, thing: str) -> str:
        """Put a thing into the satchel."""
        self.packed.add(thing)
        return "Packed."

    @reward
    def right(self, things):
        return self.packed == set(things)


class SatchelOfTheEpisode(Satchel):
    def setup(self, row):
        self.packed = set()


@pytest.mark.parametrize(("cls", "count"), [(Satchel, 1), (SatchelOfTheEpisode, 0)])
def test_a_collection_of_the_class_that_setup_empties_is_shared_by_episodes_side_by_side(cls, count):
    assert len(findings(parallel_episodes_are_safe, cls)) == count


class Harbour(ToolEnv):
    """How much deeper is one basin than another? The chart of each harbour has the same names of basins."""

    max_turns = 4
    depths: ClassVar = {}

    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"Harbour {n}: how much deeper is the old basin than the new one, in metres?",
                "chart": {"old": 20 + 3 * n, "new": 4 + n, "dry": n},
                "basins": ["old", "new"],
            }
            for n in range(8)
        ]

    def key(self, basin):
        return basin

    @tool
    def depth(self, basin: str) -> str:
        """The depth of a basin of this harbour."""
        if basin not in self.row["chart"]:
            raise LookupError("There is no such basin.")
        return f"{self.depths.setdefault(self.key(basin), self.row['chart'][basin])} metres"

    @reward
    def right(self, completion, chart):
        return answer_text(completion).strip() == str(chart["old"] - chart["new"])


class HarbourByName(Harbour):
    """The same with a key that holds the harbour."""

    depths: ClassVar = {}

    def key(self, basin):
        return self.row["prompt"], basin


@pytest.mark.parametrize(("cls", "count"), [(Harbour, 1), (HarbourByName, 0)])
def test_a_cache_that_leaves_the_row_out_of_its_key_gives_replies_of_other_rows(cls, count):
    several = findings(a_score_is_the_same_in_another_process, cls)
    assert len(several) == count
    for finding in several:
        assert finding.severity == "error"
        assert "in a process that played no other episodes before" in finding.message
        assert "key of a cache" in finding.hint
