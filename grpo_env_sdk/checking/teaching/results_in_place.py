"""Whether the result that a formula has for the shown numbers is taken for the formula."""

import re
from collections.abc import Iterator
from statistics import mean, median

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import Gold, as_good_as_gold, golds, less_than_gold, play_answers, quoted
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.variants import golds_with_text, prompt_text
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import answer_text
from grpo_env_sdk.types import Episode

MOST_ROWS = {"quick": 3, "default": 5, "thorough": 12}
FEWEST_ROWS, MOST_NUMBERS, MOST_TRIED = 3, 12, 400
_FORMULA = re.compile(r"=\s*\S.*|(?=.*[a-zA-Z_])[\w\s=]*[\w.]+\(.*\)|lambda\b.*", re.DOTALL)
_ASKED = re.compile(r"\b(?:formula|function|expression|query|code|program|script|cell|one-liner)\b", re.IGNORECASE)
_CHANGES = re.compile(
    r"\b(?:chang\w+|any|every|always|hidden|other (?:values|inputs|numbers|data)|general|stay|new)\b", re.IGNORECASE
)
"""What a prompt says where the numbers that it shows are an example."""


@check("G552", needs=("gold",), kinds=("single-turn",), severity="warning")
def a_formula_is_not_its_result(subject: Subject) -> Iterator[Finding]:
    """Where gold is a formula or a call, what it results in for the numbers of the prompt is not gold."""
    known = [
        gold for gold in golds_with_text(subject, MOST_ROWS[subject.effort])
        if _FORMULA.fullmatch(gold.text.strip()) and _ASKED.search(prompt_text(subject, gold.row))
    ]  # fmt: skip
    won: list[Episode] = []
    for number, gold in enumerate(known, 1):
        won += _winning(subject, gold)[:1]
        if number - len(won) > len(known) - FEWEST_ROWS:
            return
    if len(won) >= FEWEST_ROWS:
        episode = won[0]
        row, said = episode.row_index, answer_text(episode.completion)
        yield Finding(
            f"A constant scores as much as the formula that the prompt asks for, on {len(won)} of {len(known)} rows: "
            f"{quoted(said)} for {quoted(golds(subject)[row].text)}.",
            "Score with other numbers than those that the prompt shows.",
            row, said, episode.reward, less_than_gold(subject, episode),
            severity="error" if _CHANGES.search(prompt_text(subject, row)) else "warning",
        )  # fmt: skip


def _winning(subject: Subject, gold: Gold) -> list[Episode]:
    """The constants that are as good as a formula on its row."""
    sign = "=" if gold.text.strip().startswith("=") else ""
    texts = [text for text in _results(prompt_text(subject, gold.row)) if text != gold.text.strip()]
    episodes = play_answers(subject, [(gold.row, form + text) for text in texts for form in dict.fromkeys(("", sign))])
    return [episode for episode in episodes if as_good_as_gold(subject, episode)]


def _results(prompt: str) -> list[str]:
    """What sums, means and the like of neighbouring numbers of a prompt are."""
    numbers = [float(text) for text in re.findall(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.]*\w)", prompt)][:MOST_NUMBERS]
    parts = [numbers[start:end] for start in range(len(numbers)) for end in range(start + 1, len(numbers) + 1)]
    values = [of(part) for of in (sum, max, min, mean, len, median) for part in parts]
    return list(dict.fromkeys(f"{value:.6f}".rstrip("0").rstrip(".") for value in values))[:MOST_TRIED]
