"""Rules that let more through than they should: lines of cron, patterns, globs, conditions, intervals, networks."""

import re
from collections.abc import Iterator

from grpo_env_sdk.late_patterns import regex

ALWAYS = "a rule that lets everything through"
"""How findings call the widest rule of a kind."""
Wide = tuple[str, str]
"""What was widened, and the rule."""
_FIELDS = ("minute", "hour", "day", "month", "weekday")
_FIELD = r"(?:[*?]|[A-Za-z]{3}|\d+)(?:[-/,#](?:\d+|[A-Za-z]{3}|\*))*L?"
_CRON = regex(rf"{_FIELD}(?:\s+{_FIELD}){{4}}")
_EVERY = regex(r"[*?](?:/1)?|0-59|0-23|1-31|1-12|[01]-[67]|mon-sun|sun-sat", re.IGNORECASE)
"""A field of cron that says nothing."""
_REGEX = regex(r"\\[dDwWsSbB]|\[[^\]]+\][*+?{]|\[\^?[\w-]+-[\w-]+\]|\(\?|^\^|\$$|\.[*+]")
_GLOB = regex(r"[\w./{},\[\]!*?:-]*[*?][\w./{},\[\]!*?-]*")
_WHERE = regex(r"(?is)\bwhere\b.*?(?=\bgroup\s+by\b|\border\s+by\b|\blimit\b|\bhaving\b|;|$)")
_STATEMENT = regex(r"(?i)\s*(?:select|delete|update)\b")
_CONDITION = regex(r"[\w.\"'\[\])]\s*(?:==|!=|<=|>=|<|>|\bin\b|\bLIKE\b|\bBETWEEN\b)\s*[\w.\"'\[(]")
_NUMBER = r"-?\d+(?:\.\d+)?"
_INTERVAL = regex(rf"([\[(]?\s*)({_NUMBER})(\s*(?:,|;|to|\.\.|-)\s*)({_NUMBER})(\s*[\])]?)")
_NETWORK = regex(r"\d{1,3}(?:\.\d{1,3}){3}/\d{1,2}")
_FAR = 10**9


def wider_rules(rule: str) -> list[Wide]:
    """The rules of the same kind that let more through, the widest first; none where it is no rule."""
    return [(how, one) for how, one in _wider(rule.strip()) if one != rule.strip()]


def _wider(rule: str) -> Iterator[Wide]:
    if _CRON.fullmatch(rule):
        yield from _of_cron(rule.split())
    elif _NETWORK.fullmatch(rule):
        yield ALWAYS, "0.0.0.0/0"
    elif _STATEMENT.match(rule):
        if _WHERE.search(rule):
            yield "a statement without its condition", _WHERE.sub("", rule, count=1).strip()
    elif interval := _INTERVAL.fullmatch(rule):
        yield from _of_interval(interval)
    elif _CONDITION.search(rule):
        yield from ((ALWAYS, one) for one in ("True", "1 == 1", "1 = 1", "true"))
    elif _REGEX.search(rule) and _compiles(rule):
        yield from ((ALWAYS, one) for one in (".*", r"[\s\S]*", ".+", "^.*$"))
    elif _GLOB.fullmatch(rule):
        yield from ((ALWAYS, one) for one in ("*", "**", "**/*", "/*", "/**"))


def _of_cron(fields: list[str]) -> Iterator[Wide]:
    yield ALWAYS, "* * * * *"
    for place, name in enumerate(_FIELDS):
        if not _EVERY.fullmatch(fields[place]):
            yield f"a line of cron with '*' for the {name}", " ".join([*fields[:place], "*", *fields[place + 1 :]])


def _of_interval(found: re.Match[str]) -> Iterator[Wide]:
    """Far below to far above, where the second number is the larger one."""
    if float(found[2]) < float(found[4]):
        for low in (-_FAR, 0):
            yield "an interval from far below to far above", f"{found[1]}{low}{found[3]}{_FAR}{found[5]}"


def _compiles(rule: str) -> bool:
    try:
        re.compile(rule)
    except (re.error, OverflowError, RecursionError):
        return False
    return True
