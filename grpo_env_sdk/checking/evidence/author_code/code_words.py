"""The words and numbers in the code that plays and scores an episode: what it may look for in an answer."""

import functools
import inspect
import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any

from grpo_env_sdk.checking.evidence.author_code.pattern_texts import text_matching
from grpo_env_sdk.isolation.author_code.author_classes import on_class
from grpo_env_sdk.isolation.author_code.author_globals import packages_of
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.rewards.rubric import Rubric

MOST_WORDS, MOST_CHARS, MOST_ENTRIES, MOST_FUNCTIONS = 40, 60, 50, 200
MOST_PATTERN = 200
"""The most characters of a pattern that is read."""
MOST_TEMPLATE, MOST_ALTERNATIVES, MOST_VERDICT = 2_000, 4, 12
"""In how much of a text labels are looked for, how many alternatives of a pattern with one are tried, and the most
characters of a word that may be a verdict."""
_LABEL = regex(
    r"(?i)(?:^|(?<=[\n^*#{ ]))((?:[a-z]+ )?(?:verdict|score|grade|result|judge?ment|rating|decision|correct|passed|"
    r"outcome|evaluation|assessment|urteil|bewertung|ergebnis|note|jugement|veredicto|giudizio|voto):)"
)
_OWN_LABEL = regex(r"(?:^|\n)[^\w\n]*([^\W\d_][\w' ]{0,30}[:=])[ \t]*(?:\S{1,12}\s*)?$")
"""The same by its place: what the code itself writes at the start of a line, before one word."""
_OF_ALL = regex(r"(/| of | out of )(\d{1,3})(?![\d/])")
"""The end of a mark on a scale, such as the `/4` of `3/4`."""
_HIGH = tuple(map(str, (100, *range(10, 0, -1))))
NUMBERS = range(5, 5_000)
"""The numbers that may be lengths or counts."""
_BEFORE_PLAY = {"build_dataset", "solve", "get_tools", "__init__"}
"""Methods whose words say nothing about what is scored: those of the rows and of gold."""
_OF_MESSAGES = {
    "role", "content", "assistant", "user", "tool", "system", "tool_calls", "function", "name", "arguments", "text",
    "type", "utf-8", "replace", "ignore",
}  # fmt: skip
_PATTERN_SIGNS = regex(r"[\\\[(|+*?]")


@dataclass(frozen=True, slots=True)
class CodeWords:
    """What the code of an environment names, that of its scorer first."""

    texts: tuple[str, ...]
    numbers: tuple[int, ...]
    labels: tuple[str, ...] = ()
    """What a report in the code has before its verdict, with the colon."""
    verdicts: tuple[str, ...] = ()
    """What may be such a verdict: single words in the code itself, and lines with a label that its patterns match."""


def code_words(env: Any, columns: Iterable[str] = ()) -> CodeWords:
    """The texts and numbers in the author's functions that an episode may call; columns of the rows are left out."""
    all_found = list(_constants_of(env))
    found = [value for value, _ in all_found]
    texts = [text for value in found if isinstance(value, str | re.Pattern) for text in _texts(value)]
    short = (text for text in texts if len(text) <= MOST_CHARS and re.search(r"\w", text))
    known = _OF_MESSAGES.union(columns)
    numbers = [value for value in found if type(value) is int and value in NUMBERS]
    words = [text for text in dict.fromkeys(short) if text not in known]
    whole = (value.pattern if isinstance(value, re.Pattern) else value for value in found)
    labels = [label for text in whole if isinstance(text, str) for label in _LABEL.findall(text[:MOST_TEMPLATE])]
    own = [text for value, is_own in all_found if is_own for text in _texts(value)]
    labels += [label for text in own for label in _OWN_LABEL.findall(text)]
    verdicts = [text for text in own if (text.isalnum() and len(text) <= MOST_VERDICT) or _LABEL.search(text)]
    verdicts = [*_full_marks(value for value, is_own in all_found if is_own), *verdicts]
    return CodeWords(
        tuple(words[:MOST_WORDS]), tuple(dict.fromkeys(numbers)), tuple(dict.fromkeys(labels)),
        tuple(text for text in dict.fromkeys(verdicts) if text not in known),
    )  # fmt: skip


