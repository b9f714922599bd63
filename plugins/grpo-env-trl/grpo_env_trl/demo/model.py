"""The network of the demo model, a Qwen3 of about 0.1 million parameters, and its warm start on demonstrations."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any

from grpo_env_sdk import Message
from grpo_env_sdk.ext import Schemas, UsageError
from grpo_env_trl.demo.tokenizer import with_same_tools

CONTEXT = 4096
_HIDDEN, _LAYERS, _HEADS = 64, 2, 2


def build_model(tokenizer: Any, seed: int) -> Any:
    """A `Qwen3ForCausalLM` with weights that depend on the seed and the size of the vocabulary alone."""
    import torch
    from transformers import Qwen3Config, Qwen3ForCausalLM

    config = Qwen3Config(
        vocab_size=len(tokenizer),
        hidden_size=_HIDDEN,
        num_hidden_layers=_LAYERS,
        num_attention_heads=_HEADS,
        num_key_value_heads=_HEADS,
        head_dim=_HIDDEN // _HEADS,
        intermediate_size=3 * _HIDDEN,
        max_position_embeddings=CONTEXT,
        tie_word_embeddings=True,
        initializer_range=0.08,  # with the common 0.02 it does not learn to copy
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = Qwen3ForCausalLM(config)
        for layer in model.model.layers:
            torch.nn.init.orthogonal_(layer.self_attn.v_proj.weight)
            with torch.no_grad():  # attention then passes on what it attends to, which is to copy
                layer.self_attn.o_proj.weight.copy_(layer.self_attn.v_proj.weight.T)
    return model


WARM_START_STEPS = 200
"""Steps of the warm start for one environment."""
_MOST_WARMUP, _BATCH = 20, 32
_LEARNING_RATE = 8e-3


@dataclass(frozen=True)
class TokenizedDemos:
    """Conversations in tokens, with a mask that is 1 where the assistant wrote the token."""

    ids: list[list[int]]
    said: list[list[int]]

    @property
    def longest_turn(self) -> int:
        """The most tokens of one turn of the assistant."""
        return max(len(run) for mask in self.said for run in "".join(map(str, mask)).split("0"))


def tokenize_demos(
    conversations: Sequence[Sequence[Message]], tools: Sequence[Schemas], tokenizer: Any, most: int,
    earlier: Sequence[int] = (),
) -> TokenizedDemos:  # fmt: skip
    """The conversations, each with its tools, in tokens; those with more than `most` are left out.

    The mask leaves out the first turns of each conversation, as many as `earlier` says.
    """
    pairs: list[tuple[list[int], list[int]]] = []
    for group, shown in with_same_tools(conversations, tools):
        read = tokenizer.apply_chat_template(
            group, tools=shown or None, return_dict=True, return_assistant_tokens_mask=True
        )
        pairs += zip(read["input_ids"], read["assistant_masks"], strict=True)
    own = [(ids, _without_first(said, turns)) for (ids, said), turns in zip(pairs, earlier or repeat(0), strict=False)]
    fitting = [(ids, said) for ids, said in own if len(ids) <= most]
    if not fitting:
        raise UsageError(
            f"Every episode of `solve` is longer than the context of the demo model, {most} tokens.",
            "Use a model of your own with --model.",
        )
    return TokenizedDemos([ids for ids, _ in fitting], [said for _, said in fitting])


def _without_first(mask: list[int], turns: int) -> list[int]:
    """The mask with its first runs of ones set to zero."""
    begins = [place for place, own in enumerate(mask) if own and not (place and mask[place - 1])]
    first = begins[turns] if turns < len(begins) else len(mask)
    return [0] * first + mask[first:]


def together(parts: Sequence[TokenizedDemos]) -> TokenizedDemos:
    """The conversations of several environments, the same number of each."""
    most = min(len(part.ids) for part in parts)
    chosen = [[place * len(part.ids) // most for place in range(most)] for part in parts]
    return TokenizedDemos(
        [part.ids[place] for part, places in zip(parts, chosen, strict=True) for place in places],
        [part.said[place] for part, places in zip(parts, chosen, strict=True) for place in places],
    )


def warm_start(
    model: Any, demos: TokenizedDemos, seed: int, progress: Callable[[int, int], None], steps: int = WARM_START_STEPS
) -> None:
    """Train the model on the turns of the assistant in the demonstrations."""
    import torch
    from torch.nn.functional import cross_entropy
    from transformers import get_cosine_schedule_with_warmup

    optimizer = torch.optim.AdamW(model.parameters(), lr=_LEARNING_RATE, betas=(0.9, 0.98), weight_decay=0.0)
    schedule = get_cosine_schedule_with_warmup(optimizer, min(_MOST_WARMUP, steps // 5), steps)
    order = torch.Generator().manual_seed(seed)
    model.train()
    for step in range(steps):
        chosen = torch.randint(len(demos.ids), (_BATCH,), generator=order).tolist()
        ids = _padded([demos.ids[index] for index in chosen], model.config.pad_token_id)
        said = _padded([demos.said[index] for index in chosen], 0)[:, 1:].bool()
        logits = model(ids, use_cache=False).logits[:, :-1]  # padded on the right, where nothing attends
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
