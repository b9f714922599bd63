import asyncio
import math
import queue
import time

import numpy
import pytest
from asynchronous.on_cpu import Copy, Silent, config
from environments import Chat, Errands, Letters, Parts

from grpo_env_sdk.errors import EnvironmentFailedError, UsageError
from grpo_env_trl.asynchronous.async_kwargs import async_trainer_kwargs
from grpo_env_trl.writers.writer import Written

ENOUGH = 60.0


def worker_of(env, tiny, folder, source=None, most=4, skip=(), **changes):
    """A worker on an environment, with turns sampled from a copy of the tiny model."""
    model, tokenizer = tiny()
    args = config(folder, max_inflight_tasks=most, **changes.pop("args", {}))
    given = async_trainer_kwargs(env, tokenizer, args=args, source=source or Copy(model), **changes)
    worker = given["rollout_worker"]
    given["callbacks"][0].on_init_end(args, None, None, model)
    worker.skip = set(skip)
    return worker


def begun(worker):
    """Let it play, as the trainer does."""
    worker.start()
    worker.begin()


def taken(worker, count):
    """The first so many samples that it hands over."""
    begun(worker)
    try:
        return [worker.rollout_buffer.get(timeout=ENOUGH) for _ in range(count)]
    finally:
        worker.stop()


def checked_until_it_raises(worker, stale_after=ENOUGH):
    """Ask whether it is well, as the trainer does while it waits."""
    deadline = time.monotonic() + ENOUGH
    while time.monotonic() < deadline:
        worker.check_health(stale_after)
        time.sleep(0.05)


def sent(samples):
    """What of the samples has to be equal in equal trainings."""
    found = [(one.group_id, one.prompt, one.input_ids.tolist(), one.old_log_probs.tolist()) for one in samples]
    return sorted(found, key=str)


def test_a_sample_has_the_whole_context_and_counts_what_was_sampled(tiny, tmp_path):
    for one in taken(worker_of(Chat, tiny, tmp_path), 4):
        assert len(one.input_ids) == len(one.completion_mask) == len(one.old_log_probs)
        assert not one.completion_mask[0]
        assert one.completion_mask.any()
        assert all(
            logprob == 0 for logprob, counts in zip(one.old_log_probs, one.completion_mask, strict=True) if not counts
        )
        assert {"reward", "reward_std"} <= one.metrics.keys()
        assert [message["role"] for message in one.prompt] == ["user"]
        assert one.completion[0]["role"] == "assistant"


def test_equal_seeds_play_equal_groups_in_an_order_of_each_epoch(tiny, tmp_path):
    once = taken(worker_of(Letters, tiny, tmp_path / "a"), 8)
    again = taken(worker_of(Letters, tiny, tmp_path / "b"), 8)
    assert sent(once) == sent(again)
    assert [one.group_id for one in once] == [0, 0, 1, 1, 2, 2, 3, 3]
    other = taken(worker_of(Letters, tiny, tmp_path / "c", args={"seed": 5}), 8)
    assert sent(other) != sent(once)


def test_groups_that_were_trained_already_are_left_out(tiny, tmp_path):
    samples = taken(worker_of(Letters, tiny, tmp_path, skip={0, 2}), 4)
    assert {one.group_id for one in samples} == {1, 3}


def test_episodes_without_a_score_are_in_no_sample(tiny, tmp_path):
    worker = worker_of(Errands, tiny, tmp_path, config={"fails": ("reset", "")})
    samples = taken(worker, 4)
    places = {int(one.prompt[-1]["content"].split()[1].rstrip(":")) for one in samples}
    assert all(place % 2 for place in places)


class Failing(Copy):
    """A copy whose arithmetic failed at the first token of each turn."""

    def __init__(self, model):
        super().__init__(model)
        self.written = set()

    async def write(self, ask):
        """The tokens of one turn."""
        written = await super().write(ask)
        self.written.add(tuple(written.ids))
        return Written(written.ids, [math.nan, *written.logprobs[1:]])


def test_a_token_without_a_log_probability_is_not_trained(tiny, tmp_path):
    source = Failing(tiny()[0])
    for one in taken(worker_of(Letters, tiny, tmp_path, source=source), 4):
        assert numpy.isfinite(one.old_log_probs).all()
        trained = one.completion_mask.argmax()
        assert one.completion_mask[trained:].all()
        assert tuple(one.input_ids[trained - 1 :].tolist()) in source.written


def test_no_more_is_played_than_can_be_trained_before_it_is_stale(tiny, tmp_path):
    ended = []
    worker = worker_of(Letters, tiny, tmp_path, most=2, seen=lambda batch: ended.append(batch))
    begun(worker)
    try:
        deadline = time.monotonic() + ENOUGH
        while worker.rollout_buffer.qsize() < 2 and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(0.3)
        assert len(ended) == 1  # until the trainer takes something
        worker.rollout_buffer.get()
        while len(ended) < 2 and time.monotonic() < deadline:
            time.sleep(0.05)
        assert len(ended) == 2
    finally:
        worker.stop()


def test_stopping_ends_episodes_whose_turn_never_comes(tiny, tmp_path):
    worker = worker_of(Chat, tiny, tmp_path, source=Silent(tiny()[0]))
    begun(worker)
    with pytest.raises(queue.Empty):
        worker.rollout_buffer.get(timeout=0.3)
    worker.check_health(ENOUGH)
    worker.stop()
    assert worker.rollout_buffer.empty()


