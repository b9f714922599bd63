"""A batch that is larger than what the environment plays at once."""

import pytest
from environments import Errands
from scripted import ScriptedTrainer, StandIn, calls, config, tokens, written

from grpo_env_sdk import Limits, load
from grpo_env_sdk.errors import UsageError
from grpo_env_trl.bridges.batch_player import BatchPlayer
from grpo_env_trl.bridges.trainer_kwargs import trainer_kwargs
from grpo_env_trl.live_episodes import at_once
from tests.sessions import MOST, Sessions, session_server


@pytest.fixture
def server():
    with session_server() as running:
        yield running


def pressing(tokenizer):
    """A script that presses key 3 and then says so."""
    called, said = tokens(tokenizer, written(tokenizer, calls(("press", {"key": 3})))), tokens(tokenizer, "Done.")

    def script(context, most):
        return said if "pressed" in tokenizer.decode(context) else called

    return script


def test_two_steps_with_a_larger_batch_never_meet_a_full_server(tiny, tmp_path, server):
    model, tokenizer = tiny()
    batches = []
    args = config(tmp_path, per_device_train_batch_size=20, max_completion_length=200, max_steps=2)
    kwargs = trainer_kwargs(Sessions, tokenizer, args=args, config={"url": server.url}, seen=batches.append)
    ScriptedTrainer(model, script=pressing(tokenizer), **kwargs).train()
    episodes = [episode for batch in batches for episode in batch.episodes]
    assert len(episodes) == 40
    assert all(episode.error is None and episode.tool_calls for episode in episodes)
    assert (server.refused, server.most, server.sessions) == (0, MOST, set())


def test_rounds_are_as_full_as_the_limit_allows_and_the_same_each_time(tiny, tmp_path, server):
    model, tokenizer = tiny()
    kwargs = trainer_kwargs(
        Sessions, tokenizer, args=config(tmp_path), bridge="rollout", config={"url": server.url}
    )  # fmt: skip
    prompts, bridge = kwargs["train_dataset"]["prompt"][:20], kwargs["rollout_func"]
    trainers = [StandIn(model, tokenizer, pressing(tokenizer)) for _ in range(2)]
    columns = [bridge(prompts, trainer) for trainer in trainers]
    sizes = [[len(round_) for round_ in trainer.spoken.contexts] for trainer in trainers]
    assert sizes[0] == sizes[1] == [8, 8, 8, 8, 4, 4]
    assert columns[0]["completion_ids"] == columns[1]["completion_ids"]
    assert [one.row["key"] for one in columns[0]["episode"]] == [
        int(one[0]["content"].split()[2][:-1]) for one in prompts
    ]


def test_processes_that_train_together_share_the_limit(server, monkeypatch):
    loaded = load(Sessions, {"url": server.url})
    monkeypatch.setenv("WORLD_SIZE", "3")
    assert (at_once(loaded, 20), at_once(loaded, 1)) == (2, 1)
    monkeypatch.setenv("WORLD_SIZE", "9")
    with pytest.raises(UsageError, match=r"at most 8 episodes at once \(max_live\), and 9 processes train"):
        BatchPlayer(loaded, [loaded.rows()], Limits())


def test_the_loop_of_trl_that_plays_whole_batches_is_refused(tiny, tmp_path):
    limited = type("Limited", (Errands,), {"max_live": 8})
    with pytest.raises(UsageError, match="at most 8 episodes at once"):
        trainer_kwargs(limited, tiny()[1], args=config(tmp_path), bridge="environment_factory")
