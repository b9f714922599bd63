"""Whether the first page, line or place of what a tool lists is at 0, where its schema says that it is at 1."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from grpo_env_sdk.checking.evidence.golds import Gold, play_all
from grpo_env_sdk.checking.evidence.playing.tool_parameters import description_of, name_of, properties_of
from grpo_env_sdk.checking.evidence.prompts.json_data import NO_JSON, read_json
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.secret_words import SAYS_WRONG, words_of
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import looking_tools, some_golds
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import canonical_json

FEWEST_ROWS, MOST_ROWS, MOST_PAGES = 2, 6, 12
FROM_ONE = regex(
    r"\b(?:1|one)-(?:based|indexed)\b|"
    r"\b(?:count\w*|number\w*|index\w*|start\w*)\b[^.\n]{0,30}?\b(?:from|at|with) (?:1|one)\b|"
    r"\b(?:the )?(?:first|top|left-?most|lowest|bottom|front|nearest|closest|one (?:at|by|near|next to) (?:the )?\w+) "
    r"(?:\w+ )?(?:is|has|being|=) (?:number |no\.? ?|called )?(?:1|one)\b|"
    r"\b(?:1|one) (?:is|means|for|being|=) the (?:first|top)\b",
    re.IGNORECASE,
)
_FROM_ONE_TO = regex(rf"{FROM_ONE.pattern}|\b(?:from|between) (?:1|one) (?:to|and|up to|through) \w+", re.IGNORECASE)
"""The same in a schema, where pages that go from 1 to 4 are known as such by what is shown."""
_WORD = regex(r"[^\W\d_]+(?:[ .'_-]+[^\W\d_]+)*")
_ID = regex(r"[^\W\d]")
"""What is no number alone, which may be that of the page."""
ZERO = regex(r"(?<![\w.])0(?!\w|\.\d)|\b(?:zero|none)\b", re.IGNORECASE)


def first_page_at_zero(subject: Subject) -> Iterator[Finding]:
    """The finding that a tool shows at 0 what it shows at no number from 1 on, where its schema counts from 1."""
    for name, parameter in _counted_from_one(subject):
        known = [gold for gold in some_golds(subject) if _at_zero(gold, name, parameter)][:MOST_ROWS]
        shown = [
            (gold, reply)
            for gold in known
            if not ZERO.search(prompt_text(subject, gold.row))
            and (reply := _only_at_zero(subject, gold, name, parameter))
        ]
        if len(shown) >= FEWEST_ROWS and 2 * len(shown) > len(known):
            gold, reply = shown[0]
            yield Finding(
                f"The schema of {name} counts {parameter!r} from 1, and {name} from 0: at 0 it shows what no call with "
                f"1 to {MOST_PAGES} shows, on {len(shown)} rows, and gold calls it with 0: {quoted(reply, 80)}.",
                "Subtract 1 in the tool, or say that the first one is number 0.",
                gold.row, {"name": name, "arguments": _at_zero(gold, name, parameter)}, reply, "the same at 1",
            )  # fmt: skip
            return
    yield from _first_ones_on_no_page(subject)


def _first_ones_on_no_page(subject: Subject) -> Iterator[Finding]:
    """The finding that what a tool shows at 0 is on no page from 1 on, where gold calls it with other numbers."""
    looking = looking_tools(subject)
    for name, parameter in numbers_from_one(subject):
        calls = [
            (gold.row, given) for gold in some_golds(subject) for tool, given in gold.calls
            if tool == name and type(given.get(parameter)) is int and not ZERO.search(prompt_text(subject, gold.row))
        ]  # fmt: skip
        rows = dict(reversed(calls)) if name in looking else {}
        shown: list[tuple[int, dict[str, Any], str]] = []
        for row, usual in list(rows.items())[-FEWEST_ROWS:]:
            given = {**usual, parameter: 0}
            first, *later = replies_to(
                subject, row, name, [{**given, parameter: page} for page in range(MOST_PAGES + 1)]
            )
            if _has_page_of_its_own(first, later):
                shown.append((row, given, first))
        if len(shown) == FEWEST_ROWS:
            row, given, reply = shown[0]
            yield Finding(
                f"The schema of {name} counts {parameter!r} from 1, and {name} from 0: at 0 it shows what no call with "
                f"1 to {MOST_PAGES} shows: {quoted(reply, 80)}.",
                "Subtract 1 in the tool, or say that the first one is number 0.",
                row, {"name": name, "arguments": given}, reply, "the same at 1",
            )  # fmt: skip
            return


def _has_page_of_its_own(first: str, later: Sequence[str]) -> bool:
    """Whether a reply lists several things as later ones do, all of them things that no later one shows."""
    lists = [reply for reply in later if _is_like(first, reply)]
    words = {word for reply in later for word in words_of(reply)}
    ended = later[-1] not in lists or later[-1] in later[:-1]
    items = [words_of(item) - words for item in _items(first)]
    return bool(lists) and ended and not SAYS_WRONG.search(first) and all(any(map(_ID.search, new)) for new in items)


def _is_like(one: str, other: str) -> bool:
    """Whether two replies are lists of several items, each as many, and of the same form."""
    forms = [{_WORD.sub("a", re.sub(r"\d+", "9", item)) for item in _items(reply)} for reply in (one, other)]
    return len(_items(one)) == len(_items(other)) > 1 and forms[0] <= forms[1]


def _items(reply: str) -> list[str]:
    """The items of a list in JSON, else the lines with more than a word."""
    listed = read_json(reply, NO_JSON)
    if listed is NO_JSON:
        return [line for line in reply.splitlines() if " " in line.strip()]
    return [canonical_json(item) for item in listed] if isinstance(listed, list) else []


def numbers_from_one(subject: Subject) -> Iterator[tuple[str, str]]:
    """The tools and their numbers that the schema counts from 1, or of which it says that they go from 1 to another."""
    return _counted_from_one(subject, _FROM_ONE_TO)


def _counted_from_one(subject: Subject, words: re.Pattern[str] = FROM_ONE) -> Iterator[tuple[str, str]]:
    """The tools and their numbers that the schema counts from 1, with no word of a zero."""
    for tool in subject.tools:
        numbers = [key for key, schema in properties_of(tool).items() if schema.get("type") == "integer"]
        for key in numbers if not ZERO.search(canonical_json(tool)) else ():
            said = str(properties_of(tool)[key].get("description") or "")
            whole = description_of(tool) if len(numbers) == 1 else ""
            if words.search(said) or words.search(whole):
                yield name_of(tool), key


def _at_zero(gold: Gold, name: str, parameter: str) -> dict[str, Any]:
    """The arguments of gold's first call of a tool with 0; none where it has no such call."""
    return next((given for tool, given in gold.calls if tool == name and given.get(parameter) == 0), {})


def _only_at_zero(subject: Subject, gold: Gold, name: str, parameter: str) -> str:
    """The reply to 0, if it shows something that is on none of the pages from 1 on."""
    given = _at_zero(gold, name, parameter)
    first, *later = replies_to(subject, gold.row, name, [{**given, parameter: page} for page in range(MOST_PAGES + 1)])
    words = {word for reply in later for word in words_of(reply)}
    return first if not SAYS_WRONG.search(first) and words and words_of(first) - words else ""


def replies_to(subject: Subject, row: int, name: str, calls: Sequence[dict[str, Any]]) -> list[str]:
    """What a tool replies to each of these calls, each in an episode of its own; nothing where it fails."""
    played = play_all(subject, [(row, [call_message(name, **given), ""]) for given in calls])
    made = [episode.tool_calls[0] if episode.tool_calls else None for episode in played]
    return [str(call["content"]) if call and not call["error"] else "" for call in made]
