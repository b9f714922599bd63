"""Whether gold is in the form that its prompt asks for."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.guesses import form_of, without_form
from grpo_env_sdk.checking.evidence.golds import Gold, golds, loses_half, reward_of
from grpo_env_sdk.checking.evidence.prompts.asked_copies import broken_copy, look_alike, unlike_shown
from grpo_env_sdk.checking.evidence.prompts.asked_dates import broken_date
from grpo_env_sdk.checking.evidence.prompts.asked_lengths import broken_language, broken_length
from grpo_env_sdk.checking.evidence.prompts.asked_numbers import broken_decimals, broken_digits, broken_time
from grpo_env_sdk.checking.evidence.prompts.broken_form import BrokenForm
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, replies_to_gold
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.variants import Variant, played
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.forms.asked_of_arguments import calls_break_their_schema
from grpo_env_sdk.checking.teaching.lazy_answers.idling import MOSTLY
from grpo_env_sdk.data.messages import answer_text
from grpo_env_sdk.evaluation.stats import Share

MOST_ROWS = {"quick": 8, "default": 12, "thorough": 40}
MOST_CHARS = 4_000
"""The last characters of a prompt, in which instructions are looked for."""
FEWEST_REFUSED, FEWEST_ROWS, MOST_SHOWN = 3, 6, 60
Reader = Callable[[str, str, Sequence[str]], BrokenForm | None]
WRITABLE: tuple[Reader, ...] = (broken_date, broken_time, broken_digits, broken_decimals)
"""Forms in which gold can be written: refusing them is the fault."""
OTHERS = (broken_length, broken_language)
"""Forms that gold breaks, and cannot be written in."""


@dataclass(frozen=True, slots=True)
class Row:
    """A gold answer that breaks what its prompt asks for."""

    gold: Gold
    broken: BrokenForm


@check("G553", needs=("gold",), severity="error")
def gold_has_the_form_that_is_asked_for(subject: Subject) -> Iterator[Finding]:
    """Gold is in the form that its prompt or a tool's schema asks for, or an answer in that form scores as much."""
    yield from islice(calls_break_their_schema(subject), 1)
    known = [gold for gold in golds(subject).values() if gold.text and not gold.turns[-1].get("tool_calls")]
    texts = [gold.text for gold in known]
    form = form_of(texts)
    prompts = {gold.row: prompt_text(subject, gold.row)[-MOST_CHARS:] for gold in known}
    for read in WRITABLE:
        broken = ((gold, _rewritten(prompts[gold.row], gold, form, read, texts)) for gold in known)
        if finding := _finding_if_refused(
            subject, [Row(gold, one) for gold, one in broken if one and one.written], len(known)
        ):
            yield finding
    for copy in (broken_copy, unlike_shown):
        reads = {gold.row: _reader(copy, subject, gold.row) for gold in known}
        copied = ((gold, _rewritten(prompts[gold.row], gold, form, reads[gold.row], texts)) for gold in known)
        if finding := _finding_if_refused(subject, [Row(gold, one) for gold, one in copied if one], len(known)):
            yield finding
    for look in OTHERS:
        seen = ((gold, [look(prompts[gold.row], text) for text in _said(gold.text, form)]) for gold in known)
        rows = [Row(gold, every[0]) for gold, every in seen if every[0] and all(every)]
        share = Share(len(rows), len(known))
        if len(known) >= FEWEST_ROWS and share.low >= MOSTLY:
            row = rows[0]
            yield Finding(
                f"The prompt asks for {quoted(row.broken.asked)}, and gold is not like that on {share}: "
                f"{quoted(row.gold.text)} scores {row.gold.reward:g}.",
                "Correct what gold is, or what the prompt asks for: who obeys it cannot give this answer.",
                row.gold.row, row.gold.text, row.gold.reward, "gold that the prompt allows",
            )  # fmt: skip


def _reader(copy: Callable[[str, str, str], BrokenForm | None], subject: Subject, row: int) -> Reader:
    """Looks for what is copied in all that gold has been shown."""
    shown = "\n".join([prompt_text(subject, row), *replies_to_gold(subject, row)])
    return lambda prompt, text, _: copy(prompt, shown, text)


def _rewritten(prompt: str, gold: Gold, form: tuple[str, str], read: Reader, texts: Sequence[str]) -> BrokenForm | None:
    """What gold breaks, as a whole or inside what all golds share, and gold in that form."""
    core = without_form(gold.text, form)
    before, _, after = gold.text.partition(core) if core else ("", "", "")
    in_number = re.search(r"\d[.,]?$", before) or re.match(r"[.,]?\d", after)
    for text, start, end in ((gold.text, "", ""), (core, before, after))[: 1 if in_number else 2]:
        if broken := read(prompt, text, texts):
            return BrokenForm(broken.asked, tuple(f"{start}{one}{end}" for one in broken.written))
    return None


def _said(gold: str, form: tuple[str, str]) -> tuple[str, ...]:
    """What may be the answer in gold: all of it, what is inside marks that all golds share, or behind thoughts."""
    last = gold.rpartition("</think>")[2].strip()
    marked = without_form(gold, form) if re.search(r"[:>{*#\[`]\s*$", form[0]) else gold
    return gold, marked, last, re.sub(r"^[^\W\d_][\w ]{0,20}: *", "", last)


def _finding_if_refused(subject: Subject, rows: Sequence[Row], of: int) -> Finding | None:
    """The finding that gold is refused in the form that is asked for, however that is written."""
    tried = rows[: MOST_ROWS[subject.effort]]
    again = played(subject, [Variant("gold", row.gold, row.gold.text) for row in tried])
    won = {episode.row_index for outcome in again.values() for episode in outcome.won}
    tried = [row for row in tried if row.gold.row in won]
    variants = [Variant(str(row.gold.row), row.gold, text) for row in tried for text in row.broken.written]
    outcomes = played(subject, variants)
    best = {
        row.gold.row: max(outcome.episodes, key=reward_of)
        for row in tried
        if (outcome := outcomes.get(str(row.gold.row)))
    }
    lost = [row for row in tried if row.gold.row in best and loses_half(subject, best[row.gold.row])]
    if len(lost) < FEWEST_REFUSED or len(lost) < MOSTLY * len(best):
        return None
    gold, episode = golds(subject)[lost[0].gold.row], best[lost[0].gold.row]
    said, asked = answer_text(episode.completion), lost[0].broken.asked
    alike = look_alike(said, gold.text)
    shown, right = (ascii(text[:MOST_SHOWN]) if alike else quoted(text) for text in (said, gold.text))
    other = f"The prompt asks for {quoted(asked)}, and gold is in another form"
    what = other if asked else "Gold is not as it is shown"
    return Finding(
        f"{what} on {len(rows)} of {of} rows: {shown} scores {episode.reward:g}, and {right} {gold.reward:g}.",
        "Compare with the form that is asked for or shown, or with what answers mean, and correct gold.",
        gold.row, said, episode.reward, gold.reward, severity="error" if asked or alike else "warning",
    )  # fmt: skip
