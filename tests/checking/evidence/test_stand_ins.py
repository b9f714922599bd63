"""Checks that replay acts, on environments without solve: the best episodes found stand in for gold."""

import pytest

from grpo_env_sdk.checking.check import all_checks
from grpo_env_sdk.checking.evidence.stand_ins.found_episodes import found_episodes
from grpo_env_sdk.checking.findings.finding import Finding
from tests.checking.environments import stand_in_envs as envs
from tests.checking.environments.looked_up_envs import Boxes, FoundByPart, Lockers, Parcels, Rooms, Sales, Shelves
from tests.checking.trying import found, subject_of

FAULTS = [
    (envs.PinDesk, "G563", "A call of check_pin that is refused"),
    (envs.SeatPlan, "G526", "another number than the one that is shown"),
    (envs.Nails, "G519", "'.state/row.txt'"),
    (envs.Safe, "G519", "said again, tells the answer"),
    (envs.Letters, "G505", "every letter or digit in one message"),
    (envs.Registry, "G610", "'__expected__'"),
    (envs.Workshop, "G611", "rent with count=-50"),
    (Boxes, "E354", "the answer is shown too late"),
    (envs.Valve, "G599", "again and again"),
    (Parcels, "E331", "the score compares the calls with one path"),
    (Rooms, "G526", "another number than the one that is shown"),
    (Shelves, "G526", "another number than the one that is shown"),
    (Lockers, "G526", "another number than the one that is shown"),
    (Sales, "G523", "after 'DELETE FROM sales' the answer '0' scores 1"),
]


def findings(id: str, cls: type) -> list[Finding]:
    return [item for item in found(all_checks()[id], cls, "quick") if isinstance(item, Finding)]


@pytest.mark.parametrize(("cls", "id", "said"), FAULTS, ids=[f"{cls.__name__}-{id}" for cls, id, _ in FAULTS])
def test_a_fault_is_named_without_solve(cls, id, said):
    assert any(said in one.message for one in findings(id, cls))


@pytest.mark.parametrize(("cls", "id"), [(cls, id) for cls, id, _ in FAULTS])
def test_the_same_without_the_fault_is_not_accused(cls, id):
    sound = type(f"Sound{cls.__name__}", (cls,), {"right": True, "longest": 3, "__module__": cls.__module__})
    assert findings(id, sound) == []


def test_the_best_episodes_found_score_the_top_and_more_than_silence():
    subject = subject_of(envs.PinDesk)
    episodes = found_episodes(subject)
    assert len(episodes) >= 4
    assert {episode.reward for episode in episodes.values()} == {1.0}
    assert subject.gold_source is None


def test_a_finding_says_that_there_is_no_solve():
    assert "There is no solve" in findings("G563", envs.PinDesk)[0].message


def test_nothing_stands_in_where_silence_scores_the_top():
    class Paid(envs.PinDesk):
        def build_dataset(self, tokenizer):
            return super().build_dataset(tokenizer)

    Paid.done = envs.reward(lambda card: 1.0, name="done")
    assert found_episodes(subject_of(Paid)) == {}


def test_an_empty_text_that_shows_as_much_as_golds_is_no_act_that_counts():
    assert findings("G532", FoundByPart) == []