def _full_marks(values: Iterable[Any]) -> Iterator[str]:
    """The full marks on each scale, and the texts with the highest number that each pattern matches."""
    for value in values:
        pattern = value.pattern if isinstance(value, re.Pattern) else value
        if not isinstance(pattern, str) or len(pattern) > MOST_TEMPLATE:
            continue
        yield from (f"{most}{of}{most}" for of, most in _OF_ALL.findall(pattern))
        text = text_matching(pattern) if _PATTERN_SIGNS.search(pattern) else None
        if text and _OWN_LABEL.search(text):
            texts = (re.sub(r"\d+", number, text, count=1) for number in _HIGH)
            yield from [one.strip() for one in texts if one != text and re.search(pattern, one)][:2]


def code_patterns(env: Any) -> list[str]:
    """The patterns in those functions, that of the scorer first."""
    found = (value.pattern if isinstance(value, re.Pattern) else value for value, _ in _constants_of(env))
    texts = (text for text in found if isinstance(text, str) and len(text) <= MOST_PATTERN)
    return list(dict.fromkeys(text for text in texts if _PATTERN_SIGNS.search(text)))


def _texts(value: Any) -> Iterator[str]:
    """A text, and one that it matches if it is a pattern."""
    text = value.pattern if isinstance(value, re.Pattern) else value
    if not isinstance(text, str):  # a pattern of bytes
        return
    if _PATTERN_SIGNS.search(text):
        matching = [text_matching(text, nth) for nth in range(MOST_ALTERNATIVES if _LABEL.search(text) else 1)]
        yield from (one.strip() for one in dict.fromkeys(matching) if one)
    if isinstance(value, str):
        yield text.strip()


def _constants_of(env: Any) -> Iterator[tuple[Any, bool]]:
    """Each constant, those of the scorer first, then of what it calls; and whether it is in the code itself."""
    roots = packages_of(type(env))
    left: deque[Any] = deque(function for function in _first(env) if function is not None)
    seen: set[CodeType] = set()
    while left and len(seen) < MOST_FUNCTIONS:
        function = plain_function(left.popleft())
        if not isinstance(function, FunctionType) or function.__code__ in seen:
            continue
        enclosed = [cell.cell_contents for cell in function.__closure__ or () if _is_set(cell)]
        yield from ((value, False) for value in _held(enclosed))
        left.extend(value for value in enclosed if isinstance(value, FunctionType))
        if (function.__module__ or "").partition(".")[0] not in roots:
            continue
        seen.add(function.__code__)
        constants, names = _constants(function.__code__, function.__doc__)
        yield from ((value, True) for value in _held(constants))
        for name in names:
            value = meant_by(env, function, name)
            if isinstance(value, type) and value.__module__.partition(".")[0] in roots:
                left.extend(vars(value).values())
            elif callable(plain_function(value)):
                left.append(value)
            else:
                yield from ((one, isinstance(value, re.Pattern)) for one in _held([value]))


def _first(env: Any) -> Iterator[Any]:
    """The functions from which the walk starts: the scorer, the rewards, then all other methods."""
    yield on_class(type(env), "score_episode")
    yield from (reward.function for reward in Rubric.of(env).rewards)
    for base in type(env).__mro__:
        yield from (value for name, value in vars(base).items() if name not in _BEFORE_PLAY)


def plain_function(value: Any) -> Any:
    """The function under a method, a decorator, a property or a partial call."""
    if isinstance(value, functools.partial):
        value = value.func
    value = getattr(value, "__func__", getattr(value, "fget", value))
    return inspect.unwrap(value) if callable(value) else value


def _constants(code: CodeType, doc: str | None = None) -> tuple[list[Any], list[str]]:
    """The constants and the names in a function and those within it."""
    constants, names = [], list(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            inner, named = _constants(constant)
            constants += inner
            names += named
        elif constant != doc:
            constants.append(constant)
    return constants, names


def meant_by(env: Any, function: FunctionType, name: str) -> Any:
    """What a name in the code of a function means: an attribute of the environment or a global."""
    if name in _BEFORE_PLAY:
        return None
    for held in (vars(env) if hasattr(env, "__dict__") else {}, function.__globals__):
        if name in held:
            return held[name]
    return on_class(type(env), name)


def _held(values: Iterable[Any]) -> Iterator[Any]:
    """Texts, numbers and patterns, and those in short containers."""
    for value in values:
        if isinstance(value, list | tuple | set | frozenset) and len(value) <= MOST_ENTRIES:
            yield from _held(sorted(value, key=str) if isinstance(value, set | frozenset) else value)
        elif isinstance(value, dict) and len(value) <= MOST_ENTRIES:
            yield from _held([*value, *value.values()])
        elif isinstance(value, str | int | re.Pattern):
            yield value


def _is_set(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018  # an empty cell raises
    except ValueError:
        return False
    return True
