"""Rewards that compare the answer with a column, or with a pattern."""

import logging
import math
import re
import unicodedata
from typing import Any

from grpo_env_sdk.data.messages import answer_tag, answer_text
from grpo_env_sdk.errors import ConfigError
from grpo_env_sdk.rewards.reward import Reward

_NUMBER = re.compile(
    r"(?<![\w.])[-+\u2212]?(?:(?:\d{1,3}(?:[,\u00a0\u2009\u202f]\d{3})+|\d+)(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?(?!\w)"
)

_AS_FLOAT_READS = str.maketrans({"\u2212": "-", **dict.fromkeys(",\u00a0\u2009\u202f", "")})


def exact_match(
    answer: str = "answer",
    *,
    ignore_case: bool = False,
    tag: str | None = None,
    weight: float = 1.0,
    name: str = "exact_match",
) -> Reward:
    """1 if the answer equals the column's text but for white space; a list of texts allows each of them."""

    def score(completion: Any, answer: Any, episode: Any = None) -> float | None:
        if answer is None:
            return None
        return float(_folded(final_answer(completion, episode, tag), ignore_case) in _allowed(answer, ignore_case))

    return Reward(score, name, weight, sources={"answer": answer})


def contains(
    answer: str = "answer",
    *,
    ignore_case: bool = False,
    tag: str | None = None,
    weight: float = 1.0,
    name: str = "contains",
) -> Reward:
    """1 if the answer contains the column's text as whole words; a list of all options earns it, so weigh it low."""

    def score(completion: Any, answer: Any, episode: Any = None) -> float | None:
        if answer is None:
            return None
        given = _folded(final_answer(completion, episode, tag), ignore_case)
        return float(
            any(re.search(rf"(?<!\w){re.escape(text)}(?!\w)", given) for text in _allowed(answer, ignore_case))
        )

    return Reward(score, name, weight, sources={"answer": answer})


def number_match(
    answer: str = "answer",
    *,
    tolerance: float = 1e-6,
    tag: str | None = None,
    weight: float = 1.0,
    name: str = "number_match",
) -> Reward:
    """1 if the last number of the answer equals the column's, within a relative tolerance."""

    def score(completion: Any, answer: Any, episode: Any = None) -> float | None:
        wanted = last_number(str(answer))
        if wanted is None:
            return None
        found = last_number(final_answer(completion, episode, tag))
        near_zero = tolerance if wanted == 0 else 0.0  # nothing is relatively close to 0
        return float(found is not None and math.isclose(found, wanted, rel_tol=tolerance, abs_tol=near_zero))

    return Reward(score, name, weight, sources={"answer": answer})


def math_accuracy(
    answer: str = "answer", *, tag: str | None = None, weight: float = 1.0, name: str = "math_accuracy"
) -> Reward:
    """1 if the answer is mathematically equal to the column's (by `math-verify`); abstains if that cannot be parsed."""
    try:
        from math_verify import parse, verify
    except ImportError as exc:
        raise ConfigError("math_accuracy needs the package math-verify.", "pip install 'grpo-env-sdk[math]'") from exc

    logging.getLogger("math_verify").setLevel(logging.ERROR)  # it warns about the missing time limit

    def read(text: str) -> Any:
        # Without its time limit, which needs signals, and those work only in the main thread.
        return parse(text, parsing_timeout=None) or parse(f"${text}$", parsing_timeout=None)

    def score(completion: Any, answer: Any, episode: Any = None) -> float | None:
        wanted = read(str(answer)) if answer is not None else None
        if not wanted:
            return None
        return float(verify(wanted, read(final_answer(completion, episode, tag)), timeout_seconds=None))

    return Reward(score, name, weight, sources={"answer": answer})


def matches(pattern: str, *, whole: bool = True, weight: float = 1.0, name: str = "matches") -> Reward:
    """1 if the answer matches a regular expression, as a whole or anywhere."""
    try:
        compiled = re.compile(pattern, re.DOTALL)
    except re.error as exc:
        raise ConfigError(f"{pattern!r} is not a regular expression: {exc}.", "Correct it, or use contains().") from exc

    def score(completion: Any, episode: Any = None) -> float:
        given = final_answer(completion, episode)
        return float(bool(compiled.fullmatch(given) if whole else compiled.search(given)))

    return Reward(score, name, weight)


def final_answer(completion: Any, episode: Any = None, tag: str | None = None) -> str:
    """The final answer, or what is in its last `<tag>`.

    It is read from the episode if there is one, as a `completion` of text contains every turn.
    """
    whole = completion if episode is None else episode.completion
    return answer_text(whole) if tag is None else answer_tag(whole, tag) or ""


def last_number(text: str) -> float | None:
    """The last number of a text: `1,234.5`, `-3`, `2e6`."""
    found = _NUMBER.findall(text)
    if not found:
        return None
    return float(found[-1].translate(_AS_FLOAT_READS))


def _folded(text: str, ignore_case: bool) -> str:
    text = " ".join(unicodedata.normalize("NFC", text).split())
    return text.casefold() if ignore_case else text


def _allowed(answer: Any, ignore_case: bool) -> list[str]:
    answers = answer if isinstance(answer, list | tuple) else [answer]
    return [folded for one in answers if one is not None and (folded := _folded(str(one), ignore_case))]
