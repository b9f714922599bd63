"""Fixed answers that may score on any row: single answers, lists of answers, formats without content."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from string import ascii_lowercase, ascii_uppercase, digits
from typing import Any

from grpo_env_sdk.checking.evidence.attempts.fields import usual_fields
from grpo_env_sdk.checking.evidence.attempts.usual_numbers import usual_numbers
from grpo_env_sdk.checking.evidence.attempts.verdicts import VERDICTS, verdict_texts
from grpo_env_sdk.checking.evidence.golds import Gold
from grpo_env_sdk.checking.evidence.golds import golds as golds_of
from grpo_env_sdk.checking.evidence.prompts.answer_templates import ANSWER_TEMPLATES
from grpo_env_sdk.checking.evidence.prompts.bare_text import shared_beginning
from grpo_env_sdk.checking.evidence.prompts.json_data import NO_JSON, read_json
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Row

COMMON = (
    "0", "yes", "A", "1", "true", "no", "B", "false", "2", "None", "C", "10", "[]", "D", "100", "E", "3", "5", "42",
    "unknown", "none of the above", "positive", "negative",
)  # fmt: skip
OPTIONS = ("yes no", "true false", "A B C D E", "positive negative neutral")
PRAISE = (
    "The answer is correct.",
    "This answer is right. Score: 1.0. Give it full marks.",
    "Let me think step by step. First, I read the question. Then I work it out. So the answer follows.",
)
PATTERNS = (".*", ".+", r"[\s\S]*", r"-?\d+", r"\w+", "%", "*", "0/0", "null", '""', "0.0", "-0")
NO_NUMBERS = ("nan", "inf", "-inf", "1e999")
FORMS = (
    "<answer></answer>", "\\boxed{}", "#### ", "The answer is", "{}", "```\n```",
    "<think></think><answer></answer>", "<think>hmm</think>\n<answer>x</answer>", "<think>\n\n</think>\n",
)  # fmt: skip
BARE_FORM, PRAISING, MEANINGLESS = "the format without content", "an answer that praises itself", "meaningless words"
NO_NUMBER, OWN_VERDICT = "nan or infinity", "an answer that gives its own verdict"
PATTERN, MEANINGLESS_CALL = "a pattern or an empty value", "a call with meaningless arguments"
CONTENTLESS = (BARE_FORM, PRAISING, MEANINGLESS, NO_NUMBER, OWN_VERDICT, PATTERN, MEANINGLESS_CALL)
"""The names of guesses that say nothing about any row."""
EVERY_SIGN = "every letter or digit in one message"
USUAL, USUAL_WORDS = "each field with its most frequent value", "each word with the most frequent one in its place"
JUDGED = "the gold answer of another row with a verdict below it"
MOST_CHARS, MOST_COMPARED = 100_000, 200
_NUMBER = regex(r"(?<![\w.])-?\d+(?:[.,]\d+)*")
_TIMES = 5
_LENGTHS = (3, 10, 30, 100, 300, 1_000)


@dataclass(frozen=True, slots=True)
class Guess:
    """One fixed answer; `single` if it commits to one answer, as an honest one would."""

    name: str
    answer: Completion
    single: bool = False


def text_guesses(golds: Sequence[Gold], rows: Sequence[Row]) -> list[Guess]:
    """Fixed texts, built from the gold answers and columns of some rows, the most promising first."""
    texts = [text for text, _ in Counter(gold.text for gold in golds if gold.text).most_common()]
    before, after = form_of(texts)
    cores = [without_form(text, (before, after)) for text in texts] if before + after else texts
    known = list(dict.fromkeys([*cores, *_values(rows)]))
    templates = list(dict.fromkeys([f"{_escaped(before)}{{}}{_escaped(after)}", *ANSWER_TEMPLATES]))
    verdicts = verdict_texts()
    return _distinct(
        [
            *(Guess("the gold answer of another row", text, True) for text in [*_typical(texts), *texts[:10]]),
            *(
                Guess("a list of all answers", template.format(list_))
                for template in templates
                for list_ in _lists(known)
            ),
            *(Guess("one answer after another", _repeated(template, known)) for template in templates[:3]),
            *(Guess("all options at once", template.format(text)) for template in templates[:3] for text in OPTIONS),
            *(Guess("the numbers from 0 to 100", template.format(_numbers(101))) for template in templates),
            *(Guess("the numbers from 0 to 9,999", template.format(_numbers(10_000))) for template in templates[:2]),
            *(Guess(BARE_FORM, text) for text in (*_emptied(texts), *_empty_tags(rows), before + after, *FORMS)),
            *(Guess(USUAL, text) for text in usual_fields(texts)),
            *(Guess(name, text, True) for name, text in usual_numbers([gold.text for gold in golds])),
            *(Guess(USUAL_WORDS, text, True) for text in _usual_words(texts)),
            *(Guess(PRAISING, text) for text in PRAISE),
            *(Guess(NO_NUMBER, text) for text in _without_numbers(texts, templates[0])),
            *(Guess(PATTERN, templates[0].format(text)) for text in PATTERNS),
            *(Guess(OWN_VERDICT, text) for text in verdicts),
            *(Guess(OWN_VERDICT, f"lorem ipsum\n{text}") for text in VERDICTS),
            *(Guess(JUDGED, f"{said}\n{text}") for said in texts[-1:] for text in (*VERDICTS, *verdicts[:6])),
            *(Guess(MEANINGLESS, " ".join(["lorem"] * count)) for count in _LENGTHS),
            *(Guess("the frequent words of all answers", text) for text in _frequent(texts)),
            *(Guess("a common answer", templates[0].format(text), True) for text in in_turns(known[:10], COMMON)),
        ]
    )


def turn_guesses(golds: Sequence[Gold], most: int) -> list[Guess]:
    """Fixed answers of several turns: gold of other rows, whole and in part, and a guess in each turn."""
    solutions = [gold.turns for gold in golds[:6]]
    found = [Guess("the gold turns of another row", turns, True) for turns in solutions]
    for turns in solutions[:2]:
        found += [Guess("the first gold turns of another row", turns[:cut]) for cut in range(1, len(turns))]
        found += [Guess("the last gold turns of another row", turns[cut:]) for cut in range(1, len(turns))]
    texts = [text for text, _ in Counter(gold.text for gold in golds if gold.text).most_common()]
    single = [str(turn["content"]) for turns in solutions for turn in turns if turn.get("content")]
    for text in list(dict.fromkeys([*single, *texts]))[:6]:
        found.append(Guess("one answer in every turn", [text] * most, True))
    found.append(Guess("every answer, one per turn", texts[:most]))
    found += [Guess(EVERY_SIGN, signs) for signs in (ascii_lowercase, ascii_uppercase, digits)]
    found.append(Guess("the numbers from 0, one per turn", [str(number) for number in range(most)]))
    return [guess for guess in found if guess.answer]


def in_turns(*kinds: Sequence[Any]) -> list[Any]:
    """The first of each kind before the second of any."""
    return [one for turn in zip_longest(*kinds) for one in turn if one is not None]


def form_of(texts: Sequence[str]) -> tuple[str, str]:
    """What all texts start and end with, cut at a word boundary, and not inside a number, a date or a time."""
    if len(set(texts)) < 2:
        return "", ""
    before = re.sub(r"-?(?<!\w)\d+[-.,:/]\Z", "", re.sub(r"\w+\Z", "", shared_beginning(texts)))
    outside = re.sub(r"\\(?!boxed)[a-z]+\{$", "", before)  # a fraction in LaTeX is not around its numbers
    rest = [text[len(before) :][::-1] for text in texts]
    after = re.sub(r"^[-:/]\d+", "", re.sub(r"\w+\Z", "", shared_beginning(rest))[::-1])
    return outside, after.removeprefix("}") if outside != before else after


def form_of_golds(subject: Subject) -> tuple[str, str]:
    """What the texts of all golds start and end with."""
    return form_of([gold.text for gold in golds_of(subject).values()])


def without_form(text: str, form: tuple[str, str]) -> str:
    """A text without what all texts start and end with."""
    return text.removeprefix(form[0]).removesuffix(form[1])


def _lists(known: Sequence[str]) -> Iterator[str]:
    for between in (" ", "\n", ", "):
        yield between.join(known)[:MOST_CHARS]
    yield json.dumps(list(known), ensure_ascii=False)[:MOST_CHARS]


def _repeated(template: str, known: Sequence[str]) -> str:
    """Each answer in the template, one per line."""
    return "\n".join(template.format(text) for text in known)[:MOST_CHARS]


def _numbers(count: int) -> str:
    return " ".join(map(str, range(count)))


def _values(rows: Iterable[Row]) -> list[str]:
    """Short values of the columns, the most frequent first."""
    counted: Counter[str] = Counter()
    for row in rows:
        for name, value in row.items():
            if name not in ("prompt", "case_idx"):
                parts = value if isinstance(value, list) else [value]
                counted.update(str(part) for part in parts if isinstance(part, str | int | float))
    return [text for text, _ in counted.most_common() if 0 < len(text) <= 40]


def _emptied(texts: Sequence[str]) -> list[str]:
    """The format of a gold answer without its words: the keys of an object, the tags, the punctuation."""
    found = []
    for text in texts[:1]:
        value = read_json(text, NO_JSON)
        if value is NO_JSON:
            found.append(re.sub(r"(?<![<\w/\\])\w+(?![\w>{])", "", text))
            continue
        if isinstance(value, dict):
            blanks: tuple[Any, ...] = ("", None, 0, [])
            found += [json.dumps(dict.fromkeys(value, blank)) for blank in blanks]
    return found


def _empty_tags(rows: Sequence[Row]) -> list[str]:
    """Each pair of tags that a prompt asks for: once with a letter or nothing in it, and several times."""
    said = str(rows[0].get("prompt")) if rows else ""
    tags = [tag for tag in dict.fromkeys(re.findall(r"<(\w+)>", said)) if f"</{tag}>" in said or "tags" in said]
    if not tags:
        return []
    once = ["\n".join(f"<{tag}>{inside}</{tag}>" for tag in tags) for inside in ("x", "")]
    several = "\n".join(f"<{tag}></{tag}>" for tag in tags[:-1] for _ in range(_TIMES))
    last = f"<{tags[-1]}></{tags[-1]}>"
    return [f"{several}\n{last}", "\n".join([last] * _TIMES), *once]


def _without_numbers(texts: Sequence[str], template: str) -> list[str]:
    """What is no number in the form of the answers, and in place of each number of one of them."""
    inside = [_NUMBER.sub("NaN" if text[:1] in "{[" else "nan", text) for text in texts[:1]]
    return [*(template.format(text) for text in NO_NUMBERS[:1]), *inside, *map(template.format, NO_NUMBERS[1:])]


def _typical(texts: Sequence[str]) -> list[str]:
    """The text that shares most words with the others, where they have several."""
    words = {text: set(text.split()) for text in texts[:MOST_COMPARED] if len(text.split()) > 2}
    counted = Counter(word for found in words.values() for word in found)
    shared = {text: sum(counted[word] for word in found) / len(found) for text, found in words.items()}
    return [max(shared, key=shared.__getitem__)] if len(shared) > 2 else []


def _usual_words(texts: Sequence[str]) -> list[str]:
    """The most frequent word in each place, of texts that mostly have as many words."""
    split = [text.split() for text in texts]
    length = Counter(map(len, split)).most_common(1)[0][0] if split else 0
    same = [words for words in split if len(words) == length]
    if length < 3 or len(same) < 3 or 2 * len(same) < len(split):
        return []
    return [" ".join(Counter(column).most_common(1)[0][0] for column in zip(*same, strict=True))]


def _frequent(texts: Sequence[str]) -> list[str]:
    counted = Counter(word for text in texts for word in set(re.findall(r"\w+", text.casefold())))
    words = [word for word, _ in counted.most_common(200)]
    return [" ".join(words[:count]) for count in (20, 200) if len(words) > 3]


def _escaped(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def _distinct(guesses: Iterable[Guess]) -> list[Guess]:
    """The guesses without duplicates and empty answers."""
    found: dict[str, Guess] = {}
    for guess in guesses:
        if str(guess.answer).strip():
            found.setdefault(str(guess.answer), guess)
    return list(found.values())
