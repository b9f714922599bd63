"""Guesses from the words that all prompts name in capitals, code marks or quotes: commands, keywords, verdicts."""

from collections.abc import Sequence

from grpo_env_sdk.checking.evidence.attempts.guesses import Guess
from grpo_env_sdk.checking.evidence.golds import Gold
from grpo_env_sdk.late_patterns import regex

MOST_WORDS, MOST_FIRST, MOST_PROMPTS = 24, 8, 20
"""How many words are tried alone, how many before another answer, and in how many prompts they have to be."""
NAMED, NAMED_FIRST = "a word that all prompts name", "such a word before the gold answer of another row"
ALL_NAMED = "all words that the prompts name, one a line"
_NAMED = regex(
    r"(?<![\w<{])([A-Z][A-Z_]+)(?![\w>}])|`([^`\n]{1,30})`|\"([^\"\n]{1,30})\"|(?<!\w)'([^'\n]{1,30})'(?!\w)"
)


def named_word_guesses(prompts: Sequence[str], golds: Sequence[Gold]) -> list[Guess]:
    """Each word that all prompts name, alone and before what is right in another row, and all of them."""
    named = [dict.fromkeys("".join(one) for one in _NAMED.findall(prompt)) for prompt in prompts[:MOST_PROMPTS]]
    words = [word for word in (named[0] if named else ()) if all(word in others for others in named)][:MOST_WORDS]
    said = [gold.text for gold in golds if gold.text][-1:]
    return [
        *(Guess(NAMED, word, True) for word in words),
        *(Guess(NAMED_FIRST, f"{word}\n{text}") for text in said for word in words[:MOST_FIRST]),
        *(Guess(ALL_NAMED, "\n".join(words)) for _ in words[1:2]),
    ]
