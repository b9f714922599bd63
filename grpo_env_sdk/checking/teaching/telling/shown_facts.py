"""Whether the ids, names and numbers that gold needs are shown to the model on every row, where they are on most."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import gold_episodes, golds
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.secret_words import says
from grpo_env_sdk.checking.evidence.shown_texts import replies_to_gold, texts_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.exploring import explore
from grpo_env_sdk.checking.evidence.tool_use.hidden_keys import hidden_keys
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.telling.not_found_by_looks import not_found_by_looks
from grpo_env_sdk.checking.teaching.telling.told_alike import told_alike
from grpo_env_sdk.checking.teaching.telling.untold_on_some_rows import untold_on_some_rows
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Message, canonical_json

MOSTLY, FEWEST = 0.7, 2
"""The share of rows on which an id has to be shown before its lack on others is reported, on so many of them."""
FEWEST_ROWS, FEWEST_CHARS = 12, 80
MOST_EXPLORED, FEWEST_FOUND = 32, 6
"""On how many rows everything is opened, and on how many the fact has to be there before its lack is reported."""
_DOTS = regex(r"(?:\.\.\.|\u2026|\btruncated\W*|\bcut(?: off)?\W*|\bmore\W*)[\s\"'\])}]*$", re.IGNORECASE)
_ID = regex(r"(?=[^\W_]*-?\d)(?=\d*[^\W\d])\w+(?:-\w+)*")
"""A word with letters and digits, which cannot be guessed."""
_WORD = regex(r"[^\W\d_]{4,}(?:[ '-][^\W\d_]+){0,3}|\d{3,}(?:\.\d+)?")
"""A name or a number, which might be said for another reason: a few that differ have to be unseen."""

_AMOUNT = regex(r"\d{1,6}(?:\.\d+)? [^\W\d_]{2,}(?: [^\W\d_]+)?")
"""A number with its unit, which is no lack where it can be worked out from what is shown."""


@dataclass(frozen=True, slots=True)
class Use:
    """An id, name or number that gold says or calls a tool with, and whether the model had seen it by then."""

    row: int
    fact: str
    seen: bool


@check("G525", kinds=("tools", "multi-turn"), needs=("acts",), severity="warning")
def what_gold_needs_is_shown(subject: Subject) -> Iterator[Finding]:
    """An id, a name or a number that gold uses was in the prompt or in a reply before, on all rows if on most."""
    if subject.stand_ins is not None:
        yield from not_found_by_looks(subject)
        return
    for where, uses in _uses(subject).items():
        unseen = _unseen(subject, uses)
        rows = {use.row for use in uses}
        if len(rows) < FEWEST_ROWS or len(unseen) < FEWEST:
            continue
        share = 0.5 if unseen.keys() == _not_found(subject, uses).keys() else 1 - MOSTLY
        if len(unseen) > share * len(rows) and not _cut_off(subject, list(unseen)):
            yield from _on_no_page(subject, where, unseen)
            continue
        use = next(iter(unseen.values()))
        usual = Counter(one.fact.casefold() for one in unseen.values()).most_common(1)[0][1]
        if not _ID.fullmatch(use.fact) and usual * 2 > len(unseen):
            continue  # such as "none", where there is nothing to find
        yield Finding(
            f"On {len(unseen)} of {len(rows)} rows {where} of gold is shown nowhere before gold uses it, such as "
            f"{quoted(use.fact)} in row {use.row}: a model can only guess it there.",
            "Show it in the prompt or in the result of a tool on these rows: look for lists that are cut off.",
            use.row, output=use.fact, expected="a fact that the model can find",
        )  # fmt: skip
    yield from _hidden(subject)
    yield from islice(chain(untold_on_some_rows(subject), told_alike(subject)), 1)


def _on_no_page(subject: Subject, where: str, unseen: Mapping[int, Use]) -> Iterator[Finding]:
    """The finding that some facts are on no page, where others are: all that tools list was opened."""
    explored = explore(subject, list(unseen)[:MOST_EXPLORED])
    whole = {row: seen for row, seen in explored.items() if seen.whole}
    found = [row for row, seen in whole.items() if any(says(one.reply, unseen[row].fact) for one in seen.opened)]
    lacking = [row for row in whole if row not in found]
    facts = {unseen[row].fact.casefold() for row in lacking}
    if len(found) < max(FEWEST_FOUND, len(whole) / 2) or len(lacking) < FEWEST or len(facts) < FEWEST:
        return
    use, seen = unseen[lacking[0]], whole[lacking[0]]
    yield Finding(
        f"On {len(lacking)} of {len(whole)} rows {where} of gold is in nothing that the tools show, such as "
        f"{quoted(use.fact)} in row {use.row}, where {len(seen.opened)} calls opened all that there is; on the other "
        "rows it is there.",
        "Look for a last page or an end of a list that is never shown, or draw rows from what is shown.",
        use.row, output=use.fact, expected="a fact that the model can find",
    )  # fmt: skip


def _cut_off(subject: Subject, rows: Sequence[int]) -> bool:
    """Whether the longest reply of gold on each of these rows ends with dots, or all are of one length."""
    replies = [max(replies_to_gold(subject, row), key=len, default="") for row in rows]
    dotted = all(_DOTS.search(reply) for reply in replies)
    return min(map(len, replies)) >= FEWEST_CHARS and (dotted or len(set(map(len, replies))) == 1 < len(set(replies)))


def _unseen(subject: Subject, uses: Sequence[Use]) -> dict[int, Use]:
    """By row, the facts that are unseen; an amount is one only where gold's search found nothing."""
    unseen = {use.row: use for use in uses if not use.seen}
    if not any(_AMOUNT.fullmatch(use.fact) for use in unseen.values()):
        return unseen
    missed = _not_found(subject, uses)
    return (
        missed
        if len(missed) >= FEWEST
        else {row: use for row, use in unseen.items() if not _AMOUNT.fullmatch(use.fact)}
    )


