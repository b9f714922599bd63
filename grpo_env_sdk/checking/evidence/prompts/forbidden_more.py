"""What prompts say where more than was asked for is wrong."""

import re

from grpo_env_sdk.late_patterns import regex

_NO_MORE = regex(
    r"\bstop (?:on|at|in|there|here|as soon|when|once)\b|\bexactly\b|\bthat very\b|\bnothing (?:else|more|further)\b|"
    r"\b(?:and|but) no (?:more|others?|further)\b|\b(?:leave|keep) (?:all|everything|the (?:others?|rest))\b|"
    r"\bno (?:other|further|more) \w+|\bnot (?:a|any) (?:single|other|more|further)\b|"
    r"\b(?:only|just) (?:this|that|these|those|one|a single)\b|\b(?:nobody|no one|nowhere) else\b|\w only(?=[.;,]|$)|"
    r"\bnone of (?:the|these|those)\b|"
    r"\b(?:not|never|\w+n't|without|neither)\b[^.;\n]{0,40}\b(?:others?|else|besides|the rest|more than one)\b",
    re.IGNORECASE,
)
_OF_THE_REST = regex(
    r"\b(?:others?|rest|remaining|everything else|anything else)\b[^.;\n]{0,60}"
    r"\b(?:not|never|\w+n't|untouched|alone|unchanged|as (?:it is|they are)|stays?|remains?|kept|keeps?|waits?)\b",
    re.IGNORECASE,
)
_OF_WORDS = regex(r"\b(?:answer|reply|respond|say|tell|write|output|print|words?|text)\b", re.IGNORECASE)
"""What a sentence says that is about an answer, and not about acts."""
_PART = regex(r"(?<=[.!?])\s|\n|,? (?:and )?then\b")


def forbids_more(prompt: str) -> bool:
    """Whether a part of a prompt says to do no more than is asked, and does not speak of the answer."""
    parts = [one for one in _PART.split(prompt) if not _OF_WORDS.search(one)]
    return any(_NO_MORE.search(one) or _OF_THE_REST.search(one) for one in parts)