def test_what_ends_the_episodes_reaches_the_trainer(tiny, tmp_path):
    worker = worker_of(Errands, tiny, tmp_path, config={"fails": ("reset",)}, stop_after=4)
    begun(worker)
    try:
        with pytest.raises(EnvironmentFailedError, match="no office today"):
            checked_until_it_raises(worker)
    finally:
        worker.stop()


class Blocked(Copy):
    """A source that holds the event loop, as one does that forgets to await."""

    async def write(self, ask):
        """Hold it for a while."""
        time.sleep(2.0)
        await asyncio.sleep(ENOUGH)


def test_an_event_loop_that_no_longer_answers_is_named(tiny, tmp_path):
    worker = worker_of(Letters, tiny, tmp_path, source=Blocked(tiny()[0]))
    begun(worker)
    try:
        with pytest.raises(EnvironmentFailedError, match="has not answered"):
            checked_until_it_raises(worker, stale_after=0.5)
    finally:
        worker.stop()


def test_a_scorer_that_uses_the_model_is_refused(tiny, tmp_path):
    class Judge(Letters):
        uses_model = True

    with pytest.raises(UsageError, match="trains meanwhile"):
        worker_of(Judge, tiny, tmp_path)


def test_groups_are_of_each_environment_by_weight_and_so_are_metrics(tiny, tmp_path):
    worker = worker_of({Chat: 2, Parts: 1}, tiny, tmp_path)
    samples = taken(worker, 12)
    names = [member.name for member in worker.members]
    played = [names[worker.groups.of(number)[0]] for number in range(6)]
    assert [played.count(name) for name in names] == [4, 2]
    by_group = {one.group_id: one for one in samples}
    assert {played[number] for number in by_group if number < 6} == set(names)
    assert all(one.metrics.keys() == {"reward", "reward_std"} for one in samples)
    metrics = worker.metrics_queue.get_nowait()
    for name in names:
        assert {f"env/{name}/reward", f"env/{name}/episodes/turns"} <= metrics.keys()
    assert {f"env/{names[1]}/rewards/often", f"env/{names[1]}/metrics/length", "episodes/turns"} <= metrics.keys()
    assert "env/length" not in metrics
    with pytest.raises(queue.Empty):
        worker.metrics_queue.get_nowait()


def test_a_share_is_of_all_episodes_that_ended(tiny, tmp_path):
    batches = []
    worker = worker_of(Errands, tiny, tmp_path, config={"fails": ("reset", "")}, seen=batches.append)
    taken(worker, 12)
    metrics = worker.metrics_queue.get_nowait()
    failed = [episode.error is not None for batch in batches for episode in batch.episodes]
    assert 0 < metrics["episodes/failed"] < 1
    assert metrics["failed/reset/OSError"] == metrics["episodes/failed"] == pytest.approx(sum(failed) / len(failed))
    assert sum(value for name, value in metrics.items() if name.startswith("stop/")) == pytest.approx(1.0)


def test_weights_that_count_steps_want_steps_of_one_size(tiny, tmp_path):
    moving = {Chat: "1@0,0@2", Parts: "0@0,1@2"}
    with pytest.raises(UsageError, match=r"1@0,0@2 counts steps.*--token-budget 0"):
        worker_of(moving, tiny, tmp_path)
    worker = worker_of(moving, tiny, tmp_path, args={"token_budget": 0})  # four episodes a step, two in a group
    assert [worker.groups.of(number)[0] for number in range(6)] == [0, 0, 0, 0, 1, 1]


class Closes(Letters):
    """Scores some answers, and then none."""

    def score_episode(self, model, tokenizer, completion, place):
        if len(self.scored) == 4:
            raise ConnectionError("the judge has gone home")
        return super().score_episode(model, tokenizer, completion, place)


def test_episodes_that_are_not_scored_any_more_end_the_training(tiny, tmp_path):
    worker = worker_of(Closes, tiny, tmp_path, stop_after=6, most=20)
    begun(worker)
    try:
        with pytest.raises(EnvironmentFailedError, match=r"none of the last 6 episodes .*gone home"):
            checked_until_it_raises(worker)
    finally:
        worker.stop()
    assert worker.rollout_buffer.qsize() == 4


class Overflown(Copy):
    """A copy whose arithmetic fails at every token, from the second group on."""

    async def write(self, ask):
        """The tokens of one turn."""
        written = await super().write(ask)
        return Written(written.ids, [math.nan] * len(written.ids)) if len(self.at) > 2 else written


def test_turns_without_any_log_probability_end_the_training_and_are_not_handed_over(tiny, tmp_path):
    """TRL fails with a traceback on a sample without a token to train on."""
    worker = worker_of(Letters, tiny, tmp_path, source=Overflown(tiny()[0]), stop_after=6, most=20)
    begun(worker)
    worker.step = 7
    try:
        with pytest.raises(EnvironmentFailedError, match=r"After step 7 .* NaN .*--learning-rate.*--dtype") as raised:
            checked_until_it_raises(worker)
    finally:
        worker.stop()
    assert ".." not in str(raised.value)
    handed = [worker.rollout_buffer.get() for _ in range(worker.rollout_buffer.qsize())]
    assert all(sample.completion_mask.any() for sample in handed)
