"""Whether prompts hold their answers in another writing: backwards, shifted letters, base64, hexadecimal."""

import base64
import binascii
import codecs
import re
from collections.abc import Callable, Iterator
from contextlib import suppress

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.answer_pairs import pairs_of
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.evaluation.stats import Share
from grpo_env_sdk.late_patterns import regex

FEWEST_ROWS, FEWEST_ANSWERS, PAYS = 12, 3, 0.5
FEWEST_CHARS, MOST_CHARS = 3, 8_000
_ABOUT = regex(
    r"\b(?:encod|decod|cipher|encrypt|decrypt|rot-?\d|caesar|base-?64|hex|backwards|revers|palindrom|mirror|shift|ascii"
    r"|unicode|secret|code ?word|spell)",
    re.IGNORECASE,
)
"""Words of a task that is about such a writing."""


def _decoded(token: str) -> str:
    with suppress(ValueError, binascii.Error):
        return base64.b64decode(token + "=" * (-len(token) % 4), validate=True).decode()
    return ""


def _from_hex(token: str) -> str:
    with suppress(ValueError):
        return bytes.fromhex(token).decode()
    return ""


WRITINGS: dict[str, tuple[str, Callable[[str], str]]] = {
    "backwards": (r"[^\W\d_]{3,}(?: [^\W\d_]+)*", lambda token: token[::-1]),
    "with its letters shifted by 13": (r"[^\W\d_]{3,}", lambda token: codecs.encode(token, "rot13")),
    "in base64": (r"[A-Za-z0-9+/]{4,}={0,2}", _decoded),
    "in hexadecimal": (r"\b(?:[0-9a-fA-F]{2}){3,}\b", _from_hex),
}
"""What is read in a prompt, and how."""


@check("C136", needs=("gold",), kinds=("single-turn",))
def answers_are_not_in_another_writing(subject: Subject) -> Iterator[Finding]:
    """No prompt holds the answer backwards, in shifted letters, in base64 or in hexadecimal."""
    pairs = [
        (row, prompt[:MOST_CHARS], answer) for row, prompt, answer in pairs_of(subject)
        if len(answer) >= FEWEST_CHARS and answer != answer[::-1]
    ]  # fmt: skip
    if len(pairs) < FEWEST_ROWS or len({answer for *_, answer in pairs}) < FEWEST_ANSWERS:
        return
    for name, (pattern, read) in WRITINGS.items():
        found = [
            (row, prompt, answer, token)
            for row, prompt, answer in pairs
            if not _ABOUT.search(prompt) and (token := _token_with(prompt, answer, pattern, read))
        ]
        share = Share(len(found), len(pairs))
        if share.low >= PAYS:
            row, prompt, answer, token = found[0]
            yield Finding(
                f"The answer is in the prompt {name} on {share}: {quoted(token)} is {quoted(answer)} in row {row}.",
                "Take it out: codes, checksums and names of files are often written with the answer at hand.",
                row, input=prompt[-600:], output=answer,
            )  # fmt: skip
            return


def _token_with(prompt: str, answer: str, pattern: str, read: Callable[[str], str]) -> str:
    """The part of a prompt that is the answer in this writing, where the answer itself is not in the prompt so."""
    for found in re.finditer(pattern, prompt):
        if re.search(rf"(?<!\w){re.escape(answer)}(?!\w)", read(found.group()), re.IGNORECASE):
            return found.group()
    return ""
