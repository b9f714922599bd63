"""Dates of a gold answer in another form than the one that its prompt asks for."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import date

from grpo_env_sdk.checking.evidence.prompts.broken_form import BrokenForm, only, put
from grpo_env_sdk.late_patterns import regex

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November"),
    "December",
)
_OTHER_MONTHS = {
    name: place
    for names in (
        "januar februar märz april mai juni juli august september oktober november dezember",
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
        "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
        "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
        "januari februari maart april mei juni juli augustus september oktober november december",
    )
    for place, name in enumerate(names.split())
}
"""The names of months in other languages, with their place in the year."""
_OTHER_MONTH = regex(
    rf"(?<=\d)(?:\.|er|º)? ?(?:de )?\b({'|'.join(_OTHER_MONTHS)})\b (?:de )?(?=\d{{4}})", re.IGNORECASE
)
_TOKEN = r"(?:YYYY|YY|JJJJ|AAAA|MMMM?|MM?|Month|DD?|TT?|JJ|day|year)"
_BETWEEN = r"(, | |[-./])"
_MASK = regex(rf"(?<![\w%])({_TOKEN}){_BETWEEN}({_TOKEN}){_BETWEEN}({_TOKEN})(?!\w)", re.IGNORECASE)
_WORDS = {"month": "MMMM", "day": "D", "year": "YYYY"}
"""The parts of a date in words; a month between signs, as in `day/month/year`, has digits."""
_CLOSE = regex(r"(?<!\w)(?:YYYYMMDD|DDMMYYYY|MMDDYYYY)(?!\w)")
_STRFTIME = {"%Y": "YYYY", "%y": "YY", "%m": "MM", "%d": "DD", "%B": "MMMM", "%b": "MMM"}
_ISO = regex(r"\bISO(?:[- ]8601)?[- ](?:date|format|form|standard)\b|\bISO[- ]8601\b", re.IGNORECASE)
_LIKE = r"(?:\b(?:like|e\.g\.,?|such as|example:?|for instance,?|z\. ?B\.|par exemple,?|por ejemplo,?)|例[:\uff1a]?)"
_EXAMPLE = regex(rf"{_LIKE} ?[`'\"“(]?(\d{{1,4}})([-./])(\d{{1,2}})\2(\d{{2,4}})(?!\w)", re.IGNORECASE)
MONTH_NAMES = "|".join(f"{name[:3]}(?:{name[3:]})?" for name in MONTHS)
_DATE = regex(
    r"(?<![\w.:/-])(?:(?P<first>\d{1,4})(?P<sep>[-./])(?P<second>\d{1,2})(?P=sep)(?P<third>\d{2,4})"
    rf"|(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.)?(?: of)? (?P<month>{MONTH_NAMES})\.?,? (?P<year>\d{{4}})"
    rf"|(?P<name>{MONTH_NAMES})\.? (?P<of>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<in>\d{{4}})"
    r"|(?P<close>(?:19|20)\d{6}))(?![\w/-])",
    re.IGNORECASE,
)
_QUOTES = "`'\"“”\u2018\u2019„«»"
_DIGITS = {
    "YYYY": r"(?P<y>\d{4})", "YY": r"(?P<y>\d\d)", "MMMM": "(?P<name>[a-z]{3,})", "MMM": "(?P<name>[a-z]{3})",
    "MM": r"(?P<m>\d\d)", "M": r"(?P<m>\d{1,2})", "DD": r"(?P<d>\d\d)", "D": r"(?P<d>\d{1,2})",
}  # fmt: skip


def broken_date(prompt: str, text: str, texts: Sequence[str]) -> BrokenForm | None:
    """The one date of a text, where the prompt asks for dates in a form and this has none; `texts` are all answers."""
    found = only(_DATE, text)
    masks = _masks(prompt) if found else {}
    if found is None or not masks or any(_fits(found.group(), mask) for mask in masks):
        return None
    day = _date_of(found, texts)
    written = [put(text, found, in_mask(day, mask)) for mask in masks] if day else []
    return BrokenForm(list(masks.values())[-1], tuple(written))


def _masks(prompt: str) -> dict[str, str]:
    """Each form of dates that a prompt names, as a mask of Y, M and D, with its words."""
    plain = prompt
    for code, token in _STRFTIME.items():
        plain = plain.replace(code, token)
    found = [(_plain_mask(hit.groups()), hit.group()) for hit in _MASK.finditer(plain)]
    found += [(hit.group(), hit.group()) for hit in _CLOSE.finditer(plain)]
    found += [("YYYY-MM-DD", hit.group()) for hit in _ISO.finditer(plain)]
    found += [(_mask_of_example(hit), hit.group()) for hit in _EXAMPLE.finditer(plain)]
    return {mask: words for mask, words in found if _is_whole(mask)}


def _is_whole(mask: str) -> bool:
    """Whether a mask has a year, a month and a day, all of them in a form that is known."""
    tokens = re.findall("Y+|M+|D+", mask)
    return {token[0] for token in tokens} == {*"YMD"} and all(token in _DIGITS for token in tokens)


def _plain_mask(parts: Sequence[str]) -> str:
    """A mask in the letters Y, M and D; empty where it only lists the parts of a date: `day, month, year`."""
    in_digits = any(sign in "-./" for sign in parts[1::2])
    if parts[0].casefold() in _WORDS and parts[1] == ", ":
        return ""
    return "".join(part if place % 2 else _plain_token(part, in_digits) for place, part in enumerate(parts))


def _plain_token(token: str, in_digits: bool) -> str:
    """A token in the letters Y, M and D: J is a day in French, and a year in German."""
    if token.casefold() == "month" and in_digits:
        return "M"
    letter = {"J": "Y" if len(token) == 4 else "D", "A": "Y", "T": "D"}.get(token[0].upper(), token[0].upper())
    return _WORDS.get(token.casefold()) or letter * len(token)


def _mask_of_example(found: re.Match[str]) -> str:
    """The mask of a date that is an example, or an empty string where the order of its day and month is open."""
    first, sep, second, third = found.groups()
    if len(first) == 4:
        return sep.join(["YYYY", "M" * len(second), "D" * len(third)])
    if int(second) > 12:
        return sep.join(["M" * len(first), "D" * len(second), "Y" * len(third)])
    return sep.join(["D" * len(first), "M" * len(second), "Y" * len(third)]) if int(first) > 12 or sep == "." else ""


def _fits(text: str, mask: str) -> bool:
    """Whether a text is a date in the form of a mask."""
    tokens = re.findall(r"Y+|M+|D+|[^YMD]+", mask)
    found = re.fullmatch("".join(_DIGITS.get(token, re.escape(token)) for token in tokens), text, re.IGNORECASE)
    if found is None:
        return False
    parts = found.groupdict()
    month = _month(parts["name"]) if parts.get("name") else int(parts.get("m") or 0)
    return _date(int(parts.get("y") or 0), month, int(parts.get("d") or 0)) is not None


def _date_of(found: re.Match[str], texts: Sequence[str]) -> date | None:
    """The day that a date in a text means; None where day and month may be either."""
    part = found.groupdict()
    if part["close"]:
        return _date(int(part["close"][:4]), int(part["close"][4:6]), int(part["close"][6:]))
    if part["month"] or part["name"]:
        day, month, year = (
            (part["day"], part["month"], part["year"]) if part["month"] else (part["of"], part["name"], part["in"])
        )
        return _date(int(year), _month(month), int(day))
    if len(part["first"]) == 4:
        return _date(int(part["first"]), int(part["second"]), int(part["third"]))
    orders = list(_orders([found.group()]))  # its own numbers may say it
    orders = orders if len(orders) == 1 else list(_orders(texts))
    day, month = (part["second"], part["first"]) if orders == ["MD"] else (part["first"], part["second"])
    clear = len(orders) == 1 or part["sep"] == "." or part["first"] == part["second"]
    return _date(int(part["third"]), int(month), int(day)) if clear and len(part["third"]) in (2, 4) else None


def _orders(texts: Sequence[str]) -> Iterator[str]:
    """Whether the dates of all answers may have the day before the month, or behind it."""
    dates = [found for text in texts for found in _DATE.finditer(text) if found["sep"] and len(found["first"]) < 4]
    for order, month in (("DM", "second"), ("MD", "first")):
        if dates and all(int(found[month]) <= 12 for found in dates):
            yield order


def in_mask(day: date, mask: str) -> str:
    """A day, written as a mask says."""
    name = MONTHS[day.month - 1]
    written = {
        "YYYY": f"{day.year:04}", "YY": f"{day.year % 100:02}", "MMMM": name, "MMM": name[:3], "MM": f"{day.month:02}",
        "M": str(day.month), "DD": f"{day.day:02}", "D": str(day.day),
    }  # fmt: skip
    return "".join(written.get(token, token) for token in re.findall(r"Y+|M+|D+|[^YMD]+", mask))


def _month(name: str) -> int:
    return next((number for number, one in enumerate(MONTHS, 1) if one[:3].casefold() == name[:3].casefold()), 0)


def _date(year: int, month: int, day: int) -> date | None:
    with suppress(ValueError):
        return date(year if year > 99 else 2000 + year, month, day)
    return None


def dates_in(text: str) -> list[date]:
    """The days that a text names, as far as it is clear which days they are."""
    text = _OTHER_MONTH.sub(lambda found: f" {MONTHS[_OTHER_MONTHS[found[1].casefold()]]} ", text)
    return [day for found in _DATE.finditer(text) if (day := _date_of(found, [text]))]


def date_in(text: str) -> date | None:
    """The day that a text is, where it is nothing but a date whose day and month are clear."""
    found = _DATE.fullmatch(text)
    return None if found is None else _date_of(found, [text])


def dates_shown(text: str) -> list[str]:
    """The dates of a text, as it writes them."""
    return [found.group() for found in _DATE.finditer(text)]


def date_like(day: date, text: str, shown: Sequence[str]) -> str | None:
    """A day, given as a text, as it stands among dates, or else written as all of them are; None where one is alike."""
    if any(_shape(one) == _shape(text) for one in shown):
        return None
    days = {one: _date_of(found, shown) for one in shown if (found := _DATE.fullmatch(one))}
    if same := [one for one, of_it in days.items() if of_it == day]:
        return same[0]
    masks = ("D MMMM YYYY", "MMMM D, YYYY", "YYYY-MM-DD", "D MMM YYYY", "MMM D, YYYY", "DD.MM.YYYY", "YYYY/MM/DD")
    of_all = [mask for mask in masks if shown and all(_fits(one, mask) for one in shown)]
    return in_mask(day, of_all[0]) if of_all else None


def _shape(text: str) -> str:
    """A date with `a` for each word of it, and 0 for each number."""
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "0", text))


def masks_shown(sentence: str) -> list[str]:
    """The forms of dates that a sentence names, or shows in quotes or behind `such as`."""
    quoted = [found for found in _DATE.finditer(sentence) if _is_shown(sentence, found)]
    return list(dict.fromkeys([*_masks(sentence), *filter(None, map(_mask_of, quoted))]))


def _is_shown(sentence: str, found: re.Match[str]) -> bool:
    before, after = sentence[: found.start()], sentence[found.end() :]
    in_quotes = before[-1:] in _QUOTES and after[:1] in _QUOTES and bool(before and after)
    return in_quotes or re.search(rf"{_LIKE} ?[`'\"“(]?$", before, re.IGNORECASE) is not None


def _mask_of(found: re.Match[str]) -> str:
    """The mask of a date that is shown; empty where it is not clear."""
    part = found.groupdict()
    if part["month"] or part["name"]:
        month = "MMMM" if (part["month"] or part["name"]) in MONTHS else "MMM"
        day = part["day"] or part["of"]
        mask = "DD" if day.startswith("0") else "D"
        written = f"{mask} {month} YYYY" if part["day"] else f"{month} {mask}{',' * (',' in found.group())} YYYY"
        return written if int(day) < 10 and _fits(found.group(), written) else ""
    as_example = _EXAMPLE.fullmatch(f"such as {found.group()}")
    return _mask_of_example(as_example) if as_example else ""


def with_date(text: str, day: date) -> str | None:
    """A text with another day in place of its one date, written alike; None where it has no date or several."""
    found = only(_DATE, text)
    for mask in ("YYYY-MM-DD", "YYYY/MM/DD", "DD.MM.YYYY", "D.M.YYYY", "D MMMM YYYY", "MMMM D, YYYY", "DD/MM/YYYY"):
        if found and _fits(found.group(), mask):
            return put(text, found, in_mask(day, mask))
    return None
