"""Whether numbers are refused with the decimal comma that the prompt writes or asks for."""

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
_OF_OTHERS = r"Uhr\w*|Datum\w*|heures?\b|dates?\b|horas?\b|fechas?\b|version\w*|Kapitel|Abschnitt|chapitre|capítulo"
"""What has numbers whose point is not that of decimals."""
_FORM = regex(
    r"\d\.\d|\b(?:JSON|Python|CSV|float|Dezimalpunkt\w*|(?:mit|einem) (?:einem )?Punkt\b|"
    r"point décimal|(?:avec|par) (?:un |le )?point\b|punto decimal\w*|(?:con|un) (?:el )?punto\b|ponto decimal|"
    rf"decimale punt|met (?:een )?punt\b|{_OF_OTHERS})",
    re.IGNORECASE,
)
"""What says that decimals are written with a point, or that a point may part other numbers."""
_ASKED = regex(
    r"(?:^|[.!?:;,(\n]\s*|\b(?:and|then|please|must|should|to)\s+)"
    r"(?:use|write|using|answer|reply|give|state|enter|put|round|format|finish|end|close)\b[^.!?\n]{0,80}?"
    r"\b(decimal commas?|commas? (?:as|for) (?:the |a )?decimal (?:separator|mark|sign|point)s?)\b|"
    r"\b(?:mit|in|avec|con|com|met)\s+(?:\w+\s+)?(Dezimalkomma|deutscher (?:Schreibweise|Notation)|"
    r"deutschem (?:Zahlen)?format|virgule décimale|coma decimal|vírgula decimal|virgola decimale)\b",
    re.IGNORECASE,
)
"""What asks for a comma in words; in English as an order, since it may be said of the numbers of a prompt too."""
_OTHERWISE = regex(
    r"\b(?:points?|dots?|periods?|full stops?|Dezimalpunkt\w*|Punkt|punto|ponto|JSON|Python|CSV|floats?|convert\w*|"
    rf"{_OF_OTHERS})\b",
    re.IGNORECASE,
)
"""What speaks of another sign, or of other numbers, elsewhere in such a prompt."""
_NOT = regex(
    r"\b(?:not|no|never|without|nicht|kein\w*|ohne|pas|sans|sin|sem|non|senza|niet)\b[^.!?\n]{0,20}$", re.IGNORECASE
)
_THOUSAND = r"(?<=\d)(?=(?:\d{3})+$)"
_GROUPED = regex(r"\d\.\d{3},\d")
_DECIMAL = regex(r"(?<![\w.,])(-?0(?=\.\d{3}(?!\d))|-?\d{1,3}(?!\.\d{3}(?!\d))|-?\d{4,9})\.(\d+)(?![\w,]|\.\d)")
"""No decimals are three digits behind one to three others, from 1 on: these may be thousands."""
_DATA = regex(r"[\[\]{}<>=;\"]")


def decimal_commas_are_refused(subject: Subject) -> Iterator[Finding]:
    """The finding that gold with decimal commas, as its prompt wants them, loses on all rows."""
    changed = {gold.row: turns for gold in some_golds(subject) if (turns := _with_commas(subject, gold))}
    played = scored_by_row(play_answers(subject, list(changed.items())))
    of_gold = gold_episodes(subject)
    lost = [one for row, one in played.items() if (one.reward or 0.0) < (of_gold[row].reward or 0.0) - NEARLY]
    if len(changed) < FEWEST_ROWS or len(lost) < len(changed):
        return
    first = lost[0]
    turns, wanted = own_turns(first.completion), of_gold[first.row_index]
    said, right = (_shown(one) for one in (turns, own_turns(wanted.completion)))
    yield Finding(
        f"Decimals with a comma are refused, although the prompt {_wants(prompt_text(subject, first.row_index))}: "
        f"{said} scores {first.reward:g}, and {right} {wanted.reward:g}, on {len(lost)} rows.",
        "Read both: replace the comma by a point before float(), or say in the prompt how decimals are to be written.",
        first.row_index, turns, first.reward, wanted.reward, severity="error",
    )  # fmt: skip


def _with_commas(subject: Subject, gold: Gold) -> Turns:
    """Gold with commas for the points of its decimals; empty where it has none, or the prompt writes them otherwise."""
    prompt = prompt_text(subject, gold.row)
    if not _wants(prompt):
        return []
    texts = [turn for turn in gold.turns if not turn.get("tool_calls")]
    if any(_DATA.search(str(turn.get("content"))) for turn in texts):
        return []
    turns = [
        {**turn, "content": _written(str(turn.get("content")), prompt)} if turn in texts else turn
        for turn in gold.turns
    ]
    return turns if turns != gold.turns else []


def _wants(prompt: str) -> str:
    """How a prompt says that decimals have a comma: it asks for one, or has one itself; empty where neither is so."""
    asked = _ASKED.search(prompt)
    if asked and not _OTHERWISE.search(prompt[: asked.start()] + prompt[asked.end() :]):
        number = asked.lastindex or 0
        return "" if _NOT.search(prompt[: asked.start(number)]) else f"asks for {quoted(asked[number])}"
    shown = _COMMA.search(prompt)
    return f"writes {quoted(shown[0])}" if shown and not in_english(prompt) and not _FORM.search(prompt) else ""


def _written(text: str, prompt: str) -> str:
    """A text with commas for decimal points, and points between thousands where its prompt has both."""
    between = "." if _GROUPED.search(prompt) else ""
    return _DECIMAL.sub(lambda found: f"{re.sub(_THOUSAND, between, found[1])},{found[2]}", text)


def _shown(turns: Turns) -> str:
    return quoted(turns[0].get("content") if len(turns) == 1 else turns_text(turns), 80)
