import random
from dataclasses import dataclass, field
from typing import Any

import pytest
from reasoning_gym.dataset import ProceduralDataset
from reasoning_gym.factory import DATASETS

from grpo_env_reasoning_gym import datasets


@dataclass
class LittleConfig:
    """What a little dataset takes."""

    words: tuple[str, ...] = ("one", "two")
    seed: int | None = None
    size: int = 500
    unused: list[int] = field(default_factory=list)

    def validate(self):
        assert self.words, "words must not be empty"


class Little(ProceduralDataset):
    """Asks for the length of a word; tests override what they are about."""

    def __init__(self, config):
        super().__init__(config=config, seed=config.seed, size=config.size)

    def __getitem__(self, index) -> dict[str, Any]:
        word = random.Random(self.seed + index).choice(self.config.words) + "x" * index
        return {"question": f"How long is {word}?", "answer": str(len(word)), "metadata": {}}


@pytest.fixture
def little():
    """Registers a dataset as its author would, and gives its environment's class."""
    before = {*DATASETS}

    def register(**members):
        name = f"little_{len(DATASETS)}"
        DATASETS[name] = (type(name, (Little,), members), LittleConfig)
        return getattr(datasets, name)

    yield register
    for name in {*DATASETS} - before:
        del DATASETS[name]
        datasets._made.pop(name, None)


@pytest.fixture
def chat():
    """A completion as a chat model gives it."""
    return lambda text: [{"role": "assistant", "content": text}]
