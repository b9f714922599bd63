"""What a prompt promises of tests that it does not show."""

import re

from grpo_env_sdk.late_patterns import regex

_UNSEEN = regex(
    r"\b(?:unseen|hidden|held[- ]out)\b|\b(?:not|n't|cannot|never) (?:be )?(?:see|shown?|known?|listed|visible)\b|"
    r"\b(?:tried|tested|checked|scored|judged|run|evaluated|graded|measured)\b[^.;\n]{0,40}\b(?:on|with|against)\b"
    r"[^.;\n]{0,40}\b(?:others?|more|further|new|additional)\b",
    re.IGNORECASE,
)
_REFUSED = regex(r"\b(?:not|n't|never|cannot) (?:be )?match|\b(?:reject|refus|forbid|exclud)\w*", re.IGNORECASE)


def promises_unseen_tests(prompt: str) -> bool:
    """Whether a prompt says that an answer is tried on more than it shows, and not only on what is to be refused."""
    return any(_UNSEEN.search(part) and not _REFUSED.search(part) for part in re.split(r"(?<=[.!?])\s|\n", prompt))
