"""Small Gymnasium environments, each with one habit that an adapter has to stand."""

import os
import random

import gymnasium
import numpy
from gymnasium import spaces


class Counting(gymnasium.Env):
    """Count to three.

    ## Action Space
    - 0: Wait
    - 1: Count up

    ## Reward
    1 for each number.
    """

    action_space = spaces.Discrete(2)
    observation_space = spaces.Discrete(10)

    def __init__(self, render_mode=None, goal: int = 3, step_size: int = 1):
        self.goal, self.step_size = goal, step_size

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.count = 0
        return self.count, {}

    def step(self, action):
        self.count += int(action) * self.step_size
        return self.count, float(action), self.count >= self.goal, False, {}


class Printing(Counting):
    def step(self, action):
        print("a step is taken")
        return super().step(action)


class Broken(Counting):
    def reset(self, *, seed=None, options=None):
        raise ValueError("the board is gone")


class NeedsDisplay(Counting):
    def __init__(self, render_mode=None):
        if "SUCH_A_DISPLAY" not in os.environ:
            raise RuntimeError("No available video device")


class NotANumber(Counting):
    def step(self, action):
        count, _, terminated, truncated, info = super().step(action)
        return count, float("nan"), terminated, truncated, info


class Endless(Counting):
    def step(self, action):
        return 0, 0.0, False, False, {}


class Dice(Counting):
    """Draws from the random state of the whole process, from both of them."""

    observation_space = spaces.MultiDiscrete([7, 7])

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.count = 0
        return self.thrown(), {}

    def step(self, action):
        self.count += 1
        return self.thrown(), 1.0, self.count == 8, False, {}

    def thrown(self):
        return numpy.array([random.randint(1, 6), numpy.random.randint(1, 7)])


class Spaces(gymnasium.Env):
    """Takes and shows whatever space it is given, and ends when anything was done."""

    def __init__(self, render_mode=None, action=None, observation=None):
        self.action_space = action or spaces.Discrete(2)
        self.observation_space = observation or spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.observation_space.seed(seed)
        return self.observation_space.sample(), {}

    def step(self, action):
        assert self.action_space.contains(action)
        self.done = action
        return self.observation_space.sample(), 1.0, True, False, {}


for game in (Counting, Printing, Broken, NeedsDisplay, NotANumber, Endless, Dice, Spaces):
    limit = None if game is Endless else 20
    gymnasium.register(f"little/{game.__name__}-v0", entry_point=game, max_episode_steps=limit)
