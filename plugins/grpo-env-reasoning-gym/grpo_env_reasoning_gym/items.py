"""The items of one reasoning-gym dataset, drawn and scored with isolated global state, and their gold answers."""

import json
from dataclasses import dataclass
from typing import Any

from grpo_env_sdk.ext import EnvironmentFailedError, IsolatedGlobalState, describe_error

Item = dict[str, Any]
EXAMPLES = ("example_answer", "example_correct_answer", "possible_answer")
"""Where a dataset's metadata has an example of a right answer, if many are right and `answer` is None."""


@dataclass(frozen=True)
class Items:
    """A dataset of reasoning-gym, and its name."""

    name: str
    dataset: Any

    def __len__(self) -> int:
        return len(self.dataset)

    def draw(self, index: int) -> Item:
        """The item at `index`; an error if it has no question."""
        try:
            with IsolatedGlobalState(self._seed_of(index)).inside():
                item = self.dataset[index]
            question = item["question"]
            item["answer"], item["metadata"]  # a KeyError is reported below
        except Exception as exc:
            raise EnvironmentFailedError(
                f"{self.name} of reasoning-gym could not create item {index}: {describe_error(exc)}.",
                "Use another seed or other parameters.",
            ) from exc
        if not isinstance(question, str) or not question.strip():
            raise EnvironmentFailedError(
                f"{self.name} of reasoning-gym created an item {index} whose question is {question!r:.80}.",
                "Use another seed or other parameters.",
            )
        return dict(item)

    def score(self, answer: str, item: Item, index: int) -> Any:
        """The dataset's own score; an exception becomes the episode's error."""
        with IsolatedGlobalState(self._seed_of(index)).inside():
            return self.dataset.score_answer(answer, item)

    def _seed_of(self, index: int) -> int:
        return int(self.dataset.seed) + index


def gold_of(item: Item) -> str | None:
    """A right answer as text: the dataset's own, or an example from its metadata; None if it has neither."""
    if isinstance(item["answer"], str):
        return item["answer"]
    examples = (item["metadata"].get(key) for key in EXAMPLES)
    example = next((found for found in examples if found is not None), None)
    return example if example is None or isinstance(example, str) else json.dumps(example)
