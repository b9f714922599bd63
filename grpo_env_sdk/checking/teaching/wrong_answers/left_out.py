"""Whether a labelled part that a prompt asks for may be left out, although it loses where it is wrong."""

import re
from collections.abc import Iterator, Mapping, Sequence

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import Gold
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.variants import Variant, golds_with_text, played, still_earns
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.lazy_answers.idling import MOSTLY
from grpo_env_sdk.late_patterns import regex

MOST_ROWS, MOST_PARTS, FEWEST_ROWS = {"quick": 6, "default": 10, "thorough": 40}, 6, 4
_PARTS = regex(r"^[ \t]*([^\W\d_][\w ]{0,24}:)[ \t]*\S[^\n]*(?:\n|\Z)|<(\w+)>[^<>]*</\2>\s*", re.MULTILINE)
"""A line with a label, or what is between tags."""
_GIVEN = regex(r"(?<![\w.])(\w+=|\"\w+\":\s*)(?:\"[^\"\n]*\"|'[^'\n]*'|[^,(){}\[\]\"'\n]+),?\s*")
_CALL = regex(r"(?s)[^{(]*\w\(\w+=[^()]*\)\W*|\s*[^\s{][^{]*\{.*\}.*")
"""What a call, or an object with something before it, is given by name."""
_OPTIONAL = regex(r"\b(?:optional\w*|may (?:leave|omit|skip|add|also)|if (?:you|there|any)|leave out)\b", re.IGNORECASE)


@check("G617", needs=("gold",))
def what_is_left_out_is_not_right(subject: Subject) -> Iterator[Finding]:
    """Gold without a part that the prompt asks for by its label scores less, where another text in that part does."""
    known = golds_with_text(subject, MOST_ROWS[subject.effort])
    parts = {gold.row: _parts(gold.text) for gold in known}
    for label in list(dict.fromkeys(label for found in parts.values() for label in found))[:MOST_PARTS]:
        asking = [gold for gold in known if label in parts[gold.row] and _asks(subject, gold, label)]
        if len(asking) < FEWEST_ROWS or any(len(parts[gold.row]) < 2 for gold in asking):
            continue
        first = played(subject, _variants(asking, parts, label, FEWEST_ROWS)).get(_WITHOUT)
        if first is None or not first.won:
            continue
        outcomes = played(subject, _variants(asking, parts, label))
        without, other = outcomes.get(_WITHOUT), outcomes.get(_OTHER)
        if without and other and without.proven(MOSTLY) and 3 * len(other.won) <= len(other.episodes):
            how = f"without its {label!r}, where another text in its place loses,"
            hint = "Score a part that is missing as one that is wrong: 0, and not None or a part left out of the mean."
            yield still_earns(subject, without, how, hint, "error")
            return


_LAST_COMMA = regex(r",\s*([)}])")
_WITHOUT, _OTHER = "without", "other"


def _variants(
    asking: Sequence[Gold], parts: Mapping[int, Mapping[str, str]], label: str, most: int | None = None
) -> Iterator[Variant]:
    """Each gold, or so many of them, without the part, and with the part of another row."""
    texts = list(dict.fromkeys(parts[gold.row][label] for gold in asking))
    for gold in asking[:most]:
        own = parts[gold.row][label]
        yield Variant(_WITHOUT, gold, _LAST_COMMA.sub(r"\1", gold.text.replace(own, "")).strip())
        if other := next((text for text in texts if text.strip() != own.strip()), None):
            yield Variant(_OTHER, gold, gold.text.replace(own, _ended_as(other, own)))


def _ended_as(part: str, own: str) -> str:
    """A part of another answer, with a comma behind it where its own has one."""
    ends = own[len(own.rstrip(", \n")) :]
    return part.rstrip(", \n") + ends


def _parts(text: str) -> dict[str, str]:
    """The labelled lines and tagged parts of a text, or else what its call is given, by what marks them."""
    found = {found[1] or f"<{found[2]}>": found.group() for found in _PARTS.finditer(text)}
    given = {found[1].strip(): found.group() for found in _GIVEN.finditer(text)} if _CALL.fullmatch(text) else {}
    return found if len(found) > 1 else given


def _asks(subject: Subject, gold: Gold, label: str) -> bool:
    prompt = prompt_text(subject, gold.row)
    return label in prompt and not _OPTIONAL.search(prompt)
