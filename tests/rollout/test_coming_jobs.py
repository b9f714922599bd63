"""Jobs that an async iterable gives: from a queue, or chosen by the episodes so far."""

import asyncio
from contextlib import aclosing

import pytest

from grpo_env_sdk import load
from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.policies import make_policy
from grpo_env_sdk.rollout.driver import Rollout
from grpo_env_sdk.rollout.host import Job
from grpo_env_sdk.rollout.in_threads import rollouts
from tests.environments import Guess


def rolled(jobs, concurrency=2, split="all"):
    loaded = load(Guess)
    return rollouts(loaded, loaded.rows(split), Rollout(make_policy("gold"), concurrency=concurrency), jobs)


def test_a_curriculum_chooses_the_next_row_by_the_episodes_so_far():
    async def main():
        ended: asyncio.Queue[int] = asyncio.Queue()

        async def jobs():
            yield Job(0)
            for _ in range(3):
                yield Job(await ended.get() + 2)

        rows = []
        async for episode in rolled(jobs()):
            rows.append(episode.row_index)
            await ended.put(episode.row_index)
        return rows

    assert asyncio.run(main()) == [0, 2, 4, 6]


def test_no_more_jobs_are_asked_for_than_there_are_slots():
    async def main():
        asked = []

        async def jobs():
            for row in range(6):
                asked.append(row)
                yield Job(row)

        async with aclosing(rolled(jobs())) as episodes:
            await anext(episodes)
        return asked

    assert len(asyncio.run(main())) <= 2


def test_closing_the_iterator_ends_the_wait_for_a_job():
    async def main():
        ended = []

        async def jobs():
            yield Job(0)
            try:
                await asyncio.Event().wait()
            finally:
                ended.append("jobs")

        async with aclosing(rolled(jobs())) as episodes:
            await anext(episodes)
        return ended

    assert asyncio.run(main()) == ["jobs"]


def test_closing_the_iterator_closes_a_generator_that_has_more_jobs():
    async def main():
        ended = []

        async def jobs():
            try:
                for row in range(6):
                    yield Job(row)
            finally:
                ended.append("jobs")

        source = jobs()
        async with aclosing(rolled(source, concurrency=1)) as episodes:
            await anext(episodes)
        return list(ended)

    assert asyncio.run(main()) == ["jobs"]


def test_what_the_source_of_jobs_raises_ends_the_run():
    async def jobs():
        yield Job(0)
        raise ConnectionError("the queue is gone")

    async def main():
        return [episode async for episode in rolled(jobs())]

    with pytest.raises(ConnectionError, match="the queue is gone"):
        asyncio.run(main())


def test_a_job_of_a_row_that_is_not_among_these_is_refused_before_any_plays():
    async def main():
        return [episode async for episode in rolled([Job(held_out, number) for number in (0, 1)], split="train")]

    held_out = load(Guess).rows("test").indices[0]
    with pytest.raises(UsageError, match=rf"Not among these \d+ rows: {held_out}\..*'all'"):
        asyncio.run(main())


def test_so_is_one_that_comes_later():
    async def jobs():
        yield Job(train)
        yield Job(held_out)

    async def main():
        async for episode in rolled(jobs(), concurrency=1, split="train"):
            ended.append(episode.row_index)

    ended, (train, held_out) = [], (load(Guess).rows(split).indices[0] for split in ("train", "test"))
    with pytest.raises(UsageError, match=rf"Not among these \d+ rows: {held_out}\."):
        asyncio.run(main())
    assert ended == [train]
