"""`ReasoningGymEnv`: the rows, the reward and the gold answers of one dataset."""

import warnings
from collections.abc import Mapping
from typing import Any, ClassVar

from grpo_env_reasoning_gym.items import Item, Items, gold_of
from grpo_env_reasoning_gym.packing import packed, unpacked
from grpo_env_reasoning_gym.parameters import make_config
from grpo_env_reasoning_gym.replies import PLACES, REPLIES, AnswerIn
from grpo_env_sdk import GrpoEnvWarning, Message, Row, SingleTurnEnv, answer_text, metric, reward
from grpo_env_sdk.ext import ConfigError, EnvironmentFailedError

APART = 100_000
"""The distance between reasoning-gym's seeds of two `seed`s: item 1 of its seed 0 is item 0 of its seed 1."""
MANY = 10
"""If more than one item in so many repeats a question, a note says so."""
LAST_SEED = 2**32 // APART - 1
"""numpy takes no seed beyond 32 bits."""


class ReasoningGymEnv(SingleTurnEnv):
    """One dataset of reasoning-gym; a subclass for each is in `grpo_env_reasoning_gym.datasets`.

    Args:
        size: How many items to draw; repeated questions are left out.
        seed: Which items; two seeds have no random item in common.
        answer_in: Where the answer is in a reply: between tags, after the last `Answer:`, or the whole reply.
        level: A level of the dataset's curriculum, from 0; None is the dataset's own default config.
        levels: Levels of single attributes of the curriculum, on top of `level`.
        parameters: The dataset's own parameters, on top of the levels.
    """

    dataset: ClassVar[str]
    parallel = False  # a dataset's scorer may keep state

    def __init__(
        self,
        size: int = 200,
        seed: int = 0,
        answer_in: AnswerIn = "tags",
        level: int | None = None,
        levels: Mapping[str, int] | None = None,
        **parameters: Any,
    ) -> None:
        from reasoning_gym.factory import DATASETS

        _check_between("size", size, 1, APART)
        _check_between("seed", seed, 0, LAST_SEED)
        if answer_in not in PLACES:
            raise ConfigError(f"answer_in is {answer_in!r}.", f"It can be {', '.join(PLACES)}.")
        config = make_config(self.dataset, level, levels, parameters, size=size, seed=seed * APART)
        self.items = Items(self.dataset, DATASETS[self.dataset][0](config))
        self.replies = REPLIES[answer_in]
        if gold_of(self.items.draw(0)) is None:
            self.solve = None  # type: ignore[method-assign,assignment]  # no gold solution

    def build_dataset(self, tokenizer: Any) -> list[Row]:
        """A row for each question, with everything that scoring needs."""
        found: dict[str, Row] = {}
        for index in range(len(self.items)):
            item = self.items.draw(index)
            found.setdefault(item["question"], self._row(index, item))
        repeats = len(self.items) - len(found)
        if repeats * MANY > len(self.items):
            told = f"{self.dataset}: {repeats} of {len(self.items)} items repeat a question, and are left out."
            warnings.warn(told, GrpoEnvWarning, stacklevel=2)
        return list(found.values())

    @reward
    def task_score(self, messages: list[Message], row: Row) -> float:
        """The dataset's own score of the answer; 0 if the reply has no answer."""
        answer = self.replies.find(answer_text(messages))
        if answer is None:
            return 0.0
        return self.items.score(answer, self._item_of(row), row["item_index"])  # type: ignore[no-any-return]  # checked by the SDK

    @metric
    def answered(self, messages: list[Message]) -> float:
        """Whether the reply has an answer where the prompt asks for it."""
        return float(self.replies.find(answer_text(messages)) is not None)

    def solve(self, row: Row) -> str:
        """The dataset's own answer, written as the prompt asks for it."""
        return self.replies.written(row["answer"] or "")

    def _row(self, index: int, item: Item) -> Row:
        try:
            text = packed(item)
        except TypeError:  # it cannot be written as text, and is drawn again to be scored
            text = ""
        return {"prompt": self._prompt(item), "answer": gold_of(item), "item": text, "item_index": index}

    def _prompt(self, item: Item) -> list[Message]:
        return [{"role": "user", "content": f"{item['question'].rstrip()}\n\n{self.replies.asked_for}"}]

    def _item_of(self, row: Row) -> Item:
        """The item in a row, or else the same item drawn again."""
        if row["item"]:
            return unpacked(row["item"])  # type: ignore[no-any-return]  # an item was packed
        item = self.items.draw(row["item_index"])
        if self._prompt(item) != row["prompt"]:
            raise EnvironmentFailedError(
                f"{self.dataset} creates another item {row['item_index']} than when this row was built.",
                "Score with the same config and the same release of reasoning-gym as the row.",
            )
        return item


def _check_between(name: str, value: int, low: int, high: int) -> None:
    if not low <= value <= high:
        raise ConfigError(f"{name} is {value}.", f"Give a whole number from {low} to {high}.")
