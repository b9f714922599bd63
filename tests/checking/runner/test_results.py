"""What several processes of one run found becomes one report."""

import pytest

from grpo_env_sdk.checking.evidence.playing.tried import TRIED_LITTLE
from grpo_env_sdk.checking.findings.finding import Undecided
from grpo_env_sdk.checking.reports.terminal import rerun
from grpo_env_sdk.checking.runner.results import Results

FACTS = {"gold": "solve", "gold_scored": True, "unscored_column": None}


@pytest.mark.parametrize("later", [{"gold_scored": False}, {"gold_scored": False, "gold": None}])
def test_gold_that_scored_in_one_process_has_scored(later):
    results = Results("sums-v1", "/tmp", 60.0)
    results.add_facts(FACTS, None)
    results.add_facts(FACTS | later, None)
    facts = results.whole(1.0).facts
    assert (facts["gold"], facts["gold_scored"]) == ("solve", True)


@pytest.mark.parametrize(("quick", "told"), [(True, True), (False, False)])
def test_a_check_that_lacked_time_with_quick_says_so(quick, told):
    results = Results("sums-v1", "/tmp", 60.0, quick)
    results.add_found(TRIED_LITTLE)
    results.add_found(Undecided("There is no gold answer.", "Add solve(row)."))
    late, other = results.report.undecided
    assert ("--quick" in late.would_help) == told
    assert late.for_time
    assert rerun(late, "grpo-env test sums-v1 --quick") == "grpo-env test sums-v1 --select  --timeout 600"
    assert other.would_help == "Add solve(row)."
