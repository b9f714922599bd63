"""Whether numbers are refused with the decimal comma that the prompt itself writes."""

import re
from collections.abc import Iterator

from grpo_env_sdk.checking.evidence.golds import NEARLY, Gold, gold_episodes, play_answers, scored_by_row
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.english import in_english
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS, Turns, some_golds
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.findings.transcript_text import turns_text
from grpo_env_sdk.late_patterns import regex

_COMMA = regex(r"(?<![\d.,(\[])\d{1,3},\d{1,2}(?![\d,)\]]|\.\d)")
_FORM = regex(
    r"\d\.\d|\b(?:JSON|Python|CSV|float|Dezimalpunkt\w*|(?:mit|einem) (?:einem )?Punkt\b|"
    r"point décimal|(?:avec|par) (?:un |le )?point\b|punto decimal\w*|(?:con|un) (?:el )?punto\b|ponto decimal|"
    r"decimale punt|met (?:een )?punt\b|Uhr\w*|Datum\w*|heures?\b|dates?\b|horas?\b|fechas?\b|version\w*|"
    r"Kapitel|Abschnitt|chapitre|capítulo)",
    re.IGNORECASE,
)
"""What says that decimals are written with a point, or that a point may part other numbers."""
_DECIMAL = regex(r"(?<![\w.,])(-?0(?=\.\d{3}(?!\d))|-?\d{1,3}(?!\.\d{3}(?!\d)))\.(\d+)(?![\w,]|\.\d)")
"""No decimals are three digits behind a number from 1 on: these may be thousands."""
_DATA = regex(r"[\[\]{}<>=;\"]")


def decimal_commas_are_refused(subject: Subject) -> Iterator[Finding]:
    """The finding that gold with decimal commas, as its prompt has them, loses on all rows."""
    changed = {gold.row: turns for gold in some_golds(subject) if (turns := _with_commas(subject, gold))}
    played = scored_by_row(play_answers(subject, list(changed.items())))
    of_gold = gold_episodes(subject)
    lost = [one for row, one in played.items() if (one.reward or 0.0) < (of_gold[row].reward or 0.0) - NEARLY]
    if len(changed) < FEWEST_ROWS or len(lost) < len(changed):
        return
    first = lost[0]
    turns, wanted = own_turns(first.completion), of_gold[first.row_index]
    said, right = (quoted(turns_text(one), 80) for one in (turns, own_turns(wanted.completion)))
    shown = _COMMA.search(prompt_text(subject, first.row_index))
    yield Finding(
        f"Decimals with a comma are refused, although the prompt writes {quoted(shown[0] if shown else '')}: "
        f"{said} scores {first.reward:g}, and {right} {wanted.reward:g}, on {len(lost)} rows.",
        "Read both: replace the comma by a point before float(), or say in the prompt how decimals are to be written.",
        first.row_index, turns, first.reward, wanted.reward, severity="error",
    )  # fmt: skip


def _with_commas(subject: Subject, gold: Gold) -> Turns:
    """Gold with commas for the points of its decimals; empty where it has none, or the prompt writes them otherwise."""
    prompt = prompt_text(subject, gold.row)
    if not _COMMA.search(prompt) or in_english(prompt) or _FORM.search(prompt):
        return []
    texts = [turn for turn in gold.turns if not turn.get("tool_calls")]
    if any(_DATA.search(str(turn.get("content"))) for turn in texts):
        return []
    turns = [
        {**turn, "content": _DECIMAL.sub(r"\1,\2", str(turn.get("content")))} if turn in texts else turn
        for turn in gold.turns
    ]
    return turns if turns != gold.turns else []
