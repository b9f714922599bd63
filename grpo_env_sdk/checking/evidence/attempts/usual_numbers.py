"""Answers of numbers: each number with the mean, the median or the most frequent of those in its place."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from statistics import mean, median, mode
from typing import Any

from grpo_env_sdk.checking.evidence.prompts.asked_templates import SLOT
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Row

FEWEST_ANSWERS, MOST_NUMBERS, MOST_TEXT, MOST_FORMS = 3, 12, 200, 4
"""How many answers a mean is of, how many numbers and characters one has at most, and how many forms are tried."""
_ONE = r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.]*\d)"
_NUMBER, _RUN = regex(_ONE), regex(rf"[(\[]?{_ONE}(?:[,;/ ]{{1,3}}{_ONE})+[)\]]?")
"""A number, and several with a mark or a space between them."""
_ID = regex(r"(?:^|_)(?:id|idx|index|row|seed|case_idx|best_possible)$|prompt")
_MIDDLES: dict[str, Callable[[Iterable[float]], float]] = {
    "the mean": mean, "the median": median, "the most frequent one": mode,
}  # fmt: skip
Places = Sequence[Sequence[str]]
Named = tuple[str, str]
"""What is in the places of an answer's numbers, and the answer."""


def usual_numbers(texts: Sequence[str]) -> Iterator[Named]:
    """Answers with the numbers that are usual in their places, where most answers are alike but for their numbers."""
    short = [text for text in texts if len(text) <= MOST_TEXT and SLOT not in text]
    form, count = Counter(map(_form, short)).most_common(1)[0] if short else ("", 0)
    if count >= max(FEWEST_ANSWERS, len(texts) / 2) and 1 <= form.count(SLOT) <= MOST_NUMBERS:
        alike = [_NUMBER.findall(text) for text in short if _form(text) == form]
        yield from _filled(form, list(zip(*alike, strict=True)))


def usual_numbers_of_columns(rows: Sequence[Row], columns: Collection[str], shown: Iterable[str]) -> Iterator[Named]:
    """The same of the columns of numbers, in the forms of texts that have as many numbers, or with commas."""
    names = [name for name in rows[0] if name in columns and not _ID.search(name)] if rows else []
    numbers = [[number for name in names for number in _numbers_in(row[name])] for row in rows]
    if len(rows) < FEWEST_ANSWERS or len(set(map(len, numbers))) > 1 or not 1 <= len(numbers[0]) <= MOST_NUMBERS:
        return
    places = list(zip(*numbers, strict=True))
    forms = [form for text in shown if (form := _form(text)).count(SLOT) == len(places)]
    for form in list(dict.fromkeys([", ".join([SLOT] * len(places)), *forms]))[:MOST_FORMS]:
        yield from _filled(form, places)


def number_runs(prompts: Sequence[str]) -> list[str]:
    """The numbers side by side that all prompts have, such as those of an example."""
    return [run for run in _RUN.findall(prompts[0]) if all(run in prompt for prompt in prompts)] if prompts else []


def _form(text: str) -> str:
    return _NUMBER.sub(SLOT, text)


def _numbers_in(value: Any) -> list[str]:
    values = value if isinstance(value, list | tuple) else value.values() if isinstance(value, Mapping) else [value]
    return [str(one) for one in values if isinstance(one, int | float) and not isinstance(one, bool)]


def _filled(form: str, places: Places) -> Iterator[Named]:
    """A form with what is usual in each place, with as many decimals as the numbers there have."""
    for what, middle in _MIDDLES.items():
        if middle is mode and all(len(set(place)) == len(place) for place in places):
            continue
        usual = [_rounded(middle(map(float, place)), place) for place in places]
        text = "".join(between + number for between, number in zip(form.split(SLOT), [*usual, ""], strict=True))
        yield f"{what} in the place of each number", text


def _rounded(value: float, place: Sequence[str]) -> str:
    return f"{value:.{max(len(one.partition('.')[2]) for one in place)}f}"
