"""Whether the form of dates, without which an answer scores nothing, is asked for."""

import re
from collections.abc import Iterator, Sequence

from grpo_env_sdk.checking.evidence.golds import Gold, golds, loses_half
from grpo_env_sdk.checking.evidence.prompts.answer_frames import answer_span
from grpo_env_sdk.checking.evidence.prompts.asked_dates import date_in, date_like, dates_shown
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import replies_to_gold
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.variants import Variant, played
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import answer_text, prompt_messages
from grpo_env_sdk.late_patterns import regex

FEWEST_ROWS = 4
_MENTIONED = regex(
    r"(?<![a-z])iso(?![a-z])|isoformat|\brfc ?\d|\bpars(?:e|es|ed|er|ers|able|ing)\b|\bsort(?:s|able|ed|ing)\b|"
    r"\bfile ?names?\b|stamps?\b|\bmachine[- ]?read\w*|\b([^\W\d_])\1?[-./]([^\W\d_])\2?[-./]([^\W\d_])\3{1,3}\b|"
    r"yyyy|yy[-./ ]|jjjj|aaaa[-/.]|dd[-./ ]mm|mm[-./ ]dd|%[dmyb]|"
    r"\byear\b[^.?!\n]{0,20}\bmonth\b|\bday\b[^.?!\n]{0,20}\bmonth\b|\bmonth\b[^.?!\n]{0,20}\bday\b|"
    r"\b(?:form|schreib|normali[sz]|standard|convert|canonical|rewrit|reformat|notation|numeric|numeral|numbers?|json|csv|"
    r"sql|yaml|xml|schema|regex|pattern|digit|figure|dot|hyphen|dash|slash|written|writing|style|spell|abbrev|same|"
    r"american|european|example|beispiel|exempl|ejempl|esempi)\w*|\b(?:such as|like|way|e\.g|z\. ?B)\b",
    re.IGNORECASE,
)
"""What a text says of how a date, or data with dates, are written."""
_LABEL = regex(r"[^\W\d][\w ]{0,20}: ?")


def unmentioned_dates(subject: Subject, known: Sequence[Gold]) -> Iterator[Finding]:
    """The finding that dates are refused as all texts write them, where none names or has the form of gold's."""
    variants = [Variant("shown", gold, text) for gold in known if (text := _as_shown(subject, gold)) is not None]
    if len(variants) < FEWEST_ROWS:
        return
    outcome = played(subject, variants).get("shown")
    if outcome is None or not all(loses_half(subject, episode) for episode in outcome.episodes):
        return
    episode = outcome.episodes[0]
    said, gold = answer_text(episode.completion), golds(subject)[episode.row_index]
    yield Finding(
        f"A form of dates that no prompt mentions decides the score: {quoted(said)}, as the text before the answer "
        f"writes dates, scores {episode.reward:g}, and {quoted(gold.text)} {gold.reward:g}, on "
        f"{len(outcome.episodes)} rows.",
        "Ask for the form in the prompt, or compare which days the dates mean.",
        row=episode.row_index, input=said, output=episode.reward, expected=gold.reward,
    )  # fmt: skip


def _as_shown(subject: Subject, gold: Gold) -> str | None:
    """Gold that is a date, written as all dates before it are; None where its own form is shown or mentioned."""
    begin, end = answer_span(gold.text)
    inside = gold.text[begin:end]
    core = _LABEL.sub("", inside.strip(), count=1).rstrip(".")
    day = date_in(core)
    texts = "\n".join(_texts_before(subject, gold)) if day else ""
    if day is None or _MENTIONED.search(texts):
        return None
    written = date_like(day, core, dates_shown(texts))
    return written and gold.text[:begin] + inside.replace(core, written) + gold.text[end:]


def _texts_before(subject: Subject, gold: Gold) -> list[str]:
    """All texts that a model has before it answers, with those of the assistant, which may show the form."""
    messages = prompt_messages(subject.row(gold.row)["prompt"])
    return [
        str(subject.tools or ""),
        *(str(one.get("content")) for one in messages),
        *replies_to_gold(subject, gold.row),
    ]
