"""The warm start: a short imitation of demonstrations, on what the assistant says alone."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.types import Message

_WARMUP, _BATCH = 20, 32
_LEARNING_RATE = 8e-3


@dataclass(frozen=True)
class Lesson:
    """Conversations as the model reads them, each token marked 1 where the assistant said it."""

    ids: list[list[int]]
    said: list[list[int]]

    @property
    def longest_turn(self) -> int:
        """How many tokens the assistant said in one go at most."""
        return max(len(run) for mask in self.said for run in "".join(map(str, mask)).split("0"))


def lesson_of(
    conversations: Sequence[Sequence[Message]], tools: list[dict[str, Any]], tokenizer: Any, most: int
) -> Lesson:
    """The conversations of at most so many tokens."""
    read = tokenizer.apply_chat_template(
        list(conversations), tools=tools or None, return_dict=True, return_assistant_tokens_mask=True
    )
    pairs = zip(read["input_ids"], read["assistant_masks"], strict=True)
    fitting = [(ids, said) for ids, said in pairs if len(ids) <= most]
    if not fitting:
        raise UsageError(
            f"Every episode of `solve` is longer than the {most} tokens that the demo model reads.",
            "Take a model with --model.",
        )
    return Lesson([ids for ids, _ in fitting], [said for _, said in fitting])


def imitate(model: Any, lesson: Lesson, seed: int, progress: Callable[[int, int], None], steps: int = 200) -> None:
    """Train the model to say what the assistant says in a lesson."""
    import torch
    from torch.nn.functional import cross_entropy
    from transformers import get_cosine_schedule_with_warmup

    optimizer = torch.optim.AdamW(model.parameters(), lr=_LEARNING_RATE, betas=(0.9, 0.98), weight_decay=0.0)
    schedule = get_cosine_schedule_with_warmup(optimizer, _WARMUP, steps)
    order = torch.Generator().manual_seed(seed)
    model.train()
    for step in range(steps):
        chosen = torch.randint(len(lesson.ids), (_BATCH,), generator=order).tolist()
        ids = _padded([lesson.ids[index] for index in chosen], model.config.pad_token_id)
        said = _padded([lesson.said[index] for index in chosen], 0)[:, 1:].bool()
        logits = model(ids, use_cache=False).logits[:, :-1]  # padded on the right, where nothing looks
        cross_entropy(logits[said], ids[:, 1:][said]).backward()  # type: ignore[no-untyped-call]  # torch leaves it so
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        schedule.step()
        progress(step + 1, steps)
    model.eval()


def _padded(rows: Sequence[Sequence[int]], filler: int) -> Any:
    import torch

    return torch.nn.utils.rnn.pad_sequence([torch.tensor(row) for row in rows], True, filler)
