"""The acts that prompts and observations name: quoted words, and the forms of commands with the things shown."""

import re
from collections.abc import Iterable, Sequence

from grpo_env_sdk.checking.evidence.stand_ins.call_acts import listed_calls, shown_calls
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Message, Schemas

MOST_WORDS, MOST_ACTS, MOST_IN_COMMAND = 60, 200, 4
_QUOTED = regex(r"`([^`\n]{1,30})`|\"([^\"\n]{1,30})\"|(?<!\w)'([^'\n]{1,30})'|\[([^\[\]\n]{1,30})\]")
_EXAMPLE = regex(r"\b(?:such as|e\.g\.,?|for example:?|like) ((?:[^\s.,;:!?()\"'`]+ ?){1,4})(?=[.,;:!?()\n]|$)")
_BLANK = regex(r"\b[A-Z]{2,}\b|<\w+>|\{\w+\}|\.\.\.|\u2026")
_CLAUSE = regex(r"[.,;:!?()\n\"'`]+|\s(?:and|or|to)\s")
_COMMANDS = regex(
    r"\b(?:commands?|actions?|moves?|verbs?|orders?|you (?:can|may)(?: \w+)?)\b[^.:\n]{0,40}:\s*"
    r"((?:[^.\n]|\n\s*[-*\u2022])+)",
    re.IGNORECASE,
)
_BETWEEN = regex(r"[,;\n|]|\s(?:or|and|/)\s")
_BULLET = regex(r"^\s*(?:[-*\u2022]\s*)?(?:(?:or|and)\s)?|\(.*$|:.*$")
_WORD = regex(r"\w[\w-]*")
_QUOTES = regex(r"[`\"*]|(?<!\w)'|'(?!\w)")
_REMARK = regex(r"(?<=\w) ?\((?![^()]*\b(?:or|oder|ou|of|eller)\b)[^()\n]{1,40}\)")
"""What is in brackets behind a word and is no choice, such as what an act does: `north (y + 1), south or west`."""
_ALTERNATIVES = regex(
    r"(?<![\w-])((?:[\w-]{1,20}, ){0,11}[\w-]{1,20}),? (?:or|oder|ou|o|of|eller) ([\w-]{1,20})(?![\w-])", re.IGNORECASE
)
TAKES_BACK = regex(r"(?<![a-z])(?:undo|take back|go back|step back|revert)(?![a-z])", re.IGNORECASE)
"""The acts that say of themselves that they take the last one back."""


def likely_acts(prompt: str, shown: Sequence[str], tools: Schemas) -> list[str | Message]:
    """Quoted texts, the quoted forms with each thing that is shown in their blanks, and the calls of the schemas."""
    named = ["".join(one) for one in _QUOTED.findall(prompt)] + commands_of(prompt)
    quoted = list(dict.fromkeys(named + _EXAMPLE.findall(prompt)))
    forms = [one for one in quoted if _BLANK.search(one)]
    things = things_of([*shown, _QUOTED.sub(" ", prompt)])
    texts = [one for one in quoted if one not in forms]
    texts += [thing.join(_BLANK.split(form)) for thing in things for form in forms]
    texts += [word for words in alternatives_of(prompt) for word in words if word not in texts]
    calls: list[str | Message] = [*listed_calls(tools), *shown_calls(tools, things)]
    return [*calls, *texts][:MOST_ACTS]


def filled_commands(prompt: str, shown: str) -> list[str]:
    """The forms of commands that a prompt names, such as `go ROOM`, with each thing that is shown in their blanks."""
    named = ["".join(one) for one in _QUOTED.findall(prompt)] + commands_of(prompt)
    forms = [one for one in dict.fromkeys(named) if _BLANK.search(one)]
    return [thing.join(_BLANK.split(form)) for form in forms for thing in things_of([shown])]


def commands_of(prompt: str) -> list[str]:
    """The commands that a prompt lists after a colon, such as `Commands: east, take THING, leave`."""
    found: dict[str, None] = {}
    for listed in _COMMANDS.findall(prompt):
        for one in _BETWEEN.split(listed):
            words = _BULLET.sub("", one).split(" - ")[0].strip(" `\"'.")
            if 0 < len(words.split()) <= MOST_IN_COMMAND:
                found[words] = None
    return list(found)


def alternatives_of(prompt: str) -> list[list[str]]:
    """The single words between which a prompt leaves the choice, such as `north, south, west or east`, list by list."""
    bare = _REMARK.sub("", _QUOTES.sub("", prompt))
    lists = ([*first.split(", "), last] for first, last in _ALTERNATIVES.findall(bare))
    return [list(words) for words in dict.fromkeys(tuple(dict.fromkeys(found)) for found in lists) if len(words) > 1]


def undoing(known: Sequence[str], prompt: str) -> list[str]:
    """The words of a prompt that take back an act, and known texts with other verbs: `drop opal` for `take opal`."""
    verbs = dict.fromkeys(one.split()[0] for one in commands_of(prompt) if len(one.split()) > 1)
    pairs = [one.split(maxsplit=1) for one in known]
    others = (f"{verb} {pair[1]}" for pair in pairs if len(pair) == 2 for verb in verbs)
    return list(dict.fromkeys([*TAKES_BACK.findall(prompt), *others]))


def things_of(texts: Iterable[str]) -> list[str]:
    """The names in texts: clauses of at most two words, and the words that clauses begin and end with."""
    found: dict[str, None] = {}
    for clause in (words for text in texts for part in _CLAUSE.split(text) if (words := _WORD.findall(part))):
        short = [" ".join(clause)] if len(clause) <= 2 else []
        found |= dict.fromkeys([*short, clause[-1], clause[0]])
    return list(found)[:MOST_WORDS]
