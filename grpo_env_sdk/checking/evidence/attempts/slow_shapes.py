"""How scoring time grows with the length of an answer, measured in small steps so that nothing hangs."""

import time
from collections.abc import Iterator

from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.variants import golds_with_text
from grpo_env_sdk.late_patterns import regex

_LENGTHS = (8, 12, 16, 20, 24, 28, 32, 36)
SHAPES = {
    "letters": "a{}", "letters and a mark": "a{}!", "digits": "9{}", "digits and a letter": "9{}x",
    "spaces": " {}x", "words": "ab {}!", "dots": "a.{}!", "commas": "1,{}x", "an address": "a@a.{}",
    "tags": "<answer>a{}", "lines": "a: b\n{}!", "brackets": "({}",
}  # fmt: skip
"""The repeated text, and after the braces the end."""
_POWERS = ["9**9**3", "9**9**4", "9**9**5", "9**9**6", "9**8**7", "9**9**7"]
"""Each takes at most thirty times as long as the one before, so that the first slow one takes half a second."""


def _ladders() -> dict[str, list[str]]:
    """Texts of each shape with growing length."""
    parts = {what: shape.split("{}") for what, shape in SHAPES.items()}
    ladders = {what: [piece * length + end for length in _LENGTHS] for what, (piece, end) in parts.items()}
    return ladders | {
        "a power": _POWERS,
        "a power in tags": [f"<answer>{text}</answer>" for text in _POWERS],
    }


_RUN = regex(r"[^\W\d_]+|\d+")
_RUNS = 8
"""So many words and numbers of one gold answer are made long."""


def _ladders_in_gold(gold: str) -> dict[str, list[str]]:
    """Gold up to one of its words or numbers, which is made long and ends with what fits nowhere."""
    runs = [(gold[: run.start()], "9" if run[0].isdecimal() else "a") for run in _RUN.finditer(gold)]
    return {
        f"the gold answer with word {place} made long": [before + piece * length + "~" for length in _LENGTHS]
        for place, (before, piece) in enumerate(runs[:_RUNS], 1)
    }


_SLOW_PART = 0.25
UNTRIED = ("score", "untried shapes")
"""The key of the shapes for which there was no time."""
_TOO_LONG = 0.1
"""Longer answers are not tried once one takes so many seconds."""
_STEEP = 4.0
"""Growth is explosive if four more letters take so many times longer; cubic growth stays below 2.4."""


def explosive(subject: Subject) -> dict[str, tuple[int, str, float, float]]:
    """The shapes of text whose scoring time explodes: length, text, seconds one step shorter, seconds."""
    return subject.once(("score", "explosive"), lambda: _explosive(subject))


def _explosive(subject: Subject) -> dict[str, tuple[int, str, float, float]]:
    if subject.traits.kind != "single-turn":
        return {}
    for what, ladder in _shapes(subject):
        before = 0.0
        for text in ladder:
            if subject.slow and not subject.time_left:
                return {}
            seconds = _seconds(subject, text)
            if seconds > _TOO_LONG:
                if before and seconds > _STEEP * before and _seconds(subject, text) > _STEEP * before:
                    return {what: (len(text), text, before, seconds)}
                break
            before = seconds
    return {}


def _shapes(subject: Subject) -> Iterator[tuple[str, list[str]]]:
    """Every shape, or where an episode takes long those for which there is time."""
    gold = next((gold.text for gold in golds_with_text(subject, 1)), "")
    ladders = [*_ladders().items(), *_ladders_in_gold(gold).items()]
    untried = subject.once(UNTRIED, lambda: dict(ladders))
    for what, ladder in subject.in_time(ladders, _SLOW_PART) if subject.slow else ladders:
        yield what, ladder
        del untried[what]


def _seconds(subject: Subject, text: str) -> float:
    started = time.process_time()
    subject.answer(subject.chosen[0], text)
    return time.process_time() - started