def _not_found(subject: Subject, uses: Sequence[Use]) -> dict[int, Use]:
    """The unseen facts of rows on which gold got one and the same reply; none unless others are in gold's replies."""
    replies = {use.row: " ".join(replies_to_gold(subject, use.row)).casefold() for use in uses}
    found = {replies[use.row] for use in uses if use.fact.casefold() in replies[use.row]}
    unseen = [use for use in uses if not use.seen]
    nothing = Counter(replies[use.row] for use in unseen).most_common(1)
    if not nothing or nothing[0][0] in found or len(found) < MOSTLY * (len(uses) - len(unseen)):
        return {}
    return {use.row: use for use in unseen if replies[use.row] == nothing[0][0]}


def _hidden(subject: Subject) -> Iterator[Finding]:
    """The keys that no row shows, proven by calls."""
    for keys in hidden_keys(subject):
        row = keys.acts[0].gold.row
        key = keys.acts[0].arguments[keys.parameter]
        yield Finding(
            f"On {len(keys.acts)} of {keys.of} rows the {keys.parameter!r} of {keys.tool} that gold uses is shown "
            f"nowhere, such as {quoted(key)} in row {row}, and with another one {keys.tool} has no answer: a model can "
            "only guess it.",
            "Show it in the prompt, or add a tool or a user who tells it.",
            row, output=key, expected="a fact that the model can find",
        )  # fmt: skip


def _uses(subject: Subject) -> dict[str, list[Use]]:
    """Each id, name and number of gold's calls, by tool and parameter, and of its last text."""
    found: dict[str, list[Use]] = defaultdict(list)
    schemas = canonical_json(subject.tools)
    for row in golds(subject):
        shown = [schemas]
        for message in gold_episodes(subject)[row].messages:
            if message["role"] != "assistant":
                shown += texts_of([message])
                continue
            seen = " ".join(shown).casefold()
            for where, fact in _facts(message):
                found[where].append(Use(row, fact, _is_in(fact, seen)))
    return found


def _facts(message: Message) -> Iterator[tuple[str, str]]:
    """Where an assistant's message has ids, and which."""
    for call in message.get("tool_calls") or ():
        arguments = call["function"]["arguments"]
        for name, value in arguments.items() if isinstance(arguments, dict) else ():
            if isinstance(value, str) and _is_fact(value):
                yield f"the {name!r} of {call['function']['name']}", value
    if not message.get("tool_calls") and _is_fact(text := str(message.get("content") or "").strip()):
        yield "the answer", text


def _is_fact(text: str) -> bool:
    return bool(_ID.fullmatch(text) or _WORD.fullmatch(text) or _AMOUNT.fullmatch(text))


def _is_in(fact: str, seen: str) -> bool:
    """Whether a text has a fact, or its digits, from which it may be built."""
    money = re.fullmatch(r"(\d+)\.(\d\d?)", fact)
    cents = [money[1], str(int(f"{money[2]:0<2}"))] if money else []  # 3.9 of 3 euros and 90 cents
    built = any(
        digits and all(re.search(rf"(?<!\d){number}(?!\d)", seen) for number in digits)
        for digits in (re.findall(r"\d+", fact), cents)
    )
    return fact.casefold() in seen or built
