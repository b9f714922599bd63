"""`SingleTurnEnv`: one answer, judged by named rewards."""

from collections.abc import Sequence
from typing import Any

from grpo_env_sdk.data.messages import assistant_message, prompt_messages
from grpo_env_sdk.envs.source_hash import note_source
from grpo_env_sdk.errors import ContractError
from grpo_env_sdk.isolation.calls.tracebacks import name_of
from grpo_env_sdk.rewards.scorer import Scorer
from grpo_env_sdk.types import Episode, row_seed


class SingleTurnEnv:
    """Write `build_dataset` and `@reward` methods; their weighted sum is the score.

    ```python
    class Sums(SingleTurnEnv):
        rewards = [exact_match("answer", weight=2)]

        def build_dataset(self, tokenizer):
            return [{"prompt": f"{a} + {b} = ?", "answer": str(a + b)} for a in range(9) for b in range(9)]

        @reward
        def short(self, completion):
            return len(completion) < 20
    ```
    """

    rewards: Sequence[Any] = ()
    shared: Any
    """What `open_shared` opened for all episodes of the run, where the class has such a method."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        note_source(cls)

    def build_dataset(self, tokenizer: Any) -> Any:
        """The rows; see `Environment.build_dataset`."""
        raise ContractError(f"{name_of(self)} has no build_dataset.", "Write one that returns rows with a prompt.")

    def score_episode(self, model: Any, tokenizer: Any, completion: Any, /, **columns: Any) -> float | None:
        """The weighted sum of the rewards for one completion."""
        answer = [assistant_message(completion)] if isinstance(completion, str) else list(completion)
        row = {"prompt": completion[:0], **columns}  # empty, and of the completion's kind
        opening = prompt_messages(row["prompt"])
        episode = Episode(
            env=name_of(self), row=row, seed=row_seed(row), messages=[*opening, *answer],
            opening=len(opening), stop_reason="terminated", turns=1,
        )  # fmt: skip
        return Scorer(self).score(episode).value
