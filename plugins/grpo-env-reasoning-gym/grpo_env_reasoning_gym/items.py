"""The items of one reasoning-gym dataset: drawn, scored, and what is gold for them, each with isolated global state."""

import json
from dataclasses import dataclass
from typing import Any

from grpo_env_sdk.errors import EnvironmentFailedError
from grpo_env_sdk.isolation.global_state import IsolatedGlobalState
from grpo_env_sdk.isolation.tracebacks import describe_error

Item = dict[str, Any]
EXAMPLES = ("example_answer", "example_correct_answer", "possible_answer")
"""Where the metadata of some datasets has a right answer, as many are right and `answer` is None."""


@dataclass(frozen=True)
class Items:
    """A dataset of reasoning-gym under its name."""

    name: str
    dataset: Any

    def __len__(self) -> int:
        return len(self.dataset)

    def draw(self, index: int) -> Item:
        """The item that stands at `index`, checked to have a question."""
        try:
            with IsolatedGlobalState(self._seed_of(index)).inside():
                item = self.dataset[index]
            question = item["question"]
            item["answer"], item["metadata"]  # a KeyError is told as what it is
        except Exception as exc:
            raise EnvironmentFailedError(
                f"{self.name} of reasoning-gym could not make item {index}: {describe_error(exc)}.",
                "Give it another seed or other parameters.",
            ) from exc
        if not isinstance(question, str) or not question.strip():
            raise EnvironmentFailedError(
                f"{self.name} of reasoning-gym made an item {index} whose question is {question!r:.80}.",
                "Give it another seed or other parameters.",
            )
        return dict(item)

    def score(self, answer: str, item: Item, index: int) -> Any:
        """What the dataset's own scorer says; what it raises is the episode's error."""
        with IsolatedGlobalState(self._seed_of(index)).inside():
            return self.dataset.score_answer(answer, item)

    def _seed_of(self, index: int) -> int:
        return int(self.dataset.seed) + index


def gold_of(item: Item) -> str | None:
    """A right answer as text: the official one, or an example of one; None where the dataset tells of none."""
    if isinstance(item["answer"], str):
        return item["answer"]
    examples = (item["metadata"].get(key) for key in EXAMPLES)
    example = next((found for found in examples if found is not None), None)
    return example if example is None or isinstance(example, str) else json.dumps(example)
