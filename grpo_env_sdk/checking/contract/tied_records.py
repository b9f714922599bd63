"""Records of a table or a list in a prompt that have the most or the least as gold has, and are refused as answers."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grpo_env_sdk.checking.evidence.attempts.answer_pairs import pairs_of
from grpo_env_sdk.checking.evidence.attempts.guesses import form_of_golds, without_form
from grpo_env_sdk.checking.evidence.golds import golds, loses_half, play_answers
from grpo_env_sdk.checking.evidence.prompts.bare_text import bare
from grpo_env_sdk.checking.evidence.prompts.broken_form import sentences_of
from grpo_env_sdk.checking.evidence.prompts.shown_tables import Table, tables_in
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.secret_words import has_word
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex

FEWEST_ROWS, FEWEST_ANSWERS, FEWEST_TIES, FEWEST_FIRST, MOST_PLAYED = 8, 3, 2, 4, 12
"""How many rows, gold answers and ties show it; and ties where no superlative asks for the best, but a comparative,
if gold is the first of the best each time, or the last."""
_SUPERLATIVE = regex(r"\b(?:most|least|best|worst|maximum|minimum|[^\W\d_]{2,}est)\b", re.IGNORECASE)
_COMPARATIVE = regex(
    r"\b(?:(?!(?:rath|oth)er)[^\W\d_]{2,}er|more|less) (?:\w+ ){0,2}than\b|\bas (?:\w+ ){1,2}as any\b", re.IGNORECASE
)
_CONDITION = regex(r"\b(?:if|unless)\b", re.IGNORECASE)
_RULE_FOR_TIES = regex(
    r"\b(?:ties?|tied|draws?|first|last|earl\w+|alphabet\w*|several|equal\w*|level|more than one|"
    r"both|any of|otherwise|same|arriv\w*|queue\w*|in (?:the )?order|priority|match\w*|sooner|later|replac\w*|beats?|"
    r"overtak\w*|outbid\w*|decid\w*|casting|chair\w*|prefer\w*|break\w*|standing|holds?)\b",
    re.IGNORECASE,
)
"""What a prompt says where it may say which one is meant."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """One prompt that asks which record has the most or the least: the figures, gold's record, and the answers."""

    row: int
    figures: Sequence[float]
    place: int
    answers: Sequence[str]

    def others(self) -> list[str]:
        """The answers of the other records with gold's figure."""
        best = self.figures[self.place]
        named = {bare(self.answers[self.place])}
        return [
            answer for figure, answer in zip(self.figures, self.answers, strict=True)
            if figure == best and bare(answer) not in named
        ]  # fmt: skip


def tied_records(subject: Subject) -> Iterator[Finding]:
    """The finding that several records are the best ones, and that only the one of gold is paid."""
    by_words: dict[str, list[_Asked]] = defaultdict(list)
    for row, prompt, answer in pairs_of(subject):
        tables = tables_in(prompt) if _SUPERLATIVE.search(prompt) or _COMPARATIVE.search(prompt) else []
        words = _comparing(tables[0].around) if len(tables) == 1 else ""
        if words and (asked := _asked(row, tables[0], answer)):
            by_words[words].append(asked)
    for words, asked_so in by_words.items():
        is_best = any(all(one.figures[one.place] == side(one.figures) for one in asked_so) for side in (max, min))
        tied = [one for one in asked_so if one.others()]
        varied = len({one.answers[one.place] for one in asked_so}) >= FEWEST_ANSWERS
        enough = len(tied) >= (FEWEST_TIES if _SUPERLATIVE.search(words) else FEWEST_FIRST)
        one_counts = enough and (_SUPERLATIVE.search(words) or _is_in_one_place(tied))
        if is_best and varied and len(asked_so) >= FEWEST_ROWS and one_counts:
            yield from _proven(subject, tied, len(asked_so))
            return


def _comparing(text: str) -> str:
    """The superlatives of a text, or its comparatives, but those of conditions, if it has none."""
    asked = " ".join(one for one in sentences_of(text) if not _CONDITION.search(one))
    return " ".join(_SUPERLATIVE.findall(text) or _COMPARATIVE.findall(asked)).casefold()


def _is_in_one_place(tied: Sequence[_Asked]) -> bool:
    """Whether gold is the first of the best each time, or the last each time."""
    best = [[at for at, figure in enumerate(one.figures) if figure == one.figures[one.place]] for one in tied]
    return any(all(one.place == places[end] for one, places in zip(tied, best, strict=True)) for end in (0, -1))


def _asked(row: int, table: Table, answer: str) -> _Asked | None:
    """The one column of figures that a prompt names, or has, and the one cell that is the answer."""
    columns = {column: found for column in range(len(table.names)) if (found := table.figures(column))}
    named = [column for column in columns if table.names[column] and has_word(table.around, table.names[column])]
    cells = [
        (place, column) for place, record in enumerate(table.records) for column, cell in enumerate(record)
        if bare(cell) == answer and column not in columns
    ]  # fmt: skip
    chosen = named or list(columns)
    if len(chosen) != 1 or len(cells) != 1 or _RULE_FOR_TIES.search(table.around):
        return None
    place, column = cells[0]
    return _Asked(row, columns[chosen[0]], place, [record[column] for record in table.records])


def _proven(subject: Subject, tied: Sequence[_Asked], count: int) -> Iterator[Finding]:
    form = form_of_golds(subject)
    tried = []
    for one in tied[:MOST_PLAYED]:
        is_lower = without_form(golds(subject)[one.row].text, form).islower()
        other = one.others()[-1]
        tried.append((one.row, f"{form[0]}{other.lower() if is_lower else other}{form[1]}"))
    episodes = play_answers(subject, tried)
    if len(episodes) < FEWEST_TIES or not all(loses_half(subject, episode) for episode in episodes):
        return
    (row, text), gold = tried[0], golds(subject)[tried[0][0]]
    yield Finding(
        f"{len(tied)} of {count} lists or tables have several records that are the best one: in row {row}, "
        f"{quoted(gold.text)} scores {gold.reward:g}, and {quoted(text)}, which has the same figure, "
        f"{episodes[0].reward:g}.",
        "Draw tables without ties, accept each of the best, or say in the prompt which one counts.",
        row, text, episodes[0].reward, gold.reward,
    )  # fmt: skip
