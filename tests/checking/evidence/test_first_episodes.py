"""What the first episodes say of all others: where none comes to its end, no more are played."""

from dataclasses import replace

import pytest

from grpo_env_sdk import SingleTurnEnv
from grpo_env_sdk.checking.check import all_checks
from grpo_env_sdk.checking.evidence import subject as checked
from grpo_env_sdk.checking.evidence.attempts.first_episodes import episode_seconds
from grpo_env_sdk.checking.evidence.playing.failures import HANG, NoEpisodeEndsError
from grpo_env_sdk.checking.findings.finding import Finding, Undecided
from grpo_env_sdk.checking.runner.worker import found_by
from grpo_env_sdk.types import EnvSpec, Fault


class Says(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [{"prompt": f"Say {n}.", "answer": str(n)} for n in range(12)]

    def score_episode(self, model, tokenizer, completion, answer):
        return float(completion == answer)

    def solve(self, row):
        return row["answer"]


class Subject(checked.Subject):
    """A subject whose first call used up its limit, and whose later ones waited for the processor alone."""

    limit, whole, ends = 0.0, None, ()

    @property
    def call_seconds(self):
        return self.limit

    def hung(self, row):
        fault = Fault("environment", "score", "DeadlineError", "It did not come back.")
        return replace(self.whole, row_index=row, stop_reason="timeout", error=fault)

    def answer(self, row, completion):
        if self.whole is None:
            self.whole = super().answer(row, completion)
            return self.hung(row)
        self.limit = 1e6
        return self.hung(row) if self.recall(HANG) is None else super().answer(row, completion)

    def gold(self, row):
        self.limit = 1e6
        return self.whole if "gold" in self.ends else self.hung(row)


def given_up(*ends):
    subject = Subject(EnvSpec("says", f"{__name__}:Says"), checked.Settings("quick"), create=Says)
    subject.ends = ends
    return subject


def test_calls_after_one_that_works_on_need_not_use_up_their_own_time():
    subject = given_up()
    episode_seconds(subject)
    (failed,) = subject.recall(HANG)
    assert "on an empty answer and the gold answer, and on an empty answer to row 11" in failed.message


def test_where_gold_ends_the_others_are_played():
    subject = given_up("gold")
    episode_seconds(subject)
    assert subject.recall(HANG) is None


def test_nothing_is_played_where_no_episode_ends():
    subject = given_up()
    episode_seconds(subject)
    (finding,) = found_by(all_checks()["S201"], subject)
    assert isinstance(finding, Finding)
    with pytest.raises(NoEpisodeEndsError):
        subject.play_many([0], "gold")
    with pytest.raises(NoEpisodeEndsError):
        subject.answer(0, "")
    gaps = [item for id in ("G501", "C147") for item in found_by(all_checks()[id], subject)]
    assert {item.why for item in gaps if isinstance(item, Undecided)} <= {"The environment cannot be used yet."}
