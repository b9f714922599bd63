"""Whether gold is right where its prompt asks something that can be worked out from the prompt alone."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.answer_pairs import Pairs, pairs_of
from grpo_env_sdk.checking.evidence.golds import golds, loses_half, play_answers
from grpo_env_sdk.checking.evidence.prompts.asked_dates import dates_in
from grpo_env_sdk.checking.evidence.prompts.bare_text import bare
from grpo_env_sdk.checking.evidence.prompts.opinions import OPINIONS
from grpo_env_sdk.checking.evidence.prompts.second_opinions import Opinion, Value, agrees_with, instead, readable
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding

FEWEST_ROWS, FEWEST_ANSWERS, FEWEST_WRONG, MOST_PLAYED = 6, 3, 2, 8
AGREED, NEARLY_ALL, ALL, SURE = 0.4, 0.85, 0.97, 3
"""The share of rows on which gold has to be what was worked out for the question to be understood; from which on
others with the same words are meant alike, and on which a reading is the one that gold was written by; and from how
many rows on it is an error."""
_HINT = "Correct gold, or say in the prompt what is meant; work gold out in two ways that share no code."


@dataclass(frozen=True, slots=True)
class AskedRow:
    """One prompt that asks such a question: its gold answer, and the answers to it by reading."""

    row: int
    prompt: str
    answer: str
    readings: dict[str, Value]

    def agrees(self, reading: str) -> bool:
        """Whether gold is the answer by a reading."""
        return reading in self.readings and agrees_with(self.answer, self.readings[reading])


@check("C151", needs=("gold",), kinds=("single-turn", "tools"))
def gold_is_what_the_prompt_asks_for(subject: Subject) -> Iterator[Finding]:
    """Gold is what can be worked out from its prompt: days between dates, words of a text, a list in order, sums."""
    pairs = whole_pairs(subject)
    for opinion in (one for one in OPINIONS if one.with_tools or subject.traits.kind == "single-turn"):
        rows = asked_rows(opinion, pairs)
        if len(rows) >= FEWEST_ROWS and (found_here := _wrong(opinion, rows)):
            reading, wrong, why = found_here
            yield from _proven(subject, opinion, reading, wrong, len(rows), why)
            return


def asked_rows(opinion: Opinion, pairs: Pairs) -> list[AskedRow]:
    """The rows whose prompts ask a kind of question that can be worked out, with answers of that kind."""
    return [
        AskedRow(row, prompt, answer, found) for row, prompt, answer in pairs
        if opinion.asked.search(prompt) and (found := dict(opinion.readings(prompt)))
        and any(readable(answer, value) for value in found.values())
    ]  # fmt: skip


def whole_pairs(subject: Subject) -> Pairs:
    """Row, prompt and answer, with commas between the lines of an answer that has several."""
    lines = {
        row: [bare(line) for line in gold.text.splitlines() if line.strip()] for row, gold in golds(subject).items()
    }
    return [
        (
            row,
            prompt,
            _whole_date(", ".join(lines[row]) if len(lines[row]) > 2 else answer, bare(golds(subject)[row].text)),
        )
        for row, prompt, answer in pairs_of(subject)
    ]


def _whole_date(answer: str, text: str) -> str:
    """An answer, or the text of which it is the rest, where all dates begin with the same year."""
    return text if not dates_in(answer) and len(dates_in(text)) == 1 else answer


def _wrong(opinion: Opinion, rows: list[AskedRow]) -> tuple[str, list[AskedRow], str] | None:
    """The reading that prompts ask for, and the rows whose gold is something else."""
    agreed = Counter(reading for one in rows for reading in one.readings if one.agrees(reading))
    if max(agreed.values(), default=0) < len(rows) and (slipped := _slipped(opinion, rows)):
        return slipped
    if not agreed:
        return None
    best, count = agreed.most_common(1)[0]
    if count >= (NEARLY_ALL if is_ruled_out(opinion, best, rows[0].prompt) else ALL) * len(rows):
        return _against(opinion, best, rows) if len({str(one.answer) for one in rows}) >= FEWEST_ANSWERS else None
    right = [one for one in rows if one.agrees(best)]
    wrong = [
        one for one in rows if best in one.readings
        and not any(one.agrees(reading) for reading in one.readings if not is_ruled_out(opinion, reading, one.prompt))
    ]  # fmt: skip
    if opinion.alike and count >= NEARLY_ALL * len(rows):
        wrong += _said_alike(right, [one for one in rows if best in one.readings and one not in [*right, *wrong]])
    varied = len({one.answer for one in right}) >= min(FEWEST_ANSWERS, len({one.answer for one in rows}))
    enough = len(right) >= max(FEWEST_ROWS, AGREED * len(rows)) and len(wrong) >= FEWEST_WRONG
    return (best, wrong, f"while gold is that on {len(right)} others") if enough and varied else None


def _slipped(opinion: Opinion, rows: list[AskedRow]) -> tuple[str, list[AskedRow], str] | None:
    """The reading by which gold is what comes of a usual slip on all rows, and the rows on which that is wrong."""
    slips = [opinion.slips(one.prompt) for one in rows]
    for slip, reading in product(slips[0], rows[0].readings):
        if is_ruled_out(opinion, reading, rows[0].prompt):
            continue
        slipped = [by.get(slip, {}) for by in slips]
        if all(reading in by and agrees_with(one.answer, by[reading]) for one, by in zip(rows, slipped, strict=True)):
            wrong = [one for one in rows if not one.agrees(reading)]
            return (reading, wrong, f"while gold has {slip}") if len(wrong) >= FEWEST_WRONG else None
    return None


def _said_alike(right: list[AskedRow], others: list[AskedRow]) -> list[AskedRow]:
    """The rows that no word of their prompts tells apart from those that have the usual reading."""
    words = {word for one in right for word in words_of(one.prompt)}
    return [one for one in others if words_of(one.prompt) <= words]


def words_of(prompt: str) -> set[str]:
    """The words of a prompt, without numbers."""
    return set(re.findall(r"[^\W\d_]+", prompt.casefold()))


def is_ruled_out(opinion: Opinion, reading: str, prompt: str) -> bool:
    """Whether the words of a prompt rule a reading out."""
    return any(reading.startswith(start) and words.search(prompt) for start, words in opinion.against.items())


def _against(opinion: Opinion, reading: str, rows: list[AskedRow]) -> tuple[str, list[AskedRow], str] | None:
    """Another reading, where gold has one throughout that the words of the prompts rule out."""
    out = [words for start, words in opinion.against.items() if reading.startswith(start)]
    found = [(one, next(filter(None, (words.search(one.prompt) for words in out)), None)) for one in rows]
    said = [(one, match.group()) for one, match in found if match]
    if len(said) < ALL * len(rows):
        return None
    allowed = [other for other in rows[0].readings if not is_ruled_out(opinion, other, rows[0].prompt)]
    wrong = [
        one
        for one, _ in said
        if allowed and allowed[0] in one.readings and one.agrees(reading) and not one.agrees(allowed[0])
    ]
    if len(wrong) < FEWEST_WRONG:
        return None
    return allowed[0], wrong, f"where the prompt says {said[0][1]!r} and gold is the answer {reading}"


def _proven(
    subject: Subject, opinion: Opinion, reading: str, wrong: list[AskedRow], count: int, why: str
) -> Iterator[Finding]:
    """The finding, where what was worked out is refused in place of gold."""
    known = golds(subject)
    tried = [
        (one, text) for one in wrong[:MOST_PLAYED]
        if (text := instead(known[one.row].text, one.readings[reading])) and text != known[one.row].text
    ]  # fmt: skip
    episodes = play_answers(subject, [(one.row, [*known[one.row].turns[:-1], text]) for one, text in tried])
    refused = [
        (one, text, episode) for (one, text), episode in zip(tried, episodes, strict=False)
        if loses_half(subject, episode)
    ]  # fmt: skip
    if len(refused) < min(FEWEST_WRONG, len(episodes)) or not refused:
        return
    one, text, episode = refused[0]
    yield Finding(
        f"Gold is wrong on {len(wrong)} of {count} rows that ask for {opinion.name} ({reading}), {why}: "
        f"{quoted(text)} scores {episode.reward:g}, and gold is {quoted(known[one.row].text)}.",
        _HINT, one.row, one.prompt[-600:], episode.reward, known[one.row].reward,
        severity="error" if len(wrong) >= SURE else "warning",
    )  # fmt: skip
