"""Whether the letter of gold points at the option that another column has the text of."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.answer_pairs import Pairs, as_a_part, pairs_of
from grpo_env_sdk.checking.evidence.author_code.score_code import ScoreFunction, row_functions
from grpo_env_sdk.checking.evidence.golds import golds, loses_half, play_scored
from grpo_env_sdk.checking.evidence.prompts.bare_text import bare
from grpo_env_sdk.checking.evidence.prompts.option_features import options_of, question_of
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex

FEWEST_ROWS, FEWEST_OPTIONS, FEWEST_AWAY, MOST_PLAYED = 8, 3, 3, 6
"""On how many rows a column is compared, of how many options, how many rows disagree, and on how many of them the
option of the column is tried."""
_RIGHT = {"answer", "answers", "correct", "right", "gold", "golden", "solution", "truth", "target", "expected", "true"}
_OF_OPTIONS = {"text", "option", "choice", "value", "word", "name", "full", "ground", "label"}
_TURNED = regex(
    r"\b(?:not|no|never|except|wrong|false|incorrect\w*|untrue|least|odd|without|neither|nicht|kein\w*|falsch\w*|"
    r"pas|faux|sauf)\b|n't\b",
    re.IGNORECASE,
)
"""Words of a question that may ask for another option than the right one."""


@dataclass(frozen=True, slots=True)
class Away:
    """A row whose gold is not the option that a column has."""

    row: int
    prompt: str
    mark: str
    """The mark of the option that the column has."""
    text: str


@check("C162", needs=("gold",), kinds=("single-turn",))
def gold_points_at_the_right_option(subject: Subject) -> Iterator[Finding]:
    """Where a column has the text of the right option, the letter of gold is that option's letter."""
    pairs = [one for one in pairs_of(subject) if not _TURNED.search(question_of(one[1]))]
    marks = {mark.casefold() for _, prompt, _ in pairs for mark, _ in options_of(prompt)}
    if len(pairs) < FEWEST_ROWS or not all(answer.strip("()[]") in marks for *_, answer in pairs):
        return
    columns = {name: away for name in subject.row(pairs[0][0]) if (away := _pointed(subject, name, pairs)) is not None}
    if not all(columns.values()):
        return  # gold is what this column says, and the others have something else
    for name, away in columns.items():
        certain = _is_right(name) or (_is_asked(name, pairs) and not _said_to_any(subject, name, pairs))
        if not certain and (len(columns) > 1 or not any(map(_shuffles_later, row_functions(subject.loaded.env)))):
            continue
        tried = away[:MOST_PLAYED]
        episodes = play_scored(subject, [(one.row, _in_its_form(golds(subject)[one.row].text, one)) for one in tried])
        refused = [one for one in episodes if loses_half(subject, one)]
        if len(episodes) == len(tried) and len(refused) == len(tried):
            first, gold = tried[0], golds(subject)[tried[0].row]
            yield Finding(
                f"The column {name!r} has the text of one option of each prompt, and gold is the letter of another "
                f"one on {len(away)} of {len(pairs)} rows: in row {first.row} it is {quoted(first.text)}, option "
                f"{first.mark}, which scores {refused[0].reward:g}, and gold is {quoted(gold.text)}.",
                "Shuffle the options once, before the letter of the right one is worked out.",
                first.row, input=first.prompt[-600:], output=refused[0].reward, expected=gold.reward,
                severity="error" if certain else "warning",
            )  # fmt: skip
            return


def _pointed(subject: Subject, name: str, pairs: Pairs) -> list[Away] | None:
    """The rows on which gold is not the option that a column has; None where the column says nothing of the right one.

    It says nothing where it has no option on some row, always the one in the same place, or never gold.
    """
    away: list[Away] = []
    marks = set()
    for row, prompt, answer in pairs:
        value = subject.row(row).get(name)
        options = [(mark, text) for mark, text in options_of(prompt) if bare(text) == bare(str(value))]
        if name == "prompt" or not isinstance(value, str) or len(options) != 1:
            return None
        marks.add(options[0][0])
        if options[0][0].casefold() != answer.strip("()[]"):
            away.append(Away(row, prompt, options[0][0], value))
    few_options = any(len(options_of(prompt)) < FEWEST_OPTIONS for _, prompt, _ in pairs)
    if few_options or len(marks) < 2 or len(away) == len(pairs) or 0 < len(away) < FEWEST_AWAY:
        return None
    return away


def _is_right(name: str) -> bool:
    """Whether the name of a column says that it has the right answer."""
    words = set(_words(name))
    return bool(words & _RIGHT) and words <= _RIGHT | _OF_OPTIONS


def _is_asked(name: str, pairs: Pairs) -> bool:
    """Whether every question asks for the one thing that a column is named for, as in "What is the capital of"."""
    words = r"\s+(?:of\s+)?(?:the\s+)?".join(map(re.escape, _words(name)))
    asked = rf"(?:\b(?:is|are|was|were|name|give|find|pick|choose|select)|'s)\s+(?:the|an?)\s+(?:\w+\s+)?{words}"
    return bool(words) and all(
        re.search(rf"{asked}(?:\s+(?:of|for|in|from)\b|\s*[?:])", question_of(prompt), re.IGNORECASE)
        for _, prompt, _ in pairs
    )


def _said_to_any(subject: Subject, name: str, pairs: Pairs) -> bool:
    """Whether a prompt has the text of a column beside its options too, so that it is part of the question."""
    return any(
        re.search(as_a_part(bare(str(subject.row(row)[name]))), question_of(prompt), re.IGNORECASE)
        for row, prompt, _ in pairs
    )


def _shuffles_later(one: ScoreFunction) -> bool:
    """Whether a function shuffles a list after it looked up the place of something in it, and not again after that."""
    looked: dict[str, int] = {}
    shuffled: dict[str, int] = {}
    for node in one.nodes:
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if node.func.attr == "index" and isinstance(node.func.value, ast.Name):
            looked[node.func.value.id] = max(node.lineno, looked.get(node.func.value.id, 0))
        elif node.func.attr == "shuffle" and node.args and isinstance(node.args[0], ast.Name):
            shuffled[node.args[0].id] = max(node.lineno, shuffled.get(node.args[0].id, 0))
    return any(line > looked.get(name, line) for name, line in shuffled.items())


def _words(name: str) -> list[str]:
    return [word.casefold() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name)]


def _in_its_form(gold: str, away: Away) -> str:
    """What gold says, with another option's mark in place of its own, which stands last of single letters."""
    places = list(re.finditer(r"(?<![^\W_])[A-Ha-h1-9](?![^\W_])", gold))
    place = places[-1] if places else None
    mark = away.mark.lower() if place and place[0].islower() else away.mark
    return f"{gold[: place.start()]}{mark}{gold[place.end() :]}" if place else mark
