"""A small scheduler as an engine: every request that runs gets a token a step, and is drawn with its seed."""

import random
from dataclasses import dataclass, field

from grpo_env_trl.writers.engine import Completed


@dataclass
class StepEngine:
    """`says(ask, rng)` gives the tokens of a turn; `at_step(engine)` is called before each step."""

    says: object
    at_step: object = lambda engine: None
    open: dict = field(default_factory=dict)
    asked: list = field(default_factory=list)
    aborted: list = field(default_factory=list)
    steps: int = 0

    def add(self, key, ask):
        self.asked.append(ask)
        left = self.says(ask, random.Random(ask.seed))[: ask.most]
        self.open[key] = (left, len(left), len(ask.context) // 2)

    def step(self):
        assert self.open, "a step without requests"
        self.at_step(self)
        self.steps += 1
        done = []
        for key, (ids, left, cached) in list(self.open.items()):
            self.open[key] = (ids, left - 1, cached)
            if left <= 1:
                del self.open[key]
                done.append(Completed(key, ids, [-float(token) for token in ids], cached))
        return done

    def abort(self, keys):
        for key in keys:
            self.aborted.append(key)
            self.open.pop(key, None)
