"""Whether gold wins with what the prompt says loses."""

import re
from collections.abc import Iterator

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import NEARLY, Gold
from grpo_env_sdk.checking.evidence.prompts.bare_text import bare
from grpo_env_sdk.checking.evidence.prompts.broken_form import sentences_of
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS, some_golds
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex

_WHAT = r"[\"'`\u201c\u201e]?(?P<what>\w+)[\"'`\u201d\u201c]?"
_LOSES = (
    regex(
        r"\b(?:who(?:ever)?|the (?:one|player|side) (?:who|that)|if you|anyone who)"
        r" (?:(?:has|have|is forced|must|needs) (?:to )?)?(?:says?|names?|writes?|reach(?:es)?|calls?|plays?) "
        rf"{_WHAT},? (?:first |last |then |is the one who )?(?:loses?|you lose|is out|has lost)\b",
        re.IGNORECASE,
    ),
    regex(
        rf"\b(?:saying|naming|writing|calling|playing) {_WHAT} "
        r"(?:loses|is forbidden|is not allowed|ends the game with 0)\b",
        re.IGNORECASE,
    ),
    regex(
        rf"\bwer {_WHAT} (?:sagt|nennt|sagen muss|nennen muss|schreibt|erreicht),? (?:hat )?(?:verliert|verloren)\b",
        re.IGNORECASE,
    ),
)


@check("G694", kinds=("multi-turn",), needs=("gold",))
def what_is_said_to_lose_does_not_win(subject: Subject) -> Iterator[Finding]:
    """Gold does not win with the very message that the prompt says loses."""
    top = subject.traits.reward_range[1] - NEARLY
    known = {gold.row: said for gold in some_golds(subject) if (said := _said_to_lose(subject, gold))}
    wins = [gold for gold in some_golds(subject) if gold.row in known and gold.reward >= top]
    if len(wins) >= FEWEST_ROWS and len(wins) == len(some_golds(subject)):
        gold = wins[0]
        sentence, last = known[gold.row]
        yield Finding(
            f"The prompt says {quoted(sentence, 120)}, and gold ends with {quoted(last)} and scores {gold.reward:g}, "
            f"the most there is, on {len(wins)} rows.",
            "Reward what the prompt says wins, or say in the prompt what the code rewards.",
            gold.row, gold.turns, gold.reward, "a message that does not lose",
        )  # fmt: skip


def _said_to_lose(subject: Subject, gold: Gold) -> tuple[str, str] | None:
    """The sentence of the prompt by which gold's last message loses, and that message."""
    last = bare(gold.text)
    for sentence in sentences_of(prompt_text(subject, gold.row)):
        if any((found := rule.search(sentence)) and found["what"].casefold() == last for rule in _LOSES):
            return sentence.strip(), gold.text
    return None
