"""Reward functions as people bring them: from modules of their own, in every form."""

import functools

from grpo_env_sdk import reward


def brief(completions, **columns):
    return [1 / (1 + len(str(completion))) for completion in completions]


def named(completions, place):
    """Takes one column, and no `**kwargs`."""
    return [float(number) for number in place]


def documented(completions_ids, **kwargs):
    """As TRL's documentation spells it."""
    return [float(len(ids)) for ids in completions_ids]


async def patient(completions, **columns):
    return [0.5] * len(completions)


class Scaled:
    """An object that is called."""

    def __init__(self, size=2):
        self.size = size

    def __call__(self, completions, **columns):
        return [float(self.size)] * len(completions)


class Patient(Scaled):
    async def __call__(self, completions, **columns):
        return [float(self.size)] * len(completions)


class Needy:
    def __init__(self, url, key):
        self.url = url


def shouting(completions, word, **columns):
    return [float(word in completion) for completion in completions]


tenth = functools.partial(shouting, word="ten")


@reward(weight=0.5)
def short(completion):
    return float(len(completion) < 5)


@reward
async def slow(completion, place):
    return place


number = 3
