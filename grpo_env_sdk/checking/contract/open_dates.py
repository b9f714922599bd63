"""Whether dates whose day may be the month, such as 03/04/2025, are to be read in an order that prompts never tell."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.contract.second_opinion import asked_rows, whole_pairs
from grpo_env_sdk.checking.evidence.attempts.answer_pairs import Pairs
from grpo_env_sdk.checking.evidence.golds import golds, loses_half, play_answers
from grpo_env_sdk.checking.evidence.prompts.asked_dates import masks_shown
from grpo_env_sdk.checking.evidence.prompts.bare_text import bare
from grpo_env_sdk.checking.evidence.prompts.opinions import OPINIONS
from grpo_env_sdk.checking.evidence.prompts.opinions_on_orders import OPEN_DATE, may_tell_order
from grpo_env_sdk.checking.evidence.prompts.second_opinions import instead
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex

FEWEST_ROWS, FEWEST_DATES, FEWEST_ANSWERS, FEWEST_OTHERS, MOST_PLAYED, MOST_READ = 5, 8, 3, 3, 8, 100
DAY_FIRST, MONTH_FIRST = "the day first", "the month first"
_BETWEEN_ITEMS = regex(r"[,;:|.?!()\n]")
Others = Mapping[int, str]
"""By row, the answer in the other order where it is another one."""


@check("C172", needs=("gold",), kinds=("single-turn",), severity="warning")
def dates_can_be_read_in_one_order(subject: Subject) -> Iterator[Finding]:
    """Where gold needs dates to be read with the day or the month first, some prompt tells which."""
    pairs = [pair for pair in whole_pairs(subject) if OPEN_DATE.search(pair[1])]
    prompts = [prompt_text(subject, row) for row in subject.sample(MOST_READ)]
    dates = {found.group() for prompt in prompts for found in OPEN_DATE.finditer(prompt)}
    if len(pairs) < FEWEST_ROWS or len(dates) < FEWEST_DATES or len({answer for *_, answer in pairs}) < FEWEST_ANSWERS:
        return
    if any(map(may_tell_order, prompts)) or any(map(masks_shown, prompts)) or not all(map(_is_open, dates)):
        return
    for order, others in ((one, others) for one in (DAY_FIRST, MONTH_FIRST) for others in _others(subject, pairs, one)):
        tried = list(others.items())[:MOST_PLAYED]
        episodes = play_answers(subject, tried)
        if len(tried) >= FEWEST_OTHERS and episodes and all(loses_half(subject, episode) for episode in episodes):
            row, text = tried[0]
            yield Finding(
                f"All {len(dates)} dates in the prompts may be read with the day or the month first, and nothing tells "
                f"which is meant: gold has {order}, and by the other order another answer is right on {len(others)} of "
                f"{len(pairs)} rows, such as {quoted(text)}, which scores {episodes[0].reward:g}.",
                "Write months in words or dates as 2025-04-03, or say in the prompt which of the two is first.",
                row, prompt_text(subject, row)[-600:], episodes[0].reward, golds(subject)[row].reward,
            )  # fmt: skip
            return


def _is_open(text: str) -> bool:
    first, _, second, _ = OPEN_DATE.fullmatch(text).groups()  # type: ignore[union-attr]
    return 0 < int(first) <= 12 and 0 < int(second) <= 12


def _others(subject: Subject, pairs: Pairs, order: str) -> Iterator[Others]:
    """What is right by the other order, for each kind of question that gold answers by this one on all rows."""
    yield from _worked_out(subject, pairs, order)
    yield from _chosen(subject, pairs, order)


def _worked_out(subject: Subject, pairs: Pairs, order: str) -> Iterator[Others]:
    """Where something can be worked out from the dates, such as the days between them or a weekday."""
    by_order = {one: [(row, _clear(prompt, one), answer) for row, prompt, answer in pairs] for one in _BOTH}
    for opinion in OPINIONS:
        rows = asked_rows(opinion, by_order[order])
        other = {one.row: one for one in asked_rows(opinion, by_order[_other(order)])}
        for name in rows[0].readings if len(rows) == len(pairs) else ():
            if all(one.agrees(name) for one in rows):
                yield {
                    row: text for row, one in other.items() if name in one.readings and not one.agrees(name)
                    and (text := instead(golds(subject)[row].text, one.readings[name]))
                }  # fmt: skip


def _chosen(subject: Subject, pairs: Pairs, order: str) -> Iterator[Others]:
    """Where the answer is what has the earliest or the latest date."""
    named = {row: (_items(prompt, answer), answer) for row, prompt, answer in pairs}
    for best in (min, max):
        others = {}
        for row, (items, answer) in named.items():
            chosen, other = (
                best(items, key=lambda one: _day(items[one], by), default="") for by in (order, _other(order))
            )
            if bare(chosen) != answer:
                break
            if bare(other) != answer:
                others[row] = _instead_of_word(golds(subject)[row].text, chosen, other)
        else:
            yield others


def _items(prompt: str, answer: str) -> Mapping[str, str]:
    """The items of a prompt with their dates, where the answer is one of them: what is before each date, or behind."""
    found = list(OPEN_DATE.finditer(prompt))
    edges = [0, *(one.end() for one in found)], [*(one.start() for one in found), len(prompt)]
    texts = [prompt[begin:end] for begin, end in zip(*edges, strict=True)]
    before = [_BETWEEN_ITEMS.split(text)[-1] for text in texts[:-1]]
    behind = [next(filter(str.strip, _BETWEEN_ITEMS.split(text)), "") for text in texts[1:]]
    for clauses in (before, behind):
        names = _without_common_words(clauses)
        if len(set(names)) == len(found) > 1 and answer in map(bare, names):
            return dict(zip(names, (one.group() for one in found), strict=True))
    return {}


def _without_common_words(clauses: Sequence[str]) -> list[str]:
    held = [clause.split() for clause in clauses]
    common = set.intersection(*map(set, held)) if held else set()
    return [" ".join(word for word in words if word not in common) for words in held]


def _instead_of_word(text: str, word: str, other: str) -> str:
    return re.sub(re.escape(word), lambda _: other, text, count=1, flags=re.IGNORECASE)


_BOTH = (DAY_FIRST, MONTH_FIRST)


def _other(order: str) -> str:
    return MONTH_FIRST if order == DAY_FIRST else DAY_FIRST


def _day(text: str, order: str) -> date:
    first, _, second, year = OPEN_DATE.fullmatch(text).groups()  # type: ignore[union-attr]
    day, month = (first, second) if order == DAY_FIRST else (second, first)
    return date(int(year), int(month), int(day))


def _clear(prompt: str, order: str) -> str:
    """A prompt whose dates are read in an order and written so that no other is possible."""
    return OPEN_DATE.sub(lambda found: _day(found.group(), order).isoformat(), prompt)
