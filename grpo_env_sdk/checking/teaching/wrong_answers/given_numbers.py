"""Expressions of given numbers: one of them used again or left out, and numbers that were not given."""

import re
from collections.abc import Iterator
from dataclasses import replace

from grpo_env_sdk.checking.evidence.prompts.target_games import game_in, solution_of
from grpo_env_sdk.late_patterns import regex

USED_AGAIN = "with one of its numbers added and taken away again"
NOT_GIVEN = "with a number that is not given added and taken away again"
LEFT_OUT = "replaced by an expression for the target without one of the numbers"
OF_GIVEN_NUMBERS = (USED_AGAIN, NOT_GIVEN, LEFT_OUT)
COUNT_THEM = "Compare how often each number is used with how often it is given, and not just which numbers are used."
_ONCE = regex(
    r"\b(?:once|one time|exactly (?:the|these)|no number twice|not reuse|without reus\w+|einmal|une (?:seule )?fois|"
    r"una (?:sola )?vez|una (?:sola )?volta)\b",
    re.IGNORECASE,
)
"""What a sentence says where a number may not be used again."""
_NUMBERS = regex(
    r"\b(?:numbers?|digits?|each|every|them|these|zahl(?:en)?|ziffern?|nombres?|chiffres?|n[uú]meros?|numeri)\b",
    re.IGNORECASE,
)
_NEED = regex(
    r"\bexactly once\b|\b(?:use|using|uses|used|contain\w*|combin\w*)\b[^.\n]{0,20}?"
    r"\b(?:all|each of|every one of) (?:of )?(?:the|these|those|its|your)\b|\bgenau einmal\b",
    re.IGNORECASE,
)
_NEED_NOT = regex(
    r"\b(?:may|can|could|at most|up to|or fewer|need not|some|no more|not more|more than|höchstens|au plus|als)\b",
    re.IGNORECASE,
)
"""What a sentence says in which all of the numbers have to be used, and in which they need not be."""
_EXPRESSION = regex(r"(?=[\d\s()+*/.-]*\d[\s)]*[-+*/])[(\d-][\d\s()+*/.-]*[\d)]")
_DATE = regex(r"\d+([-/.])\d+\1\d+")
_NUMBER = regex(r"\d+(?:\.\d+)?")
_OTHERS = range(2, 40)
"""Numbers that may not be given."""


def used_otherwise(text: str, prompt: str) -> Iterator[tuple[str, str]]:
    """An answer that is an expression, with whatever stands around it, with its numbers used in other ways."""
    found = list(_EXPRESSION.finditer(text))
    if len(found) != 1 or _DATE.fullmatch(found[0][0]) or not any(map(_is_once, _sentences(prompt))):
        return
    (place,) = found
    before, said, after = text[: place.start()], place[0], text[place.end() :]
    numbers, given = _NUMBER.findall(said), set(_NUMBER.findall(prompt))
    if len(numbers) < 2 or not given.issuperset(numbers) or _NUMBER.search(before + after):
        return
    yield USED_AGAIN, f"{before}{said}+{numbers[0]}-{numbers[0]}{after}"
    other = next((str(number) for number in _OTHERS if str(number) not in given), None)
    if other is not None:
        yield NOT_GIVEN, f"{before}{said}+{other}-{other}{after}"
    if (fewer := _without_one(prompt)) is not None:
        yield LEFT_OUT, f"{before}{fewer}{after}"


def _is_once(sentence: str) -> bool:
    return bool(_ONCE.search(sentence) and _NUMBERS.search(sentence))


def _sentences(prompt: str) -> list[str]:
    return re.split(r"[.!?\n]", prompt)


def _without_one(prompt: str) -> str | None:
    """An expression for the target that leaves one number out, where all of them have to be used."""
    game = game_in(prompt)
    if game is None or not any(_NEED.search(one) and not _NEED_NOT.search(one) for one in _sentences(prompt)):
        return None
    for place in range(len(game.numbers)):
        rest = replace(game, numbers=game.numbers[:place] + game.numbers[place + 1 :], uses_all=True)
        if (found := solution_of(rest)) is not None:
            return found
    return None
