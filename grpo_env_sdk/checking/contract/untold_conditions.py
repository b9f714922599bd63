"""Whether prompts tell what one of their rules depends on, such as the day where Sundays are paid more."""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice, permutations
from statistics import median, mode

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.answer_pairs import pairs_of
from grpo_env_sdk.checking.evidence.golds import golds
from grpo_env_sdk.checking.evidence.prompts.second_opinions import numbers_in
from grpo_env_sdk.checking.evidence.secret_words import says
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, results_of_gold, shows_pictures
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.calls import calls_made
from grpo_env_sdk.checking.evidence.tool_use.listing_calls import replies_to_looks
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex

FEWEST_ROWS, FEWEST_PAIRS, MOST_VALUES, MOST_NUMBERS = 6, 12, 12, 6
"""How many rows have to have a value, and how many not to, how many pairs of these say the same but for numbers, how
many values a column may have, and how many numbers gold may be in proportion to."""
APART, AT_MOST = 0.96, 0.3
"""How often gold has to be larger with the value than without it, or smaller; and how far from half of the time a
number of the prompt may be, which could tell the value then."""
DIVISORS = range(2, 13)
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*\.?"
_DATE = regex(
    rf"\b\d{{4}}-\d\d|\b\d{{1,2}}([./])\d{{1,2}}\1|\b\d+(?:st|nd|rd|th)\b|\bday \d|"
    rf"\b\d{{1,2}}\.? {_MONTH}|\b{_MONTH} \d",
    re.IGNORECASE,
)
"""A date, from which days and seasons may be worked out."""
_OF_NUMBERS = regex(
    r"prime|even|odd|square|cub|palindrom|perfect|negativ|positiv|zero|integ|whole|divis|multipl|large|small|big|long|"
    r"short|high|low|equal|great|less|more|true|false|yes|no$|right|wrong|easy|medium|hard|train|test",
    re.IGNORECASE,
)
"""How words begin that say something of numbers, which may be worked out, or of the row as an exercise."""


@dataclass(frozen=True, slots=True)
class Told:
    """What is said in a row before its answer, without numbers; those that change from row to row; and gold."""

    row: int
    text: str
    numbers: Sequence[float]
    gold: float


@check("C166", needs=("gold",), kinds=("single-turn", "tools"))
def prompts_tell_what_their_rules_depend_on(subject: Subject) -> Iterator[Finding]:
    """Where all prompts have a rule for a value of a column, and gold follows it, they tell the value of their row."""
    told = _told(subject)
    if len(told) < 2 * FEWEST_ROWS or shows_pictures(subject):
        return
    rules = _rules(subject, [one.row for one in told])
    found = (finding for rule in rules if (finding := _untold(subject, told, *rule)))
    yield from islice(found, 1)


def _told(subject: Subject) -> list[Told]:
    """The rows whose gold is a number, and that say as many numbers as most do; none where they say dates."""
    found: list[Told] = []
    pairs = pairs_of(subject)
    if not _may_have_rules(subject, [row for row, _, _ in pairs]):
        return []
    for row, prompt, answer in pairs:
        looks = replies_to_looks(subject, row) if subject.traits.kind == "tools" else []
        text = "\n".join([prompt, *results_of_gold(subject, row), *looks])
        gold = numbers_in(answer)
        if _DATE.search(text):
            return []
        if len(gold) == 1:
            found.append(Told(row, re.sub(r"\d+(?:[.,]\d+)*", "#", text), numbers_in(text), gold[0]))
    usual = mode([len(one.numbers) for one in found] or [0])
    alike = [one for one in found if len(one.numbers) == usual]
    changing = [place for place in range(usual) if len({one.numbers[place] for one in alike}) > 1]
    return [Told(one.row, one.text, [one.numbers[place] for place in changing], one.gold) for one in alike]


def _may_have_rules(subject: Subject, rows: Sequence[int]) -> bool:
    """Whether enough prompts name one value of a column as a condition; playing what tools show takes much longer."""
    prompts = [prompt_text(subject, row) for row in rows]
    columns = ((name, value) for row in rows for name, value in subject.row(row).items() if name != "prompt")
    names = {_name_of(column, value) for column, value in columns if isinstance(value, str | bool)}
    small = [prompt.casefold() for prompt in prompts]
    often = (name for name in names if sum(name.casefold() in prompt for prompt in small) >= 2 * FEWEST_ROWS)
    rules = (rule for name in often if (rule := _rule_for(name)))
    return any(sum(bool(rule.search(prompt)) for prompt in prompts) >= 2 * FEWEST_ROWS for rule in rules)


def _name_of(column: str, value: str | bool) -> str:
    """What a prompt calls the value of a column: a bool has the name of the column."""
    return column.removeprefix("is_").replace("_", " ") if isinstance(value, bool) else value


def _rules(subject: Subject, rows: Sequence[int]) -> Iterator[tuple[str, str, dict[int, bool]]]:
    """Columns and values that all prompts name as a condition, and by row whether it has the value."""
    for column in subject.rows.columns:
        values = {row: subject.row(row)[column] for row in rows}
        kinds = set(map(type, values.values()))
        if column == "prompt" or kinds not in ({str}, {bool}) or len(set(values.values())) > MOST_VALUES:
            continue
        named = {_name_of(column, value): kinds == {bool} or value for value in values.values()}
        for name, value in named.items():
            rule = _rule_for(name)
            if rule and all(rule.search(prompt_text(subject, row)) for row in rows) and not _is_shown(subject, name):
                yield column, name, {row: values[row] == value for row in rows}


def _is_shown(subject: Subject, name: str) -> bool:
    """Whether a tool replies with a value to any call that was tried."""
    return subject.traits.kind == "tools" and any(says(call.content, name) for call in calls_made(subject))


