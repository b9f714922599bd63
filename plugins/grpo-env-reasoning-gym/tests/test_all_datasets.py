"""Every dataset of the installed release, constructed and sampled; a handful of them in the default run."""

import json

import pytest

from grpo_env_reasoning_gym.items import gold_of
from grpo_env_reasoning_gym.packing import packed, unpacked
from grpo_env_reasoning_gym.plugin import INDEX
from grpo_env_sdk import load, make

QUICK = (
    "chain_sum",
    "graph_color",
    "knights_knaves",
    "leg_counting",
    "list_functions",
    "propositional_logic",
    "sudoku",
)
REST = [name for name in json.loads(INDEX.read_text(encoding="utf-8")) if name not in QUICK]
WITHOUT_GOLD = ("boxnet", "rush_hour")


@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")  # arc_agi's data
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("name", [*QUICK, *(pytest.param(name, marks=pytest.mark.slow) for name in REST)])
def test_a_dataset_is_constructed_sampled_and_its_gold_reaches_the_top(name):
    loaded = load(f"rg/{name}-v1", {"size": 4})
    rows = loaded.rows()
    assert 1 <= len(rows) <= 4
    assert loaded.traits.solvable is (name not in WITHOUT_GOLD)
    other = make(f"rg/{name}-v1", size=1)
    for row in rows:
        item = loaded.env.items.draw(row["item_index"])
        assert unpacked(row["item"]) == item == unpacked(packed(item))
        assert row["answer"] == gold_of(item)
        said = [{"role": "assistant", "content": "I do not know."}]
        assert other.score_episode(None, None, said, **row) == 0.0
        if loaded.traits.solvable:
            said = [{"role": "assistant", "content": other.solve(row)}]
            assert other.score_episode(None, None, said, **row) == pytest.approx(1.0)
