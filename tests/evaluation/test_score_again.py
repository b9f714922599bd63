"""Finished episodes, scored again without a model: those whose judge was away, or whose scorer changed."""

import asyncio
from dataclasses import replace

import pytest

from grpo_env_sdk import ToolEnv, Turn, call_message, evaluate, load, reward, tool
from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.ext import Rollout, jobs_for, rollouts, score_again
from tests.environments import Countdown, Guess


class Judged(ToolEnv):
    """A judge that is away at the first question about an odd row."""

    away = True

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Look at {number}.", "number": number} for number in range(4)]

    @tool
    def look(self, number: int) -> str:
        """Look."""
        return f"seen {number}"

    @reward
    def right(self, number, tool_calls):
        if number % 2 and self.away:
            raise ConnectionError("503")
        return tool_calls[0]["content"] == f"seen {number}"


class Sampler:
    """One with tokens, which fails at the last row."""

    name = "sampler"

    async def respond(self, request):
        if request.row_index == 3:
            raise RuntimeError("no answer")
        first = request.turn == 0
        message = call_message("look", number=request.row["number"]) if first else {"content": "Done."}
        return Turn({"role": "assistant", **message}, token_ids=[request.turn, 7], logprobs=[-0.5, -0.25])


def again(loaded, episodes, rollout=None):
    async def main():
        return [episode async for episode in score_again(loaded, episodes, rollout)]

    return sorted(asyncio.run(main()), key=lambda episode: episode.row_index)


@pytest.fixture
def played(monkeypatch):
    """The environment, with its judge back, and the episodes so far."""
    monkeypatch.setattr(Judged, "away", True)
    loaded = load(Judged)
    rows = loaded.rows("all")

    async def main():
        return [episode async for episode in rollouts(loaded, rows, Rollout(Sampler()), jobs_for(rows))]

    episodes = sorted(asyncio.run(main()), key=lambda episode: episode.row_index)
    monkeypatch.setattr(Judged, "away", False)
    return loaded, episodes


def test_what_a_judge_failed_at_is_scored_with_its_tokens_and_the_rest_stays(played):
    loaded, before = played
    assert [episode.reward for episode in before] == [1.0, None, 1.0, None]
    after = again(loaded, before)
    assert [episode.reward for episode in after] == [1.0, 1.0, 1.0, None]
    assert [(one.messages, one.token_ids, one.logprobs) for one in after] == [
        (one.messages, one.token_ids, one.logprobs) for one in before
    ]
    assert after[1].token_ids == [[0, 7], [1, 7]]
    assert after[3] is before[3]


def test_a_part_of_an_evaluation_is_scored_again_by_its_own_environment():
    found = evaluate(Countdown, "gold", split="all", rows=4).episodes
    assert [(one.row_index, one.reward) for one in again(load(Countdown), found[1:3])] == [(1, 1.0), (2, 1.0)]
    with pytest.raises(UsageError, match=r"An episode is of .*Countdown"):
        again(load(Guess), found)


def test_two_episodes_of_one_place_are_refused(played):
    loaded, before = played
    with pytest.raises(UsageError, match="2 episodes are of row 0, sample 0"):
        again(loaded, [before[0], before[0]])


def test_rows_without_their_images_are_refused(played):
    loaded, before = played
    shown = replace(before[0], row=before[0].row | {"image": {"$": "image", "sha256": "a" * 64}})
    with pytest.raises(UsageError, match=r"episodes\(images=True\)"):
        again(loaded, [shown])


def test_what_cannot_be_replayed_is_not_scored_again():
    class Sends(Guess):
        replayable = False

    with pytest.raises(UsageError, match="cannot be replayed"):
        again(load(Sends), [])
