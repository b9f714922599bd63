"""Whether a prompt or a tool's description says that the tool may be used once in an episode."""

import re

from grpo_env_sdk.checking.evidence.prompts.broken_form import sentences_of
from grpo_env_sdk.late_patterns import regex

FEWEST_LETTERS = 4
_EPISODE = (
    r"(?:order|game|customer|client|guest|booking|reservation|cart|basket|purchase|checkout|case|episode|conversation|"
    r"ticket|stay|account|patient|session|household|person|player|user|rental|bill|invoice|loan)\b(?! \w*(?:line|item))"
)
_ONCE = regex(
    r"\bonly once\b|\bonce only\b|\bonce and (?:only|no more)|\bjust once\b|\bat most once\b|"
    r"\b(?:no|not) more than once\b|"
    rf"\bonce (?:per|(?:in|for|on)? ?(?:an?|each|every|the)) (?:whole )?{_EPISODE}|"
    r"\b(?:may|can|must|is|are|be) (?:\w+ )?(?:used|use|applied|apply|redeemed|redeem|claimed|claim|granted|given|"
    r"drawn|taken|called|call|done|made|paid|played|counts?|work|entered|added|valid) (?:(?!at )\w+ )?once\b"
    r"(?= ?[.,;:)\n]|\s*$)|"
    r"\b(?:cannot|can't|can not|may not|must not|never|not) (?:be )?(?:\w+ )?(?:twice|again|a second time)\b|"
    rf"\b(?:only )?(?:one|a single)(?: \w+){{1,3}} (?:per|(?:for|in) (?:an?|each|every|the)) {_EPISODE}|"
    r"\b(?:only|just|at most|no more than) one(?: \w+){1,2} (?:may|can|is|will|counts?)\b",
    re.IGNORECASE,
)
_OPEN = regex(r"\b(?:again|as often|several times|any number|stack\w*|combin\w*|add(?:s)? up|repeat\w*)\b", re.I)
_NOT_OPEN = regex(
    r"\b(?:not|never|cannot|no|nor|n't|without|neither)\b[^.;\n]{0,40}"
    r"\b(?:again|as often|several times|stack\w*|combin\w*|add(?:s)? up|repeat\w*)\b",
    re.IGNORECASE,
)
_VERBS = {
    "apply",
    "use",
    "make",
    "call",
    "give",
    "take",
    "send",
    "check",
    "place",
    "create",
    "update",
    "change",
    "order",
}
"""Words of tools' names that do not say what the tool is about."""


def said_once(prompt: str, tool: str, description: str) -> str:
    """The sentence that says so, else an empty text."""
    words = [word for word in tool.lower().split("_") if len(word) >= FEWEST_LETTERS]
    stems = [re.escape(word[:5]) for word in words if word not in _VERBS] or [re.escape(word[:5]) for word in words]
    about = [one for one in sentences_of(prompt) if any(re.search(rf"\b{stem}", one, re.IGNORECASE) for stem in stems)]
    said = next((one.strip() for one in [*sentences_of(description), *about] if _ONCE.search(one)), "")
    return "" if any(_OPEN.search(one) and not _NOT_OPEN.search(one) for one in (said, description)) else said
