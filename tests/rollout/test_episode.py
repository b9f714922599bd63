import pytest

from grpo_env_sdk import EnvSpec, Episode, ToolCall, call_message
from grpo_env_sdk.envs.description import EnvDescription
from grpo_env_sdk.envs.traits import Traits
from grpo_env_sdk.errors import EpisodeOverError
from grpo_env_sdk.rewards.score_rule import RewardPart, ScoreRule
from grpo_env_sdk.rollout.commands import (
    Done,
    Exhausted,
    Failed,
    Generate,
    Generated,
    Limits,
    Opened,
    Reset,
    RunTools,
    Scored,
    ScoreEpisode,
    Step,
    Stepped,
    ToolsRan,
)
from grpo_env_sdk.rollout.episode import LiveEpisode
from grpo_env_sdk.types import STOP_REASONS, Fault, ToolOutcome, Turn

ROW = {"prompt": "Go.", "case_idx": 3}
SAID = Generated(Turn({"content": "done"}, completion_tokens=4, prompt_tokens=9), seconds=0.5)
CALLED = Generated(Turn(call_message("look", at="x"), completion_tokens=5))


def described(kind="tools"):
    """An environment with two parts of equal weight."""
    traits = Traits(
        kind, runs_tools="none", instances="copied", parallel=True, uses_model=False, replayable=True,
        reward_range=(0.0, 1.0), max_turns=10, solvable=False,
    )  # fmt: skip
    rule = ScoreRule((RewardPart("part"), RewardPart("other")))
    return EnvDescription(EnvSpec("toy-v1", "toy:Toy"), traits, [], rule)


def begun(kind="tools", **limits):
    episode = LiveEpisode(described(kind), ROW, limits=Limits(**limits), row_index=3)
    assert isinstance(episode.start(), Reset)
    assert isinstance(episode.feed(Opened()), Generate)
    return episode


def ran(command: RunTools):
    return ToolsRan([ToolOutcome(call, "ok") for call in command.calls])


def end(episode, command) -> Episode:
    assert isinstance(command, ScoreEpisode)
    done = episode.feed(Scored([1.0, 0.0], seconds=0.1))
    assert isinstance(done, Done)
    return done.episode


def fault(whose="environment"):
    return Fault(whose, "step", "ValueError", "no")


def terminated():
    episode = begun("single-turn")
    return end(episode, episode.feed(SAID))


def truncated():
    episode = begun("multi-turn")
    assert isinstance(episode.feed(SAID), Step)
    return end(episode, episode.feed(Stepped("", 0.25, False, True)))


def max_turns():
    episode = begun(turns=2)
    assert isinstance(episode.feed(ran(episode.feed(CALLED))), Generate)
    return end(episode, episode.feed(ran(episode.feed(CALLED))))


def max_tool_calls():
    episode = begun(tool_calls=1)
    episode.feed(ran(episode.feed(CALLED)))
    return end(episode, episode.feed(CALLED))


def max_tokens():
    episode = begun(tokens=5)
    return end(episode, episode.feed(ran(episode.feed(CALLED))))


def length():
    episode = begun()
    cut = Generated(Turn(call_message("look", at="x"), finish_reason="length"))
    return end(episode, episode.feed(cut))


def failed(reason):
    def run():
        episode = begun()
        return episode.feed(Failed(reason, fault())).episode

    return run


ENDINGS = {
    "terminated": terminated, "truncated": truncated, "max_turns": max_turns, "max_tool_calls": max_tool_calls,
    "max_tokens": max_tokens, "length": length, "timeout": failed("timeout"), "env_error": failed("env_error"),
    "policy_error": failed("policy_error"), "user_error": failed("user_error"), "cancelled": failed("cancelled"),
}  # fmt: skip


@pytest.mark.parametrize("reason", STOP_REASONS)
def test_every_stop_reason_is_reached_by_plain_data(reason):
    episode = ENDINGS[reason]()
    assert episode.stop_reason == reason
    assert episode.scored == (episode.reward is not None) == (episode.error is None)
    assert Episode.from_json(episode.as_json()) == episode


