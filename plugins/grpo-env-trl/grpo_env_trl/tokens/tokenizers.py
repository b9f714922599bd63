"""What tokenizers, processors and generation configs have in common: who writes text, and which tokens end a turn."""

from typing import Any


def is_processor(tokenizer: Any) -> bool:
    """Whether it is the processor of a vision model and no tokenizer."""
    return hasattr(tokenizer, "image_processor")


def text_tokenizer(given: Any) -> Any:
    """The tokenizer itself, or that of a processor."""
    return given.tokenizer if is_processor(given) else given


def end_ids(eos_token_id: int | list[int] | None) -> list[int]:
    """Every token that ends a turn, as the `eos_token_id` of a config says."""
    return eos_token_id if isinstance(eos_token_id, list) else [] if eos_token_id is None else [eos_token_id]
