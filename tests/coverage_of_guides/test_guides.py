"""Every promise of the guides has its proof, and the page is up to date."""

import pytest

from tests.coverage_of_guides.claims import Proof, all_claims
from tests.coverage_of_guides.metrics import logged_metrics, recorded_metrics
from tests.coverage_of_guides.page import PAGE, coverage_page
from tests.coverage_of_guides.proving import check


@pytest.mark.parametrize("guide", sorted({claim.guide for claim in all_claims()}))
def test_each_promise_is_shown_by_what_the_page_names(guide):
    for claim in all_claims():
        for proof in claim.proofs if claim.guide == guide else ():
            check(proof)


def test_a_proof_that_is_not_there_is_found():

    for kind, text in (
        ("flag", "--no-such-flag"),
        ("metric", "no/such"),
        ("test", "test_none"),
        ("page", "docs/no.md"),
    ):
        with pytest.raises(AssertionError, match=text):
            check(Proof(kind, text))


def test_the_page_is_what_the_script_writes():
    assert PAGE.read_text(encoding="utf-8") == coverage_page(), "run python -m tests.coverage_of_guides"


@pytest.mark.slow
def test_the_metrics_are_those_that_a_training_logs(tmp_path):
    assert logged_metrics(tmp_path) == recorded_metrics()
