import asyncio

from grpo_env_judge.verdicts import Verdicts


def test_only_the_newest_verdicts_are_kept():
    asked = []

    async def verdict(number):
        asked.append(number)
        return number / 10

    async def course():
        verdicts = Verdicts(most=2)
        for number in (1, 2, 3, 3, 2, 1):
            assert await verdicts.get(b"%d" % number, lambda number=number: verdict(number)) == number / 10

    asyncio.run(course())
    assert asked == [1, 2, 3, 1]


def test_who_gives_up_leaves_the_others_their_answer():
    async def course():
        verdicts, release = Verdicts(), asyncio.Event()

        async def slow():
            await release.wait()
            return 0.5

        hasty, patient = (asyncio.create_task(verdicts.get(b"x", slow)) for _ in range(2))
        await asyncio.sleep(0)
        hasty.cancel()
        await asyncio.sleep(0)
        release.set()
        return await asyncio.gather(hasty, patient, return_exceptions=True)

    gave_up, answer = asyncio.run(course())
    assert isinstance(gave_up, asyncio.CancelledError)
    assert answer == 0.5


def test_a_verdict_of_0_is_known_too_and_none_is_not():
    asked = []

    async def course():
        verdicts = Verdicts()
        for value in (None, 0.0, 1.0):

            async def ask(value=value):
                asked.append(value)
                return value

            told = await verdicts.get(b"x", ask)
        return told

    assert asyncio.run(course()) == 0.0
    assert asked == [None, 0.0]
