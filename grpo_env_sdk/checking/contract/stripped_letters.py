"""Whether code that takes a word off an answer takes off that word, and not its letters from the answer itself."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.author_code.score_code import ScoreFunction, episode_functions
from grpo_env_sdk.checking.evidence.golds import play_answers, reward_of, was_scored
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.isolation.author_code.author_classes import on_class
from grpo_env_sdk.types import Episode

MOST_ROWS, MOST_PLAYED, MOST_LETTERS, FEWEST_RIGHT = 200, 6, 80, 2
"""How many rows are looked at and played, how long a value may be, and how many others have to be right."""
_ENDS = {"lstrip": (True, False), "rstrip": (False, True), "strip": (True, True)}
_INSTEAD = {"lstrip": "removeprefix", "rstrip": "removesuffix", "strip": "removeprefix and removesuffix"}


@dataclass(frozen=True, slots=True)
class _Strip:
    """A word whose letters code takes off a text, from which of its ends, and where."""

    name: str
    word: str
    place: str

    def eats(self, value: str) -> bool:
        """Whether a value begins, or ends, with one of these letters."""
        first, last = _ENDS[self.name]
        chars = self.word.casefold()
        return (first and value[0].casefold() in chars) or (last and value[-1].casefold() in chars)

    def answers(self, value: str) -> list[str]:
        """A value alone, and with the word where the code looks for it."""
        framed = f"{self.word}{value}" if self.name != "rstrip" else f"{value}{self.word}"
        return [value, framed]


@check("C170", needs=("rows",), kinds=("single-turn",))
def words_are_taken_off_as_words(subject: Subject) -> Iterator[Finding]:
    """No right answer is refused because it begins or ends with a letter of a word that `strip` takes off."""
    for strip in dict.fromkeys(_strips(subject.loaded.env)):
        for column in subject.rows.columns:
            if column != "prompt" and (finding := _found(subject, strip, column)):
                yield finding
                return


def _strips(env: Any) -> Iterator[_Strip]:
    """Each call of `strip` with the letters of a word."""
    for function in episode_functions(env):
        for node in function.nodes:
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _ENDS:
                word = _text(env, function, node.args[0]) if len(node.args) == 1 else None
                if word is not None and _is_word(word):
                    line = function.function.__code__.co_firstlineno + node.lineno - 1
                    yield _Strip(node.func.attr, word, f"{function.name} (line {line}): `{ast.unparse(node)[:120]}`")


def _text(env: Any, function: ScoreFunction, node: ast.expr) -> str | None:
    """A text that is written in the code, or a name of it."""
    value = getattr(node, "value", None) if isinstance(node, ast.Constant) else function.named(node)
    if value is None and isinstance(node, ast.Attribute) and getattr(node.value, "id", "") in ("self", "cls"):
        value = on_class(type(env), node.attr)
    return value if isinstance(value, str) else None


def _is_word(text: str) -> bool:
    """Whether a text has several letters, in another order than a set of them is written in."""
    letters = [char for char in text.casefold() if char.isalpha()]
    return len(set(letters)) > 1 and letters != sorted(letters)


def _found(subject: Subject, strip: _Strip, column: str) -> Finding | None:
    """What is refused of a column whose other values are right."""
    values: dict[int, str] = {}
    for row in subject.rows.indices[:MOST_ROWS]:
        value = subject.row(row).get(column)
        if isinstance(value, str) and value.strip() == value and 1 < len(value) <= MOST_LETTERS:
            values[row] = value
    eaten = {row: value for row, value in values.items() if strip.eats(value)}
    others = [(row, value) for row, value in values.items() if row not in eaten][:MOST_PLAYED]
    if not eaten or len({value for _, value in others}) < FEWEST_RIGHT:
        return None
    right = [_best(subject, strip, row, value) for row, value in others]
    most = max(map(reward_of, right), default=0.0)
    if most <= 0 or any(not was_scored(one) or reward_of(one) < most for one in right):
        return None
    tried = [_best(subject, strip, row, value) for row, value in [*eaten.items()][:MOST_PLAYED]]
    refused = [one for one in tried if was_scored(one) and reward_of(one) < most / 2]
    if 2 * len(refused) <= len(tried):
        return None
    one, value = refused[0], eaten[refused[0].row_index]
    return Finding(
        f"`{strip.name}({strip.word!r})` takes off each of these letters and not the word, so that right answers are "
        f"refused that begin or end with one of them, such as {quoted(value)} of column {column!r}, which scores "
        f"{reward_of(one):g} where others score {most:g}: {strip.place}. {len(eaten)} of {len(values)} rows have such "
        "a value.",
        f"Use {_INSTEAD[strip.name]}, which take{'s' * (strip.name != 'strip')} off a whole word.",
        one.row_index, prompt_text(subject, one.row_index)[-600:], reward_of(one), most,
    )  # fmt: skip


def _best(subject: Subject, strip: _Strip, row: int, value: str) -> Episode:
    """The best episode of a row with a value, alone and with the word."""
    episodes = play_answers(subject, [(row, answer) for answer in strip.answers(value)])
    return max(episodes, key=reward_of)
