"""What several processes of one run found becomes one report."""

import pytest

from grpo_env_sdk.checking.runner.results import Results

FACTS = {"gold": "solve", "gold_scored": True, "unscored_column": None}


@pytest.mark.parametrize("later", [{"gold_scored": False}, {"gold_scored": False, "gold": None}])
def test_gold_that_scored_in_one_process_has_scored(later):
    results = Results("sums-v1", "/tmp", 60.0)
    results.add_facts(FACTS, None)
    results.add_facts(FACTS | later, None)
    facts = results.whole(1.0).facts
    assert (facts["gold"], facts["gold_scored"]) == ("solve", True)