def _rule_for(name: str) -> re.Pattern[str] | None:
    """What a prompt says that has a rule for a value; None for what may be worked out, or is no word."""
    if len(name) < 3 or not name.replace(" ", "").replace("-", "").isalpha() or _OF_NUMBERS.match(name):
        return None
    own = rf"{re.escape(name)}(?:e?s)?"
    return regex(
        rf"\b(?:on|in|for|during|at|with|by|if|when|whenever|unless|every|each|as)\s"
        rf"(?:(?:it is|it's|they are|you are|an?|the|all|any|every)\s)?{own}\b|(?:^|[.;:!?(]\s?){own}\s\w",
        re.IGNORECASE | re.MULTILINE,
    )


def _untold(subject: Subject, told: Sequence[Told], column: str, name: str, has: Mapping[int, bool]) -> Finding | None:
    """The finding that gold depends on a value, and neither the words nor the numbers of the rows do."""
    flags = [has[one.row] for one in told]
    if not FEWEST_ROWS <= sum(flags) <= len(flags) - FEWEST_ROWS or not _is_mixed(told, flags):
        return None
    if _is_counted(told, flags) or any(abs(_larger(one, flags) - 0.5) > AT_MOST for one in _features(told)):
        return None
    for scale in _scales(told):
        if any(value <= 0 for value in scale):
            continue
        parts = [one.gold / value for one, value in zip(told, scale, strict=True)]
        share = _larger(parts, flags)
        if max(share, 1 - share) >= APART:
            return _finding(subject, told, column, name, flags, parts)
    return None


def _is_mixed(told: Sequence[Told], flags: Sequence[bool]) -> bool:
    """Whether rows that say the same but for numbers have the value and do not, about as often as any two rows."""
    groups: dict[str, list[bool]] = defaultdict(list)
    for one, flag in zip(told, flags, strict=True):
        groups[one.text].append(flag)
    pairs = sum(len(group) * (len(group) - 1) // 2 for group in groups.values())
    other = sum(sum(group) * (len(group) - sum(group)) for group in groups.values())
    by_chance = 2 * sum(flags) * (len(flags) - sum(flags)) / len(flags) ** 2
    return other >= max(FEWEST_PAIRS, pairs * by_chance / 2)


def _is_counted(told: Sequence[Told], flags: Sequence[bool]) -> bool:
    """Whether the rest of a number tells the value, as that of a day does."""
    for place in range(len(told[0].numbers)):
        for divisor in DIVISORS:
            rests: dict[float, set[bool]] = defaultdict(set)
            for one, flag in zip(told, flags, strict=True):
                rests[one.numbers[place] % divisor].add(flag)
            if all(len(each) == 1 for each in rests.values()):
                return True
    return False


def _features(told: Sequence[Told]) -> Iterator[Sequence[float]]:
    """What thresholds may be for: each number, its distance from the middle, and two numbers together."""
    columns = list(zip(*(one.numbers for one in told), strict=True))
    for column in columns:
        yield column
        middle = median(column)
        yield [abs(value - middle) for value in column]
    for one, two in combinations(columns, 2):
        yield [a + b for a, b in zip(one, two, strict=True)]
        yield [a - b for a, b in zip(one, two, strict=True)]
        yield [a * b for a, b in zip(one, two, strict=True)]
        yield [a / b if b else 0.0 for a, b in zip(one, two, strict=True)]


def _scales(told: Sequence[Told]) -> Iterator[Sequence[float]]:
    """What gold may be in proportion to: nothing, a number, a product, a product with a difference."""
    columns = list(zip(*(one.numbers for one in told), strict=True))[:MOST_NUMBERS]
    yield [1.0] * len(told)
    yield from columns
    yield from ([a * b for a, b in zip(one, two, strict=True)] for one, two in combinations(columns, 2))
    for one, two, three in permutations(columns, 3):
        yield [a * (b - c) for a, b, c in zip(one, two, three, strict=True)]


def _larger(values: Sequence[float], flags: Sequence[bool]) -> float:
    """How often a value with the flag is larger than one without; half where they are equal."""
    without = sorted(value for value, flag in zip(values, flags, strict=True) if not flag)
    own = [value for value, flag in zip(values, flags, strict=True) if flag]
    places = sum(bisect_left(without, value) + bisect_right(without, value) for value in own)
    return places / (2 * len(own) * len(without))


def _finding(
    subject: Subject, told: Sequence[Told], column: str, name: str, flags: Sequence[bool], parts: Sequence[float]
) -> Finding:
    pairs = ((one, two) for one, two in permutations(zip(told, flags, strict=True), 2) if one[1] and not two[1])
    (one, _), (two, _) = next((one, two) for one, two in pairs if one[0].text == two[0].text)
    ranges = [
        (min(found), max(found))
        for side in (True, False)
        if (found := [part for part, flag in zip(parts, flags, strict=True) if flag is side])
    ]
    values = [subject.row(row)[column] for row in (one.row, two.row)]
    return Finding(
        f"Prompts have a rule for {name!r}, and nothing tells in which rows it holds: only the column {column!r} does. "
        f"Rows {one.row} and {two.row} say the same but for numbers, with {values[0]!r} and {values[1]!r} there. In "
        f"proportion to their numbers, gold is {ranges[0][0]:.3g} to {ranges[0][1]:.3g} on the {sum(flags)} rows with "
        f"it, and {ranges[1][0]:.3g} to {ranges[1][1]:.3g} on the {len(flags) - sum(flags)} others.",
        f"Say in each prompt, or in a reply, what {column!r} is.",
        one.row, prompt_text(subject, one.row), golds(subject)[one.row].text, f"a prompt with {values[0]!r}",
    )  # fmt: skip
