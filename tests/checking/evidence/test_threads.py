"""Leaked threads are reported as such, and no other check is lost."""

import threading

import pytest

from grpo_env_sdk.checking.evidence.playing import threads
from grpo_env_sdk.checking.evidence.playing.failures import FailedHereError
from grpo_env_sdk.checking.evidence.playing.threads import CAUSE, foreign_threads, with_leaked_threads
from grpo_env_sdk.checking.findings.finding import Finding, Undecided
from grpo_env_sdk.checking.findings.report import Report
from tests.checking.trying import subject_of

LEAKS = """
import threading

class Broken:
    over = threading.Event()

    def build_dataset(self, tokenizer):
        return [{"prompt": f"What is {i} and 1?", "answer": str(i + 1)} for i in range(20)]

    def score_episode(self, model, tokenizer, completion, answer):
        threading.Thread(target=self.over.wait, daemon=True).start()
        return float(completion == answer)

    def solve(self, row):
        return row["answer"]
"""
STARTED = Finding("Scoring raised RuntimeError: can't start new thread.", check="S201", severity="error")


@pytest.fixture
def waiting():
    over = threading.Event()
    thread = threading.Thread(target=over.wait, name="beat")
    thread.start()
    yield
    over.set()
    thread.join()


@pytest.mark.usefixtures("waiting")
def test_threads_of_the_sdk_are_not_laid_to_the_environment():
    over = threading.Event()
    ours = threading.Thread(target=over.wait, name="grpo-env: waits")
    ours.start()
    assert [name for name in foreign_threads() if name in ("beat", ours.name)] == ["beat"]
    over.set()
    ours.join()


@pytest.mark.usefixtures("waiting")
def test_where_no_thread_can_be_started_the_threads_left_are_told_and_not_the_scorer():
    report = Report("sums-v1")
    for item in with_leaked_threads(STARTED):
        report.add(item)
    (finding,) = report.findings
    assert (finding.check, finding.cause) == ("K701", CAUSE)
    assert "such as beat, until no more could be started." in finding.message
    assert [(gap.checks, gap.why) for gap in report.undecided] == [
        (("S201",), "The finding of K701 prevents this check.")
    ]


def test_a_gap_for_want_of_threads_is_laid_to_them_too():
    gap = Undecided("It cannot be imported: RuntimeError: can't start new thread.", "Mend it.", ("S212",))
    told = list(with_leaked_threads(gap))
    assert [type(item) for item in told] == [Finding, Undecided]
    assert (told[1].why, told[1].checks) == ("The finding of K701 prevents this check.", ("S212",))


def test_any_other_finding_is_left_as_it_is():
    other = Finding("Scoring raised KeyError.", check="S201", severity="error")
    assert list(with_leaked_threads(other)) == [other]


def test_a_process_full_of_threads_is_left_for_a_new_one_and_nothing_but_the_leak_is_told(tested):
    report = tested(LEAKS, "S210", "S211", "S212", "K701")
    assert {finding.check for finding in report.findings} <= {"K701"}
    assert "K701" in {*report.open, *(finding.check for finding in report.findings)}  # a busy machine may have no time
    assert {"S210", "S211", "S212", "K701"} <= {*report.timings, *report.open}


class Leaky:
    over = threading.Event()

    def build_dataset(self, tokenizer):
        return [{"prompt": "What is 1 and 1?", "answer": "2"}]

    def score_episode(self, model, tokenizer, completion, answer):
        threading.Thread(target=self.over.wait, daemon=True).start()
        return float(completion == answer)


def test_no_episode_begins_where_too_many_threads_are_left(monkeypatch):
    monkeypatch.setattr(threads, "FULL", len(foreign_threads()) + 3)
    subject = subject_of(Leaky)
    with pytest.raises(FailedHereError, match="can't start new thread") as raised:
        subject.answers([(0, "2")] * 100)
    left = len(foreign_threads())
    Leaky.over.set()
    assert raised.value.cause == CAUSE
    assert threads.FULL < left < threads.FULL + 30  # those that were under way end
