"""Another way to write a right answer, and the prompts in which it is as good."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from grpo_env_sdk.checking.evidence.prompts.broken_form import sentences_of
from grpo_env_sdk.late_patterns import regex

NOTHING = "(?!)"
MOST_CHARS = 60
_BETWEEN_NUMBERS = regex(r"\d[^\w\s]\d")
_EXAMPLE = r"\b(?:like|such as|as in|e\.g\.?,?|for (?:example|instance),?):? ?[`'\"\u201c]?"
_ANY = {True: r"\d+", False: r"[^\W\d_]+"}
"""What stands for any number, and for any word, of an example."""


@dataclass(frozen=True, slots=True)
class Form:
    """Another way to write an answer, and what a prompt says where it is as good."""

    name: str
    write: Callable[[str, str], str | None]
    """The answer of a prompt in this form; None where that is no other text."""
    asked: str = ""
    but: str = NOTHING
    whole: bool = False
    """Whether it is written around all that gold says."""
    sure: bool = False
    """Whether the prompt asks for it, or it says the same in any case, so that refusing it is an error."""
    beside: Callable[[str, str], str | None] | None = None
    """Writes a like form that has to be accepted before refusing this one says anything."""
    fewest: int = 4
    """On how many rows it has to be refused."""
    unless: str = NOTHING
    """What the sentence that asks for it may not say."""

    def applies(self, prompt: str, answer: str = "") -> bool:
        """Whether a prompt asks for this form, or leaves it open; an example that is written as the answer does not."""
        if re.search(self.but, prompt, re.IGNORECASE):
            return False
        if not self.sure and not self.whole and _shows_like(prompt, answer):
            return False
        parts = _sentences(prompt) if self.unless != NOTHING else (prompt,)
        return any(
            re.search(self.asked, part, re.IGNORECASE) and not re.search(self.unless, part, re.IGNORECASE)
            for part in parts
        )


def _shows_like(prompt: str, answer: str) -> bool:
    """Whether a prompt gives an example with the signs of an answer between other numbers and words."""
    if len(answer) > MOST_CHARS or not _BETWEEN_NUMBERS.search(answer):
        return False
    pieces = re.findall(r"\d+|[^\W\d_]+|.", answer, re.DOTALL)
    like = "".join(_ANY[piece.isdecimal()] if piece.isalnum() else re.escape(piece) for piece in pieces)
    return re.search(rf"{_EXAMPLE}{like}(?!\w|[.,:/-]\d)", prompt, re.IGNORECASE) is not None


@lru_cache(maxsize=128)
def _sentences(prompt: str) -> tuple[str, ...]:
    return tuple(sentences_of(prompt))


ONLY = (
    r"\b(?:only|just|nothing (?:else|but)|no other|exactly|(?:a|one) single|one (?:word|letter|number)|letter|digits)\b"
)
"""What a prompt says where nothing else than the answer is right."""
SILENT = r"\b(?:no|without|not|n't) (?:\w+ )?(?:expla\w+|work\w*|reason\w*|steps)|\bonly the (?:answer|number|result)"
"""What a prompt says where no thoughts are wanted."""
NEGATED = r"\b(?:not|no|without)\b|n't\b"
"""What a sentence says that rules a form out."""
THINKS = (
    r"(?<!not )(?<!n't )(?<!without )\b(?:step[- ]by[- ]step|explain (?:your|how|why)|show (?:your|the|all) "
    r"(?:work\w*|steps|reasoning)|think (?:it through|aloud|first|before|as long|as much|carefully)|"
    r"reason (?:first|aloud|step)|schritt für schritt|erkläre? (?:deine|ihre|wie|warum)|étape par étape|paso a paso|"
    r"passo (?:a|dopo) passo|stap voor stap|шаг за шагом)|一步一步|逐步|ステップごとに"
)
"""What a prompt says that wants thoughts in the answer."""
