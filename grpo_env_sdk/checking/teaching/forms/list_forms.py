"""Other ways to write a list, and what stands around an answer, that a prompt asks for."""

import json
import re

from grpo_env_sdk.checking.evidence.prompts.asked_ends import ENDS_WITH_FULL_STOP
from grpo_env_sdk.checking.evidence.prompts.json_data import read_json
from grpo_env_sdk.checking.teaching.forms.form import NEGATED, Form

_BETWEEN = ("; ", ";", " | ", "|", "\n", ", ", ",", " > ", " -> ", " / ", " ")
_NAMED = {
    "comma": ", ", "semicolon": "; ", "space": " ", "tab": "\t", "pipe": "|", "slash": "/", "dash": "-", "hyphen": "-",
    "newline": "\n", "new line": "\n", "line break": "\n",
}  # fmt: skip
_SEPARATED = (
    r"\b(?:separated?|divided?|joined?|delimited|them|words|items|names|values|numbers)\b[^.!?\n]{0,20}?\b(?:by|with)"
    rf" (?:an? |the |single |one )*({'|'.join(_NAMED)})s?\b"
    r"(?! (?:after|before|behind|around|following)\b)"
)
_QUOTED = (
    r"\b(?:separated?|divided?|joined?|delimited)\b[^.!?\n]{0,20}?\b(?:by|with) [`'\"]( ?[^\w\s`'\"]{1,3} ?)[`'\"]"
    r"|[`'\"]( ?[^\w\s`'\"]{1,3} ?)[`'\"] between"
)
_ALONE = (
    r"\b(?:one|each|every|a)\b[^.,;!?\n]{0,30}\b(?:per|on|to) (?:(?:its|an?|their) )?"
    r"(?:own |separate |new |different )?line\b|\b(?:on|in) separate lines|\ba line each\b|\bone per line\b"
)
_OTHER_LINES = r"\b(?:last|first|final|top|bottom) line|\blines of\b"


def items_of(core: str) -> tuple[list[str], str]:
    """The values of a list, and what is between them."""
    for between in _BETWEEN:
        items = core.split(between)
        if len(items) > 1 and all(re.fullmatch(r"-?\w[\w .'-]*", item) for item in items):
            return items, between
    return [], ""


def cuts_an_item(core: str, before: str, after: str) -> bool:
    """Whether the words around a list, which all answers share, belong to its first or its last value."""
    items, between = items_of(core)
    if not items or between == " ":
        return False
    beside = (before.rpartition("\n")[2].rstrip(" "), after.partition("\n")[0].lstrip(" "))
    touching = [text for text, end in zip(beside, (-1, 0), strict=True) if text and text[end].isalnum()]
    return any(between == "\n" or len(text.split()) == 1 for text in touching)


def _values(core: str, prompt: str) -> list[str]:
    """The values of a list; words with spaces between them only where the prompt has each of them."""
    items, between = items_of(core)
    return items if between != " " or all(item in prompt for item in items) else []


def with_commas(core: str, prompt: str) -> str | None:
    """A list with commas between its values, where they are separated by something else."""
    items, between = items_of(core)
    numbers = all(re.fullmatch(r"-?[\d.]+", item) for item in items)
    return ", ".join(items) if items and "," not in between and (between != " " or numbers) else None


def turned(core: str, prompt: str) -> str | None:
    """A list in reverse order."""
    items, between = items_of(core)
    value = data_of(core)
    if isinstance(value, list):
        return json.dumps(value[::-1])
    return between.join(reversed(items)) if items and (between != " " or len(items[0]) < 20) else None


def as_listed(core: str, prompt: str) -> str | None:
    """A list in the order in which the prompt first has its values, where it has each of them."""
    texts, between = items_of(core)
    value = data_of(core)
    items = value if isinstance(value, list) else texts
    places = [re.search(rf"(?<!\w){re.escape(str(item))}(?!\w)", prompt) for item in items]
    found = [place.start() for place in places if place]
    if len(found) < len(items) or len(set(found)) < len(items):
        return None
    listed = [item for _, item in sorted(zip(found, items, strict=True), key=lambda one: one[0])]
    return json.dumps(listed) if isinstance(value, list) else between.join(listed)


def data_of(core: str) -> object:
    """The object or list that a text is as JSON; None for others."""
    value = read_json(core)
    return value if isinstance(value, dict | list) and value else None


def _one_per_line(core: str, prompt: str) -> str | None:
    return "\n".join(_values(core, prompt)) or None


def _separated(core: str, prompt: str) -> str | None:
    """A list with what the prompt names between its values."""
    quoted, named = re.search(_QUOTED, prompt, re.IGNORECASE), re.search(_SEPARATED, prompt, re.IGNORECASE)
    items, now = items_of(core)
    between = (quoted[1] or quoted[2]) if quoted else _NAMED[named[1].casefold()] if named else now
    if len(set(re.findall(_SEPARATED, prompt, re.IGNORECASE))) > 1 or not items:
        return None
    if any(between in item for item in items):
        return None  # gold has what is asked for inside its lines, where it separates their words
    return None if between.strip() == now.strip() and between.strip() else between.join(items)


def _on_one_line(core: str, prompt: str) -> str | None:
    items, between = items_of(core)
    return " ".join(items) if between == "\n" else None


def _bullets(core: str, prompt: str) -> str | None:
    return "\n".join(f"- {item}" for item in _values(core, prompt)) or None


def _numbered(core: str, prompt: str) -> str | None:
    return "\n".join(f"{number}. {item}" for number, item in enumerate(_values(core, prompt), 1)) or None


def _json_list(core: str, prompt: str) -> str | None:
    items = _values(core, prompt)
    numbers = all(re.fullmatch(r"-?\d+", item) for item in items) and not re.search(r"strings", prompt, re.IGNORECASE)
    return json.dumps([int(item) for item in items] if numbers else items, ensure_ascii=False) if items else None


def _with_full_stop(core: str, prompt: str) -> str | None:
    return f"{core}." if core[-1:].isalnum() else None


_WITH = r"\b(?:with|as|in|use|using) (?:an? )?"
LIST_FORMS = (
    Form("with one value per line", _one_per_line, _ALONE, _OTHER_LINES, sure=True, unless=NEGATED),
    Form(
        "separated as it asks for", _separated, f"{_SEPARATED}|{_QUOTED}", r"\bgiven\b|\binput\b",
        sure=True, unless=NEGATED,
    ),
    Form(
        "on one line", _on_one_line, r"\b(?:on|in|as) (?:one|a single) line\b",
        sure=True, unless=rf"{NEGATED}|\b(?:each|every)\b",
    ),
    Form("as a list with bullets", _bullets, _WITH + r"bullet\w*", sure=True, unless=NEGATED),
    Form("as a numbered list", _numbered, _WITH + "numbered list", sure=True, unless=NEGATED),
    Form(
        "as a list in JSON", _json_list,
        r"\b(?:with|as|in|return|output|give) (?:an? |the )?(?:valid )?JSON (?:list|array)", sure=True,
    ),
    Form(
        "with a full stop at its end", _with_full_stop,
        ENDS_WITH_FULL_STOP, sure=True, unless=NEGATED,
    ),
)  # fmt: skip
