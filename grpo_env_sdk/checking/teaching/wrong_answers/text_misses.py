"""Changes of a text that make it another answer: of numbers with units, words, codes and lists."""

import json
import re
from collections.abc import Callable

from grpo_env_sdk.checking.evidence.prompts.json_data import NO_JSON, read_json
from grpo_env_sdk.checking.teaching.wrong_answers.number_misses import NUMBER
from grpo_env_sdk.late_patterns import regex

Change = Callable[[str], str | None]
"""From a text to another one, or to None where it does not apply."""
_CODE_IN_PARTS = r"(?i)(?=[\w-]{5,30}\Z)([A-Z][A-Z\d]*-(?:[A-Z\d]+-)*[A-Z\d]*)(\d)([A-Z]*(?:-[A-Z]{1,4})*)"
"""Such as ARC-HX-4823-B."""
_TAGGED = regex(r"<(\w+)>[^<>]*</\1>")


def of_numbers(change: Change) -> Change:
    """A change for answers that are one number."""
    return lambda text: change(text) if NUMBER.fullmatch(text) else None


def of_words(change: Change) -> Change:
    """A change for answers that are a few words."""
    return lambda text: change(text) if re.fullmatch(r"[^\W\d_]{3,}(?: [^\W\d_]+){0,2}", text) else None


def one_word(place: int) -> Change:
    """One word alone, of answers that are several."""
    return lambda text: text.split()[place] if len(re.findall(r"[^\W\d_]{2,}", text)) > 2 else None


def letters_changed(text: str) -> str:
    """Every third letter replaced."""
    return "".join(("x" if letter != "x" else "k") if n % 3 == 1 else letter for n, letter in enumerate(text))


def backwards(text: str) -> str | None:
    """The same letters in another order."""
    turned = text[::-1]
    return turned if turned.casefold() != text.casefold() else None


def is_list(text: str) -> bool:
    """Whether a text with commas lists values, and is no sentence and no place with its country."""
    values = [value.strip() for value in text.split(",")]
    numbers = all(NUMBER.fullmatch(value) for value in values) and not NUMBER.fullmatch(text)
    words = len(values) > 2 and all(re.fullmatch(r"\w[\w-]*", value) for value in values)
    return len(values) > 1 and len(text) < 200 and (numbers or words)


def first_of_several(text: str) -> str | None:
    """The first value of a comma-separated or JSON list."""
    listed = read_json(text, NO_JSON)
    if listed is NO_JSON:
        return text.partition(",")[0] if is_list(text) else None
    return json.dumps(listed[:1]) if isinstance(listed, list) and len(listed) > 1 else None


def first_for_all(text: str) -> str | None:
    """Several tags of one name, or a list, with the first value in the place of each."""
    tags = list(_TAGGED.finditer(text))
    if len(tags) > 1 and len({tag[1] for tag in tags}) == 1:
        return _TAGGED.sub(lambda _: tags[0][0], text) if len({tag[0] for tag in tags}) > 1 else None
    listed = read_json(text, NO_JSON)
    if listed is NO_JSON:
        listed = text.split(",") if is_list(text) else []
        return ", ".join(listed[:1] * len(listed)) if len(set(listed)) > 1 else None
    several = isinstance(listed, list) and any(one != listed[0] for one in listed)
    return json.dumps(listed[:1] * len(listed), ensure_ascii=False) if several else None


def other_unit(text: str) -> str | None:
    """A number with a unit of another meaning."""
    found = re.fullmatch(rf"({NUMBER.pattern})( ?)([^\W\d_]{{1,12}}\.?)", text)
    if found is None:
        return None
    return f"{found[1]}{found[2]}{'grams' if found[3].casefold() != 'grams' else 'metres'}"


def other_currency(text: str) -> str | None:
    """A number behind the sign of another currency."""
    found = re.fullmatch(rf"([$€£¥])( ?{NUMBER.pattern})", text)
    return f"{'€' if found[1] == '$' else '$'}{found[2]}" if found else None


def other_case(text: str) -> str | None:
    """A code with small letters for capitals and capitals for small ones, where both are mixed inside of it."""
    return text.swapcase() if re.fullmatch(r"(?=.*[a-z][A-Z].*[a-z])[\w+/=-]{4,}", text) else None


def other_vowels(text: str) -> str | None:
    """Words with a, e, i, o and u exchanged."""
    changed = text.translate(str.maketrans("aeiouAEIOU", "oiuaeOIUAE"))
    return changed if changed != text and re.fullmatch(r"[^\W\d_]{2,}(?: [^\W\d_]+)*", text) else None


def other_letter(text: str) -> str | None:
    """A short code, such as a field or a key, with another first letter."""
    found = re.match(r"(?=.*\d)[A-Za-z](?=[\w-]{1,11}\Z)", text)
    return f"{chr(ord(text[0]) + (1 if text[0] in 'aA' else -1))}{text[1:]}" if found else None


def other_digit(text: str) -> str | None:
    """A code with another last digit: a short one, or one of several parts with dashes, of letters and of digits."""
    found = re.fullmatch(r"([A-Za-z][\w-]{0,10})(\d)(\D?)", text) or re.fullmatch(_CODE_IN_PARTS, text)
    return f"{found[1]}{(int(found[2]) + 1) % 10}{found[3]}" if found else None


def of_codes(change: Change) -> Change:
    """A change for answers that are a code: letters or signs and digits without spaces."""
    return lambda text: change(text) if re.fullmatch(r"(?=.*\d)(?=.*[^\W\d_])[\w./:-]{3,30}", text) else None


def last_sign_missing(text: str) -> str | None:
    """The text without its last sign, unless that is a unit of another script behind a number."""
    return None if NUMBER.fullmatch(text[:-1]) and not text[-1].isascii() else text[:-1]


def second_letter_missing(text: str) -> str | None:
    """The text without its second letter, where it begins with two: PT45M as P45M."""
    return text[0] + text[2:] if re.match(r"[^\W\d_]{2}", text) else None


def other_for_dots(text: str) -> str | None:
    """Another letter, or a digit between digits, in place of each dot inside the text."""
    changed = re.sub(r"(?<=\d)\.(?=\d)", "7", text)
    changed = re.sub(r"(?<=\w)\.(?=\w)", "x", changed)
    return changed if changed != text else None


def without_signs(text: str) -> str | None:
    """The text without what a pattern takes for a count or a choice, inside of it; an exponent keeps its sign."""
    changed = re.sub(r"(?<!\d[eE])(?<=[^\W_])[+*?](?=[^\W_])", "", text)
    return changed if changed != text else None


def divided_by_zero(text: str) -> str | None:
    """An expression that raises whatever it is asked for; words with a hyphen are none."""
    is_one = re.fullmatch(r"(?=.*[a-z])(?=.*(?:[+*/%]|\d-|-\d|\W-|-\W))[\w\s()+*/%.-]{3,60}", text)
    return f"({text})//0" if is_one else None
