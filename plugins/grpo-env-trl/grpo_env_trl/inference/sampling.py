"""Sampling for many contexts in one call, each row with its own settings and seed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from grpo_env_sdk import Message
from grpo_env_sdk.ext import PolicyError


@dataclass
class Answer:
    """One row of a batch: the context, the sampling settings, and then the sampled tokens."""

    context: list[int]
    most: int
    ends: frozenset[int]
    """The tokens that end it."""
    seed: int = 0
    temperature: float = 1.0
    top_p: float = 1.0
    top_k: int = 0
    min_p: float = 0.0
    shown: list[Message] | None = None
    """The transcript, where it has images: those cannot be in `context`."""
    abandoned: Callable[[], bool] = lambda: False
    ids: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)
    """Of each token, as the model has it: before temperature, `top_p`, `top_k` and `min_p`."""


def write_answers(
    model: Any, answers: Sequence[Answer], *, seen: Any = None, never: Sequence[int] = (), device: Any = None,
    **settings: Any,
) -> None:  # fmt: skip
    """Fill in the tokens of every answer; `settings` are more of what `model.generate` takes.

    `seen` has the tensors of the contexts where a processor made them, with pixels. Tokens in `never` are not sampled.
    `device` is where the model computes, if its weights may be elsewhere.
    """
    import torch

    device = device or model.device
    inputs = {name: value.to(device) for name, value in (seen or _padded(answers)).items()}
    choose = _Choose(answers, device, never)
    with torch.no_grad():
        model.generate(
            **inputs, max_new_tokens=max(answer.most for answer in answers),
            do_sample=False, pad_token_id=0, logits_processor=[choose], stopping_criteria=[choose.done], **settings,
        )  # fmt: skip


def _padded(answers: Sequence[Answer]) -> dict[str, Any]:
    """The contexts as tensors, padded on the left."""
    import torch

    longest = max(len(answer.context) for answer in answers)
    padded = [[0] * (longest - len(answer.context)) + answer.context for answer in answers]
    mask = [[0] * (longest - len(answer.context)) + [1] * len(answer.context) for answer in answers]
    return {"input_ids": torch.tensor(padded), "attention_mask": torch.tensor(mask)}


class _Choose:
    """Chooses the next token of each row with the row's own generator, independent of the other rows."""

    def __init__(self, answers: Sequence[Answer], device: Any, never: Sequence[int]) -> None:
        import torch

        self._answers = answers
        self._never = list(never)
        self._draws = [torch.Generator().manual_seed(answer.seed) for answer in answers]
        self._greedy = torch.tensor([answer.temperature == 0 for answer in answers], device=device)
        self._temperature = torch.tensor([[answer.temperature or 1.0] for answer in answers], device=device)
        self._top_p = torch.tensor([[answer.top_p] for answer in answers], device=device)
        self._top_k = torch.tensor([[answer.top_k or 1 << 30] for answer in answers], device=device)
        self._min_p = torch.tensor([[answer.min_p] for answer in answers], device=device)
        self._cuts = any(answer.top_p < 1 or answer.top_k for answer in answers)

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        """The scores with all but the chosen token ruled out, as a logits processor returns them."""
        import torch

        logprobs = scores.float().log_softmax(-1)
        sayable = logprobs.clone()
        sayable[:, self._never] = -torch.inf
        chosen = torch.where(self._greedy, sayable.argmax(-1), self._drawn(sayable))[:, None]
        found = zip(self._answers, chosen[:, 0].tolist(), logprobs.gather(-1, chosen)[:, 0].tolist(), strict=True)
        for answer, token, logprob in found:
            if logprob != logprob:
                raise PolicyError("The model's scores are NaN.", "Check its weights and its dtype.", "nan")
            if not self._is_done(answer):
                answer.ids.append(token)
                answer.logprobs.append(logprob)
        return torch.full_like(scores, -torch.inf).scatter_(-1, chosen, 0.0)

    def done(self, input_ids: Any, scores: Any, **kwargs: Any) -> Any:
        """Which rows are at their end, as a stopping criterion returns it."""
        import torch

        return torch.tensor([self._is_done(answer) for answer in self._answers], device=input_ids.device)

    def _is_done(self, answer: Answer) -> bool:
        ids = answer.ids
        return len(ids) >= answer.most or (bool(ids) and ids[-1] in answer.ends) or answer.abandoned()

    def _drawn(self, logprobs: Any) -> Any:
        """A token of each row, by one number from its generator against the cumulated probabilities."""
        import torch

        order, shares = None, (logprobs / self._temperature).softmax(-1)
        if self._cuts:
            shares, order = shares.sort(dim=-1, descending=True, stable=True)
            shares = shares * (torch.arange(shares.shape[-1], device=shares.device) < self._top_k)
            above = shares.cumsum(-1) - shares
            shares = shares * (above < self._top_p * shares.sum(-1, keepdim=True))
        shares = shares * (shares >= self._min_p * shares.amax(-1, keepdim=True))
        cumulated = shares.cumsum(-1)
        drawn = torch.stack([torch.rand(1, generator=draw) for draw in self._draws]).clamp(max=1 - 2**-20)
        place = torch.searchsorted(cumulated, drawn.to(cumulated.device) * cumulated[:, -1:], right=True)
        place = place.clamp(max=shares.shape[-1] - 1)  # where the shares are NaN
        return (place if order is None else order.gather(-1, place))[:, 0]
