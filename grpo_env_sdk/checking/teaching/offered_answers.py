"""Whether any of the answers that every prompt offers, such as yes and no, scores on any row."""

import re
from collections.abc import Iterator

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.answer_templates import ANSWER_TEMPLATES
from grpo_env_sdk.checking.evidence.golds import golds, quoted
from grpo_env_sdk.checking.evidence.guesses import form_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.variants import Variant, golds_with_text, played, prompt_text
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import answer_text
from grpo_env_sdk.report.plain_text import joined

MOST_ROWS = {"quick": 8, "default": 12, "thorough": 40}
FEWEST_ROWS, MOST_OPTIONS = 8, 8
_WORD = r"[`\"'“]?[\w+-]+[`\"'”]?"
_OFFER = re.compile(
    r"\b(?:answer|reply|respond|say|return|output|write|choose|state)\w*\b[^.!?:;\n]{0,40}?(?::|\bwith\b|\bby\b|\bonly\b|\b)"
    rf" ?(?:either |exactly |just |one of )?((?:{_WORD}(?:, | / ))*{_WORD},? or {_WORD})(?= ?[.!?,;)\n]|$)",
    re.IGNORECASE,
)
_LETTER = re.compile(r"\b(?:the|a|one|single|its|option|only the|just the) letters?\b", re.IGNORECASE)
_OPTION = re.compile(r"^\s*\(?([A-Ha-h])[).:]\s+\S", re.MULTILINE)
_ABOUT = re.compile(r"\b(?:and|then|followed by|because|explain|why|reason\w*)\b", re.IGNORECASE)


@check("G541", needs=("gold",), kinds=("single-turn",))
def an_answer_that_is_offered_scores(subject: Subject) -> Iterator[Finding]:
    """Some answer of those that all prompts offer scores on some row."""
    known = golds_with_text(subject, MOST_ROWS[subject.effort])
    offers = {gold.row: offered(prompt_text(subject, gold.row)) for gold in known}
    if len(known) < FEWEST_ROWS or not all(offers.values()) or len(set(offers.values())) > 1:
        return
    options = next(iter(offers.values()))
    if len(options[0]) > 1 and len({gold.text for gold in golds(subject).values()}) > 2 * len(options):
        return  # words that say something else, such as "a word or two"
    before, after = form_of([gold.text for gold in golds(subject).values()])
    frames = dict.fromkeys([*ANSWER_TEMPLATES[:3], f"{before}\0{after}".replace("{", "{{").replace("}", "}}")])
    variants = [
        Variant("offered", gold, frame.replace("\0", "{}").format(option))
        for gold in known
        for frame in frames
        for option in options
    ]
    outcome = played(subject, variants).get("offered")
    low = subject.traits.reward_range[0]
    if outcome and not outcome.won and len(outcome.episodes) == len(variants):
        best = max(outcome.episodes, key=lambda episode: episode.reward or 0.0)
        gold = golds(subject)[best.row_index]
        if (best.reward or 0.0) - low < (gold.reward - low) / 2:
            yield Finding(
                f"The prompt offers {joined([quoted(option) for option in options])}, and none of them scores as gold "
                f"on any of {len(known)} rows: gold is {quoted(gold.text)} in row {gold.row}.",
                "Compare with the answers that the prompt asks for, or ask for what is compared.",
                row=gold.row, input=answer_text(best.completion), output=best.reward, expected=gold.reward,
            )  # fmt: skip


def offered(prompt: str) -> tuple[str, ...]:
    """The few words, or letters of listed options, that a prompt tells to choose from; empty where it offers none."""
    letters = _OPTION.findall(prompt)
    if len(letters) > 1 and len(set(letters)) == len(letters) and _LETTER.search(_OPTION.sub("", prompt)):
        return tuple(letters)
    found = _OFFER.findall(prompt)
    if not found or _ABOUT.search(prompt[prompt.rfind(found[-1]) + len(found[-1]) :].partition("\n")[0]):
        return ()
    words = re.split(r",? or |, | / ", found[-1], flags=re.IGNORECASE)
    options = tuple(word.strip("`\"'“”") for word in words)
    if not all(re.fullmatch(r"[^\W\d_][\w+-]+|[A-H]", option) for option in options):
        return ()
    return options if 2 <= len(set(options)) <= MOST_OPTIONS else ()
