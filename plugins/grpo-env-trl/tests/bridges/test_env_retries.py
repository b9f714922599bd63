"""A step that failed is played again in a training, and the sampled tokens stay."""

import random

from scripted import StandIn, config, tokens

from grpo_env_sdk import Limits
from grpo_env_trl.bridges.trainer_kwargs import trainer_kwargs
from tests.rollout.flaky import CALLS, Flaky


def played(tiny, folder, fails_at, retries):
    """What TRL gets for a batch, how many turns were sampled in each round, and the batch's metrics."""
    CALLS.clear()
    model, tokenizer = tiny()
    batches = []
    kwargs = trainer_kwargs(
        Flaky, tokenizer, args=config(folder), config={"fails_at": fails_at}, seen=batches.append,
        limits=Limits(env_retries=retries), eval_rows=0,
    )  # fmt: skip
    drawn = random.Random(1)
    trainer = StandIn(model, tokenizer, lambda context, most: tokens(tokenizer, drawn.choice(["yes", "no", "well"])))
    columns = kwargs["rollout_func"](kwargs["train_dataset"]["prompt"], trainer)
    return columns, [len(round_) for round_ in trainer.spoken.contexts], batches[0].metrics()


def test_the_sampled_tokens_stay_and_a_metric_counts_the_tries(tiny, tmp_path):
    once, rounds, quiet = played(tiny, tmp_path, "nowhere", 0)
    for fails_at in ("reset", "step"):
        again, rounds_again, counted = played(tiny, tmp_path, fails_at, 1)
        for name in ("prompt_ids", "completion_ids", "env_mask", "logprobs"):
            assert again[name] == once[name]
        assert [episode.reward for episode in again["episode"]] == [episode.reward for episode in once["episode"]]
        assert rounds_again == rounds == [6, 6, 6]
        assert counted["episodes/retried"] == 0.5
        assert counted["episodes/failed"] == 0
    assert "episodes/retried" not in quiet
