"""Whether prompts show all of the numbers that gold is worked out from, or cut long lists off."""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import mean, median

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.answer_pairs import pairs_of
from grpo_env_sdk.checking.evidence.golds import golds, loses_half, play_answers
from grpo_env_sdk.checking.evidence.prompts.second_opinions import agrees_with, instead, number_of, numbers_in, readable
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex

FEWEST_SHORT, FEWEST_WRONG, FEWEST_ANSWERS, FEWEST_ITEMS = 6, 3, 3, 3
AGREED, MOST_PLAYED = 0.97, 4
"""The share of short lists that has to agree, and on how many rows another answer is tried."""
Numbers = tuple[float, ...]
FIGURES: dict[str, Callable[[Numbers], float]] = {
    "sum": lambda numbers: float(sum(numbers)),
    "number": lambda numbers: float(len(numbers)),
    "largest": lambda numbers: float(max(numbers)),
    "smallest": lambda numbers: float(min(numbers)),
    "mean": lambda numbers: float(mean(numbers)),
    "median": lambda numbers: float(median(numbers)),
    "range": lambda numbers: float(max(numbers) - min(numbers)),
    "last": lambda numbers: float(numbers[-1]),
    "product": lambda numbers: float(math.prod(numbers)),
}
_IN_LINE = regex(r"(?<![\w.])[-\u2212]?\d+(?:\.\d+)?(?:(?:, ?(?:and )?|; ?| and | \| | )[-\u2212]?\d+(?:\.\d+)?){2,}")
_DIGITS = regex(r"[-\u2212]?\d+(?:,\d{3})*(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class _Row:
    """One prompt: its gold, and one figure of the numbers that it lists."""

    row: int
    answer: str
    items: int
    value: float

    @property
    def agrees(self) -> bool:
        return agrees_with(self.answer, self.value)


@check("C154", needs=("gold",), kinds=("single-turn",))
def prompts_show_what_gold_is_worked_out_from(subject: Subject) -> Iterator[Finding]:
    """Where gold follows from the numbers that a prompt lists, it does so on long lists as well as on short ones."""
    pairs = [pair for pair in pairs_of(subject) if readable(pair[2], 0.0)]
    if len(pairs) < FEWEST_SHORT + FEWEST_WRONG:
        return
    lists = [(row, answer, _lists(prompt)) for row, prompt, answer in pairs]
    for place in dict.fromkeys(place for _, _, found in lists for place in found):
        shown = [(row, answer, found[place]) for row, answer, found in lists if place in found]
        if len(shown) < AGREED * len(pairs):
            continue
        for name, figure in FIGURES.items():
            rows = [_Row(row, answer, len(numbers), figure(numbers)) for row, answer, numbers in shown]
            if wrong := _cut_off(rows):
                yield from _proven(subject, name, wrong, rows)
                return


def _lists(prompt: str) -> dict[tuple[str, int], Numbers]:
    """The one list of numbers in a line of a prompt, and the numbers in each place of the one list of like lines."""
    in_line = _IN_LINE.findall(prompt)
    found: dict[tuple[str, int], Numbers] = {}
    if len(in_line) == 1:
        found["a line", 0] = tuple(numbers_in(re.sub(r"[;|]", " ", in_line[0]).replace(",", ", ")))
    alike = [list(group) for shape, group in groupby(prompt.splitlines(), _shape) if "#" in shape]
    tables = [group for group in alike if len(group) >= FEWEST_ITEMS]
    if len(tables) == 1:
        columns = zip(*(map(number_of, _DIGITS.findall(line)) for line in tables[0]), strict=True)
        found |= {("lines", place): numbers for place, numbers in enumerate(columns)}
    return found


def _shape(line: str) -> str:
    """A line without what its numbers and words say."""
    return re.sub(r"[^\W\d_]+(?: [^\W\d_]+)*", "w", _DIGITS.sub("#", line)).strip()


def _cut_off(rows: Sequence[_Row]) -> list[_Row]:
    """The rows with the longest lists whose gold does not follow from them, where that of all others does."""
    most = max(one.items for one in rows)
    short = [one for one in rows if one.items < most]
    wrong = [one for one in rows if one.items == most and not one.agrees]
    right = [one for one in short if one.agrees]
    varied = len({one.answer for one in right}) >= min(FEWEST_ANSWERS, len({one.answer for one in rows}))
    enough = len(right) >= max(FEWEST_SHORT, AGREED * len(short)) and len(wrong) >= FEWEST_WRONG
    return wrong if enough and varied else []


def _proven(subject: Subject, name: str, wrong: Sequence[_Row], rows: Sequence[_Row]) -> Iterator[Finding]:
    """The finding, where the figure of what is shown is refused."""
    known = golds(subject)
    tried = [(one, text) for one in wrong[:MOST_PLAYED] if (text := instead(known[one.row].text, one.value))]
    episodes = play_answers(subject, [(one.row, [*known[one.row].turns[:-1], text]) for one, text in tried])
    if not episodes or not all(loses_half(subject, episode) for episode in episodes):
        return
    (one, text), gold = tried[0], known[tried[0][0].row]
    short = sum(each.items < one.items for each in rows)
    yield Finding(
        f"Prompts show at most {one.items} numbers of a list, and gold is worked out from more on {len(wrong)} of "
        f"{len(rows)} rows: the {name} of what is shown is gold on all {short} rows with fewer numbers, but in row "
        f"{one.row} {quoted(text)} scores {episodes[0].reward:g}, and gold is {quoted(gold.text)}.",
        "Show the whole list in the prompt, or work gold out from what the prompt shows.",
        one.row, text, episodes[0].reward, gold.reward,
    )  # fmt: skip
