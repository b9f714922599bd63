"""Checks whose time is used up between what they try and what they compare it with."""

import pytest

from grpo_env_sdk.checking.evidence.playing.episode_player import EpisodePlayer
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.games.single_tries import a_single_try_is_one_try
from grpo_env_sdk.checking.teaching.too_much.taken_away import taking_away_is_not_doing
from grpo_env_sdk.checking.teaching.written_data.overwritten_data import data_of_a_task_stay_as_they_are
from tests.checking.teaching.games import test_single_tries
from tests.checking.teaching.too_much import test_taken_away
from tests.checking.teaching.written_data import test_overwritten_data
from tests.checking.trying import found

SOUND = [
    (data_of_a_task_stay_as_they_are, test_overwritten_data.AnyOrder),
    (taking_away_is_not_doing, test_taken_away.Free),
    (a_single_try_is_one_try, test_single_tries.FirstCodeCounts),
]


@pytest.mark.parametrize(("check", "cls"), SOUND)
def test_nothing_is_told_whenever_the_time_is_used_up(check, cls, monkeypatch):
    played = EpisodePlayer.answers
    for most in range(4, 40, 4):
        left = most

        def answers(self, pairs, *given):
            nonlocal left
            some = list(pairs)[:left]
            left -= len(some)
            return played(self, some, *given)

        monkeypatch.setattr(EpisodePlayer, "answers", answers)
        assert not [one for one in found(check, cls) if isinstance(one, Finding)], most
