"""Files that episodes leave open are reported as such, and nothing else is blamed once no more can be opened."""

import os
import resource

import pytest

from grpo_env_sdk.checking.evidence.playing.failures import FailedHereError
from grpo_env_sdk.checking.evidence.playing.left_files import CAUSE, are_full, with_leaked_files
from grpo_env_sdk.checking.findings.finding import Finding, Undecided
from grpo_env_sdk.isolation.process_state.open_files import OpenFiles
from tests.checking.trying import subject_of

ROOM = 60
LEAKS = f"""
import os, resource

resource.setrlimit(resource.RLIMIT_NOFILE, ({ROOM}, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))

class Broken:
    def build_dataset(self, tokenizer):
        return [{{"prompt": f"What is {{i}} and 1?", "answer": str(i + 1)}} for i in range(20)]

    def score_episode(self, model, tokenizer, completion, answer):
        os.open(os.devnull, os.O_RDONLY)
        return float(completion == answer)

    def solve(self, row):
        return row["answer"]
"""
NO_MORE = "OSError: [Errno 24] Too many open files"


@pytest.fixture
def opened():
    """A list for open files, which are closed in the end; this process may have few more."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    highest, found = max(map(int, os.listdir("/proc/self/fd"))), [os.open(os.devnull, os.O_RDONLY)]
    while found[-1] < highest:  # so that no number below is free
        found.append(os.open(os.devnull, os.O_RDONLY))
    resource.setrlimit(resource.RLIMIT_NOFILE, (found[-1] + 1 + ROOM, hard))
    more: list[int] = []
    yield more
    found += more
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    for descriptor in found:
        os.close(descriptor)


@pytest.mark.parametrize("item", [
    Finding(f"Scoring raised {NO_MORE}.", check="S201", severity="error"),
    Undecided(f"The check S201 itself failed: {NO_MORE}.", "Please report it.", ("S201",)),
])  # fmt: skip
def test_what_fails_for_want_of_files_is_laid_to_those_left_open(item, opened):
    files = OpenFiles()
    assert list(with_leaked_files(files, item)) == [item], "an episode that closes what it opens"
    opened += [os.open(os.devnull, os.O_RDONLY) for _ in range(ROOM * 3 // 4)]
    leak, gap = with_leaked_files(files, item)
    assert (leak.check, leak.cause) == ("K701", CAUSE)
    assert (gap.why, gap.checks) == ("The finding of K701 prevents this check.", ("S201",))


def test_no_episode_begins_where_too_many_files_are_left_open(opened):
    class Leaky:
        def build_dataset(self, tokenizer):
            return [{"prompt": "What is 1 and 1?", "answer": "2"}]

        def score_episode(self, model, tokenizer, completion, answer):
            opened.append(os.open(os.devnull, os.O_RDONLY))
            return float(completion == answer)

    subject = subject_of(Leaky)
    with pytest.raises(FailedHereError, match="Too many open files") as raised:
        subject.answers([(0, "2")] * 2 * ROOM)
    assert raised.value.cause == CAUSE
    assert are_full(subject.files)
    assert len(opened) < ROOM


def test_a_process_full_of_open_files_is_left_for_a_new_one_and_nothing_but_the_leak_is_told(tested):
    report = tested(LEAKS, "S201", "S210", "K701")
    assert {finding.check for finding in report.findings} == {"K701"}
