"""The check of a `view`: what a model reads depends on the transcript alone."""

import pytest

from grpo_env_sdk.checking.episode.views import a_view_shows_the_same_again
from tests.checking.trying import found
from tests.views_envs import Countdown, Doors


@pytest.mark.parametrize("env", [Doors, Countdown])
def test_a_view_of_the_transcript_alone_is_no_finding(env):
    assert found(a_view_shows_the_same_again, env, "quick") == []


def test_a_view_that_counts_its_calls_is_found():
    class Counts(Doors):
        asked = 0

        async def view(self, messages):
            self.asked += 1
            return messages[: 1 if self.asked % 2 == 0 else None]

    (finding,) = found(a_view_shows_the_same_again, Counts, "quick")
    assert "called twice at turn 1" in finding.message
    assert len(finding.output) < len(finding.expected)
