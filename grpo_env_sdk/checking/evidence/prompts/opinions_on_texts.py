"""What questions about words, letters and lists have as their answers."""

import re
import unicodedata
from collections.abc import Iterator, Mapping

from grpo_env_sdk.checking.evidence.prompts.second_opinions import Value, number_of, opinion
from grpo_env_sdk.late_patterns import regex

SPECIAL = regex(
    r"\b(?:except|ignor\w+|exclud\w+|only the|but not|unless|without|distinct|different|unique|duplicates?|repeated|"
    r"long(?:er|est)|short(?:er|est)|begin\w*|start\w*|end\w*|contain\w*|each|even|odd|absolute|last (?:letter|digit)|"
    r"length|second|hyphen\w*|verschieden\w*|diferent\w*|distint\w*)\b",
    re.IGNORECASE,
)
"""Words of questions that have rules of their own."""
_QUOTED = regex(
    r"«([^«»]+)»|“([^“”]+)”|„([^„“”]+)[“”]|"
    r"\"([^\"\n]+)\"|`([^`\n]+)`|(?<!\w)'([^'\n]+(?:'\w[^'\n]*)*)'(?!\w)"
)
AS_TEXT, _CAPITALS = "as text", "capitals first"
_UPPER = r"(?:(?:upper|capitals?|capital letters)(?:[ -]?case)?(?: letters)?(?:,? (?:and|or|from|before|versus) |/))"
_NO_CASE = (
    rf"\b(?:ignor\w+ {_UPPER}?(?:lower[ -]?)?(?:case|capitals?\b|capitali[sz]ation)|case[- ]insensitiv\w+|"
    r"not case[- ]sensitiv\w+|(?:regardless|irrespective) of (?:the )?(?:letter )?(?:upper |capital )?case|"
    r"whatever (?:the|their) case|(?:case|capitali[sz]ation) (?:does not|doesn't) matter)"
)
_CASE = (
    r"(?<!not )\b(?:(?:capitals?|capital letters|upper[ -]?case)(?: letters)? (?:come |go )?(?:first|before)|"
    r"case[- ]sensitiv\w+|ASCII|code points?|unicode order|byte order)\b"
)
"""Words of prompts that say that the case of letters does not count in an order, and that it does."""


def _quoted(prompt: str) -> list[str]:
    return [next(filter(None, found)) for found in _QUOTED.findall(prompt)]


def _text_asked(prompt: str) -> str:
    """The text that a question is about: the longest in quotes, or what is behind the last colon."""
    quoted = _quoted(prompt)
    if quoted:
        return max(quoted, key=len)
    behind = re.split(r":\s+", prompt.strip())[-1]
    return behind.strip() if behind != prompt.strip() else ""


@opinion(
    "the words of a text",
    r"\b(?:how many words|number of words|word count|count the words|cu[aá]ntas palabras|wie ?viele w[öo]rter|"
    r"combien de mots|quante parole|quantas palavras)\b",
)
def words(prompt: str) -> Mapping[str, Value]:
    """How many words a text has, with hyphens and apostrophes as parts of words or not."""
    text = _text_asked(prompt)
    if not text or SPECIAL.search(prompt.replace(text, "")):
        return {}
    spaced = [word for word in text.split() if re.search(r"\w", word)]
    return {
        "words between spaces": float(len(spaced)),
        "words with hyphens apart": float(len(re.findall(r"[^\W_]+(?:['\u2019][^\W_]+)*", text))),
        "words with hyphens and apostrophes apart": float(len(re.findall(r"[^\W_]+", text))),
    }


