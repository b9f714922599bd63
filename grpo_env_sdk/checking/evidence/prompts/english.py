"""Whether a prompt is in English, the language whose instructions are read best."""

import re

from grpo_env_sdk.late_patterns import regex

_ENGLISH = regex(
    r"(?<![</\\\"'`])\b(?:the|and|or|with|from|this|you|your|what|which|who|how|answer|reply|find|write)\b",
    re.IGNORECASE,
)
"""Words that few English prompts lack; the names of tags and keys say nothing of a language."""


def in_english(prompt: str) -> bool:
    """Whether a prompt has words that only English has."""
    return _ENGLISH.search(prompt) is not None
