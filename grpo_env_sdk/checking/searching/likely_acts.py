"""The acts that prompts and observations name: quoted words, and the forms of commands with the things shown."""

import re
from collections.abc import Iterable, Sequence

from grpo_env_sdk.checking.searching.call_acts import listed_calls, shown_calls
from grpo_env_sdk.checking.searching.position import Act
from grpo_env_sdk.types import Schemas

MOST_WORDS, MOST_ACTS = 60, 200
_QUOTED = re.compile(r"`([^`\n]{1,30})`|\"([^\"\n]{1,30})\"|(?<!\w)'([^'\n]{1,30})'|\[([^\[\]\n]{1,30})\]")
_BLANK = re.compile(r"\b[A-Z]{2,}\b|<\w+>|\{\w+\}|\.\.\.|\u2026")
_CLAUSE = re.compile(r"[.,;:!?()\n\"'`]+|\s(?:and|or|to)\s")
_WORD = re.compile(r"\w[\w-]*")


def likely_acts(prompt: str, shown: Sequence[str], tools: Schemas) -> list[Act]:
    """Quoted texts, the quoted forms with each thing that is shown in their blanks, and the calls of the schemas."""
    quoted = list(dict.fromkeys("".join(one) for one in _QUOTED.findall(prompt)))
    forms = [one for one in quoted if _BLANK.search(one)]
    things = things_of([*shown, _QUOTED.sub(" ", prompt)])
    texts = [one for one in quoted if one not in forms]
    texts += [thing.join(_BLANK.split(form)) for thing in things for form in forms]
    calls: list[Act] = [*listed_calls(tools), *shown_calls(tools, things)]
    return [*calls, *texts][:MOST_ACTS]


def things_of(texts: Iterable[str]) -> list[str]:
    """The names in texts: clauses of at most two words, and the words that clauses begin and end with."""
    found: dict[str, None] = {}
    for clause in (words for text in texts for part in _CLAUSE.split(text) if (words := _WORD.findall(part))):
        short = [" ".join(clause)] if len(clause) <= 2 else []
        found |= dict.fromkeys([*short, clause[-1], clause[0]])
    return list(found)[:MOST_WORDS]
