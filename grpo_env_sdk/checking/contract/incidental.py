"""Whether what no task is about gives answers away: a number, a time or a name beside the text, or a count of marks."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import chain

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.answer_pairs import Pairs, halves, pairs_of
from grpo_env_sdk.checking.evidence.prompts.form_features import DIVISORS, Feature, in_ranges
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.evaluation.stats import Share
from grpo_env_sdk.late_patterns import regex

FEWEST_ROWS, MOST_ANSWERS, MOST_CHARS = 20, 12, 4_000
SURE, BETTER = 0.8, 0.25
"""The accuracy of a rule on rows that it was not fitted on, and how much better than the most frequent answer."""
FEWEST_TWINS, ALIKE = 6, 0.95
"""The groups of rows with the same words that have to have one answer each, and the share of rows in them that do."""
ANCHORED, MOST_ANCHORS = 0.9, 12
"""The share of prompts that a word is in whose neighbour is looked at, and how many such words."""
_TOKEN = regex(r"\d+|[^\W\d_]+|[^\w\s]|_")
_COUNTED = ".,!?;:-*#()\n"


@check("C135", needs=("gold",), kinds=("single-turn",))
def what_is_beside_the_text_tells_nothing(subject: Subject) -> Iterator[Finding]:
    """Where the words of a prompt say what is right, no number, code or mark beside them says it as well."""
    pairs = [(row, prompt[:MOST_CHARS], answer) for row, prompt, answer in pairs_of(subject)]
    answers = Counter(answer for *_, answer in pairs)
    if len(pairs) < FEWEST_ROWS or not 2 <= len(answers) <= MOST_ANSWERS:
        return
    least = max(SURE, answers.most_common(1)[0][1] / len(pairs) + BETTER)
    prompts = [prompt for _, prompt, _ in pairs]
    features = _features(prompts) if _words_decide(pairs, lambda prompt: "") else ()
    for name, feature in chain(features, _of_names(pairs)):
        share, example = _right(pairs, feature)
        if example is not None and share.low >= least:
            row, value, answer = example
            yield Finding(
                f"{name} gives the answer away: a rule is right on {share} that it was not fitted on, e.g. "
                f"{value} is mostly {quoted(answer)}. Rows with the same words have the same answer whatever it is.",
                "Draw what is beside the text independently of the answer, or leave it out.",
                row, input=prompt_text(subject, row)[:600], output=answer,
            )  # fmt: skip
            return


def _words_decide(pairs: Pairs, but: Feature) -> bool:
    """Whether rows with the same words but one, whatever their numbers and marks are, have the same answer."""
    groups: dict[tuple[str, ...], list[tuple[str, str]]] = defaultdict(list)
    for _, prompt, answer in pairs:
        without = but(prompt).casefold()
        groups[tuple(word for word in _words(prompt) if word != without)].append((answer, prompt))
    twins = [group for group in groups.values() if len({prompt for _, prompt in group}) > 1]
    usual = sum(Counter(answer for answer, _ in group).most_common(1)[0][1] for group in twins)
    return (
        len(twins) >= FEWEST_TWINS
        and len({group[0][0] for group in twins}) > 1
        and usual >= ALIKE * sum(map(len, twins))
    )


@lru_cache(maxsize=2_048)
def _words(prompt: str) -> tuple[str, ...]:
    """The different words without digits that are not in a code, a link or a header."""
    text = re.sub(r"\S*[/@=_\d]\S*", " ", prompt.casefold())
    return tuple(dict.fromkeys(re.findall(r"[^\W\d_]+", text)))


def _features(prompts: Sequence[str]) -> Iterator[tuple[str, Feature]]:
    """Counts of marks and words, and what is beside the words that nearly all prompts have."""
    for mark in _COUNTED:
        yield f"The number of {mark!r} in a prompt", lambda prompt, mark=mark: f"{prompt.count(mark)}"  # type: ignore[misc]
    yield "The number of words in a prompt", lambda prompt: f"{len(prompt.split())} words"
    for place in range(3):
        yield from _of_numbers(f"Number {place + 1} of a prompt", prompts, _nth(place))
    yield from _of_numbers("The last number of a prompt", prompts, _nth(-1))
    for token in _anchors(prompts):
        yield from _of_numbers(f"The number after {token!r}", prompts, _after(token))
    yield "The start of the link or code in a prompt", _code_part


def _of_names(pairs: Pairs) -> Iterator[tuple[str, Feature]]:
    """What a name tells that stands at the start, or behind one of the words that nearly all prompts have."""
    prompts = [prompt for _, prompt, _ in pairs]
    for token in ["", *_anchors(prompts)]:
        read = _name_after(token)
        held = Counter(name for prompt in prompts if (name := read(prompt)))
        if held.total() >= ANCHORED * len(prompts) and len(held) > 2 and _words_decide(pairs, read):
            behind = f"behind {token!r}" if token else "at the start of a prompt"
            yield f"The name {behind}", read
            yield f"The first letter of the name {behind}", lambda prompt, read=read: read(prompt)[:1]  # type: ignore[misc]


def _name_after(token: str) -> Feature:
    def read(prompt: str) -> str:
        tokens = _tokens(prompt)
        place = 0 if not token else tokens.index(token) + 1 if token in tokens else len(tokens)
        return next((one for one in tokens[place : place + 2] if one.istitle() and one.isalpha()), "")

    return read


def _anchors(prompts: Sequence[str]) -> list[str]:
    """The words and marks that nearly all prompts have, in their order."""
    held = Counter(token for prompt in prompts for token in set(_tokens(prompt)))
    found = [token for token, count in held.most_common(60) if count >= ANCHORED * len(prompts)]
    first = _tokens(prompts[0])
    return sorted(found, key=lambda token: first.index(token) if token in first else len(first))[:MOST_ANCHORS]


def _of_numbers(name: str, prompts: Sequence[str], read: Feature) -> Iterator[tuple[str, Feature]]:
    """What a number may tell: itself, its last digit, remainders, and the range that it is in."""
    values = sorted(int(text) for prompt in prompts if (text := read(prompt)))
    if len(values) < ANCHORED * len(prompts) or values[0] == values[-1]:
        return
    if len(set(values)) <= len(values) / 4:
        yield name, read
    for divisor in DIVISORS:
        yield f"{name}, modulo {divisor},", _number(read, lambda number, divisor=divisor: f"{number % divisor}")  # type: ignore[misc]
    yield f"The size of {name[0].lower()}{name[1:]}", in_ranges(values, read)


def _number(read: Feature, value: Callable[[int], str]) -> Feature:
    return lambda prompt: value(int(text)) if (text := read(prompt)) else ""


def _nth(place: int) -> Feature:
    def read(prompt: str) -> str:
        found = _numbers(prompt)
        return found[place] if -len(found) <= place < len(found) else ""

    return read


def _after(token: str) -> Feature:
    def read(prompt: str) -> str:
        tokens = _tokens(prompt)
        place = tokens.index(token) if token in tokens else len(tokens)
        return next((one for one in tokens[place + 1 : place + 5] if one.isdecimal()), "")

    return read


def _code_part(prompt: str) -> str:
    """The words in a link, a path or a code, one of which may be short for the answer."""
    found = re.search(r"\S*[/@=_]\S*", prompt)
    return " ".join(re.findall(r"[^\W\d_]+", found.group().casefold())) if found else ""


@lru_cache(maxsize=2_048)
def _tokens(prompt: str) -> list[str]:
    return _TOKEN.findall(prompt)


@lru_cache(maxsize=2_048)
def _numbers(prompt: str) -> list[str]:
    return [number for number in re.findall(r"\d+", prompt) if len(number) < 16]


def _right(pairs: Pairs, feature: Feature) -> tuple[Share, tuple[int, str, str] | None]:
    """How often the usual answer of a value in one half of the rows is right in the other, and one such row."""
    first, second = ([(row, feature(prompt), answer) for row, prompt, answer in half] for half in halves(pairs))
    right: Pairs = []
    for fitted, held_out in ((first, second), (second, first)):
        counted: dict[str, Counter[str]] = defaultdict(Counter)
        for _, value, answer in fitted:
            counted[value][answer] += 1
        usual = {value: answers.most_common(1)[0][0] for value, answers in counted.items() if value}
        if len(set(usual.values())) > 1:
            right += [one for one in held_out if usual.get(one[1]) == one[2]]
    return Share(len(right), len(pairs)), min(right, default=None)