@opinion(
    "how often a letter is in a word",
    r"\bhow (?:many|often)\b.{0,40}\b(?:letters?|times)\b|\bhow many ['\"“]?\w['\"”]?(?:'?s)? ",
)
def letter(prompt: str) -> Mapping[str, Value]:
    """How often the one letter in quotes is in the one text in quotes."""
    quoted = _quoted(prompt)
    letters = [one for one in quoted if len(one) == 1]
    texts = [one for one in quoted if len(one) > 1]
    if len(letters) != 1 or len(texts) != 1 or SPECIAL.search(prompt.replace(texts[0], "")):
        return {}
    one, text = letters[0], texts[0]
    bare_text = unicodedata.normalize("NFKD", text.casefold())
    return {
        "in any case": float(text.casefold().count(one.casefold())),
        "in this case": float(text.count(one)),
        "accented ones too": float(bare_text.count(one.casefold())),
    }


@opinion("a text backwards", r"\b(?:backwards?|reverse[ds]?|in reverse|rückwärts)\b")
def backwards(prompt: str) -> Mapping[str, Value]:
    """The one text in quotes from its end to its start, by letters or by words."""
    quoted = _quoted(prompt)
    if len(quoted) != 1 or SPECIAL.search(prompt.replace(quoted[0], "")):
        return {}
    return {"by letters": quoted[0][::-1], "by words": " ".join(quoted[0].split()[::-1])}


@opinion(
    "the items of a list in order", r"\b(?:sort|order|arrange|alphabetical\w*|ascending|descending|rank)\b",
    {
        AS_TEXT: r"\b(?:number|ascending|descending|smallest|lowest|least|largest|highest|greatest)",
        "from the last to the first": r"\b(?:ascending|(?:smallest|lowest|least|shortest|cheapest|A)(?: first| to )|"
        r"from (?:the )?(?:smallest|lowest|least))\b",
        "from the first to the last": r"\b(?:descending|(?:largest|highest|greatest|most|Z)(?: first| to )|reverse|"
        r"from (?:the )?(?:largest|highest|greatest))\b",
        f"from the first to the last, {_CAPITALS}": _NO_CASE,
        f"from the last to the first, {_CAPITALS}": _NO_CASE,
        "from the first to the last, in any case": _CASE, "from the last to the first, in any case": _CASE,
    },
)  # fmt: skip
def in_order(prompt: str) -> Mapping[str, Value]:
    """The items of the longest list of a prompt, by their numbers or by their letters."""
    items = max(lists_in(prompt), key=len, default=[])
    if len(items) < 3 or SPECIAL.search(re.sub(_NO_CASE, "", prompt, flags=re.IGNORECASE)):
        return {}
    if all(re.fullmatch(r"[-\u2212]?\d+(?:\.\d+)?", item) for item in items):
        ways = {"by size": sorted(items, key=number_of), AS_TEXT: sorted(items)}
    elif re.search(r"\balphabet", prompt, re.IGNORECASE):
        ways = {"in any case": sorted(items, key=str.casefold), _CAPITALS: sorted(items),
                "without accents": sorted(items, key=_unaccented)}  # fmt: skip
    else:
        return {}
    found: dict[str, Value] = {}
    for name, up in ways.items():
        before, behind = (f"{name}, ", "") if name == AS_TEXT else ("", f", {name}")
        found[f"{before}from the first to the last{behind}"] = tuple(up)
        found[f"{before}from the last to the first{behind}"] = tuple(up[::-1])
    return found


def _unaccented(text: str) -> str:
    return "".join(char for char in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(char))


def lists_in(prompt: str) -> Iterator[list[str]]:
    """Items between commas, and those in lines of their own with a mark."""
    for line in prompt.splitlines():
        for part in re.split(r":\s|(?<!\b\w)[.?!](?:\s|$)|[\[\](){}]", line):
            items = [item.strip(" \"'") for item in re.split(r"[,;]", part)]
            if len(items) > 2 and all(0 < len(item) <= 40 for item in items):
                yield items
    marked = re.findall(r"^\s*(?:[-*•]|\d+[.)])\s+(.+?)\s*$", prompt, re.MULTILINE)
    if len(marked) > 2:
        yield marked


OF_TEXTS = (words, letter, backwards, in_order)