def test_the_record_adds_up_what_happened():
    episode = begun(turns=3)
    episode.feed(ran(episode.feed(CALLED)))
    record = end(episode, episode.feed(SAID))
    assert [message["role"] for message in record.messages] == ["user", "assistant", "tool", "assistant"]
    assert (record.opening, record.turns, record.row_index) == (1, 2, 3)
    assert record.usage == {"completion_tokens": 9, "prompt_tokens": 9}
    assert record.timings == {"policy": 0.5, "tools": 0.0, "environment": 0.0, "score": 0.1}
    assert (record.reward, record.rewards) == (0.5, {"part": 1.0, "other": 0.0})
    assert record.tool_calls[0]["name"] == "look"
    assert record.completion[0]["tool_calls"][0]["id"] == record.completion[1]["tool_call_id"] == "call_0_0"


def test_parallel_calls_of_one_message_are_run_in_their_order():
    calls = [call_message("look", at=place)["tool_calls"][0] for place in "abc"]
    command = begun().feed(Generated(Turn({"content": "", "tool_calls": calls})))
    assert command.calls == [ToolCall(f"call_0_{i}", "look", {"at": place}) for i, place in enumerate("abc")]


def test_a_cut_turn_ends_the_episode_without_running_its_calls():
    assert length().tool_calls == []


def test_calls_of_an_environment_that_runs_none_end_the_turn():
    episode = begun("single-turn")
    assert end(episode, episode.feed(CALLED)).stop_reason == "terminated"


def test_what_the_environment_shows_first_joins_the_prompt():
    episode = LiveEpisode(described("multi-turn"), ROW)
    episode.start()
    assert episode.feed(Opened("Round 1.")).messages == [{"role": "user", "content": "Go.\n\nRound 1."}]


def test_step_rewards_metrics_and_observations_are_kept():
    episode = begun("multi-turn")
    episode.feed(SAID)
    episode.feed(Stepped("Higher.", 0.25, False, False, {"near": 2.0}))
    episode.feed(SAID)
    record = end(episode, episode.feed(Stepped("", 0.5, True, False, {"near": 0.0})))
    assert record.step_rewards == [0.25, 0.5]
    assert record.metrics == {"near": 0.0}
    assert [message["content"] for message in record.completion] == ["done", "Higher.", "done"]


def test_token_ids_are_kept_only_where_every_turn_gave_them():
    def recorded(*turns):
        episode = begun("multi-turn")
        for ids in turns:
            command = episode.feed(Generated(Turn({"content": "x"}, token_ids=ids, logprobs=[-0.5] * len(ids or ()))))
            command = episode.feed(Stepped("on", 0.0, ids is turns[-1], False))
        return end(episode, command)

    assert recorded([1, 2], [3]).token_ids == [[1, 2], [3]]
    assert recorded([1, 2], [3]).logprobs == [[-0.5, -0.5], [-0.5]]
    assert recorded([1, 2], None).token_ids is None


def test_an_event_after_the_end_is_an_error():
    episode = begun()
    episode.feed(Failed("cancelled", fault("sdk")))
    with pytest.raises(EpisodeOverError, match="after the end"):
        episode.feed(SAID)


def test_a_spec_and_an_episode_of_a_later_version_can_be_read():
    assert EnvSpec.from_json({"id": "a-v1", "entry_point": "a:B", "new_key": 1}) == EnvSpec("a-v1", "a:B")
    assert Episode.from_json({**terminated().as_json(), "new_key": 1}) == terminated()


def test_a_message_that_is_none_is_the_policys_error_and_an_observation_the_environments():
    done = begun().feed(Generated(Turn({"role": "user", "content": "me"})))
    assert (done.episode.stop_reason, done.episode.error.whose) == ("policy_error", "policy")
    episode = begun("multi-turn")
    episode.feed(SAID)
    done = episode.feed(Stepped(7, 0.0, False, False))
    assert (done.episode.stop_reason, done.episode.error.whose) == ("env_error", "environment")
    assert "got 7" in done.episode.error.message


def test_an_episode_whose_next_turn_does_not_fit_is_scored_as_it_stands():
    episode = begun()
    assert isinstance(episode.feed(ran(episode.feed(CALLED))), Generate)
    record = end(episode, episode.feed(Exhausted(seconds=0.25)))
    assert (record.stop_reason, record.turns, record.reward) == ("max_tokens", 1, 0.5)
    assert record.timings["policy"] == 0.25
    assert record.messages[-1]["role"] == "tool"
