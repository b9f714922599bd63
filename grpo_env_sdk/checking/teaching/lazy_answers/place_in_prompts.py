"""Whether what gold chooses stands at one place of the list that every prompt, or reply of a game, shows."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, takewhile

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.choices import choices_of
from grpo_env_sdk.checking.evidence.attempts.guesses import form_of, without_form
from grpo_env_sdk.checking.evidence.golds import Gold, gold_episodes, golds, play_answers, won_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.quoted_answers import quoted, reward_with_parts
from grpo_env_sdk.checking.evidence.secret_words import says
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, texts_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import places_of_turns
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import canonical_json

FEWEST_ITEMS, FEWEST_ROWS, FEWEST_VALUES, MOST_ROWS, SORTED = 3, 8, 5, 40, 0.9
"""Of how many items a list has to be, how many rows and different choices have to show the place, how many rows are
read, and in which share of the lists a column rises or falls where they are sorted."""
MOST_CHARS, MOST_PLAYED = 60, 4
_PLACES = {0: "the first", -1: "the last", 1: "the second", -2: "the last but one"}
_CHOOSES = regex(
    r"\b(?:one of|which|who(?:m|se)?|choose|pick|select|options?|choices?|candidates?|suspects?|accus\w+|find out|"
    r"guess\w*|identify|culprit)\b",
    re.IGNORECASE,
)
"""What a prompt says that lets one thing of a list be chosen."""
_MEANT = regex(
    r"\b(?:first|second|third|next|last|top|bottom|left|right|front|back|rank\w*|sort\w*|order(?:ed|s)?|in order|"
    r"position\w*|index|places?|placed|list(?:ed)? (?:by|from)|alphabet\w*|middle|median|head|tail|queue|stack|"
    r"push\w*|pop\w*|latest|newest|oldest|earliest|recent\w*|current\w*|now|previous\w*|final\w*|since|before|after\w*|then|later|"
    r"history|track|routes?|paths?|stations?|stops?|trips?|flights?|travel\w*|start\w*|begin\w*|ends?|ended|finish\w*|"
    r"\w+[dghklmnptwy]i?est|most|least|best|worst|winn\w+|won|wins|loses|lost|repeat\w*|copy|extract\w*|columns?|fields?|"
    r"timeline|chronolog\w*|turns? (?:is|it|comes)|rotat\w*|revers\w*|shift\w*|swap\w*|relevan\w*)\b",
    re.IGNORECASE,
)
"""What a prompt says where the place in its list may mean something."""
_BULLET = regex(r"^\s*(?:[-*\u2022]|\(?\w{1,2}[).:])\s+(\S.*)$")
_NAMED = regex(r"^\s*([^:\n]{2,40}: \S.*)$")
_ALONE = regex(r"^\s*([^\W_][^.:;,!?|\n]{0,38}[^\s.:;,!?|])$")
_OF_TABLE = regex(r"^\s*\|\s*([^|]+?)\s*\|")
_WITH_COMMAS = regex(r"^\s*([^\W_][^,;:(|\n]{0,38}(?:[,;] | \()\S.*)$")
_FORMS = (_BULLET, _NAMED, _ALONE, _OF_TABLE, _WITH_COMMAS)
_PART = r"(?:[^,;|\n:?!.]|\.(?!\s|$))+"
_INLINE = regex(rf"{_PART}(?:(?:, |; | \| ){_PART})+")
_SPLIT = regex(r",? (?:and|or) |, |; | \| ")
_AROUND = " .*'\"`[]()"
Lists = list[list[str]]


@dataclass(frozen=True, slots=True)
class Pick:
    """What gold chooses in a row, its place among the items of a list in the prompt, and those items."""

    gold: Gold
    value: str
    place: int
    items: Sequence[str]
    where: str

    def is_at(self, place: int) -> bool:
        """Whether this is the place, counted from the end where it is negative."""
        return self.place == (place if place >= 0 else len(self.items) + place)


@check("G668", needs=("gold",), share=0.5)
def the_answer_has_no_place_of_its_own(subject: Subject) -> Iterator[Finding]:
    """What gold chooses is not always the first, or the last, of the list that the prompt shows."""
    known = [gold for gold in list(golds(subject).values())[:MOST_ROWS] if _may_choose(subject, gold)]
    if len(known) < FEWEST_ROWS:
        return
    for values in _chosen(subject, known):
        picks = [pick for gold in known if gold.row in values for pick in _pick(subject, gold, values[gold.row])]
        different = len({pick.value for pick in picks})
        if len(picks) < max(FEWEST_ROWS, len(values)) or different < max(FEWEST_VALUES, len(picks) // 4):
            continue
        for place, named in _PLACES.items():
            if all(pick.is_at(place) for pick in picks) and not _is_sorted(picks):
                if _moves(picks) or all(_is_alike(pick.items) for pick in picks):
                    yield _finding(subject, picks, named)
                return


def _may_choose(subject: Subject, gold: Gold) -> bool:
    prompt = prompt_text(subject, gold.row)
    return bool(_CHOOSES.search(prompt)) and not _MEANT.search(prompt)


def _chosen(subject: Subject, known: Sequence[Gold]) -> Iterator[Mapping[int, str]]:
    """What gold says last, without what it always says there; and what it gives to tools at last, by parameter."""
    texts = [gold for gold in known if gold.text and not gold.turns[-1].get("tool_calls")]
    frame = form_of([gold.text for gold in texts])
    yield {gold.row: without_form(gold.text, frame).strip(" .!'\"*") for gold in texts}
    rows = {gold.row for gold in known}
    for (tool, _), choices in choices_of(subject).items() if subject.traits.kind == "tools" else ():
        yield {one.gold.row: str(one.value) for one in choices if tool and one.gold.row in rows}


def _pick(subject: Subject, gold: Gold, value: str) -> Iterator[Pick]:
    """The place of a value in the first list of the prompt that has it once, if gold names no other item of it."""
    if not 1 < len(value) <= MOST_CHARS:
        return
    said = canonical_json(gold.turns)
    texts = [("the prompt", prompt_text(subject, gold.row)), *(("a reply", text) for text in _replies(subject, gold))]
    for where, items in [(where, items) for where, text in texts for items in lists_in(text)]:
        names = _names(items)
        having = [place for place, item in enumerate(items) if _is_item(item, names[place], value)]
        others = [name for place, name in enumerate(names) if place not in having]
        if len(having) == 1 and not any(other and says(said, other) for other in others):
            yield Pick(gold, names[having[0]], having[0], items, where)
            return


def _replies(subject: Subject, gold: Gold) -> list[str]:
    """What a game replies before gold's last message; none where a place of its lists may mean something."""
    if subject.traits.kind != "multi-turn" or len(gold.turns) < 2 or gold.row not in gold_episodes(subject):
        return []
    messages = gold_episodes(subject)[gold.row].completion
    own = places_of_turns(messages)
    replies = texts_of([one for one in messages[: own[-1]] if one["role"] != "assistant"]) if own else []
    return [] if any(map(_MEANT.search, replies)) else replies


def lists_in(text: str) -> Lists:
    """The lists of a text: lines with marks, with names before a colon, with one thing alone, of tables; one line."""
    found: Lists = []
    for form in _FORMS:
        items: list[str] = []
        for line in [*text.splitlines(), ""]:
            if one := form.match(line):
                items.append(one[1].strip())
                continue
            found += [items] if items else []
            items = []
    found = [items[2:] if len(items) > 2 and not items[1].strip("-: ") else items for items in found]
    found += [_of_line(one.group()) for one in _INLINE.finditer(text)]
    return [items for items in found if len(items) >= FEWEST_ITEMS]


def _of_line(text: str) -> list[str]:
    """What a line lists, without the words before the first thing, and behind the last, that no other thing has."""
    items = [one.strip(_AROUND) for one in _SPLIT.split(text.strip(" .?!"))]
    most = max((len(one.split()) for one in items[1:-1]), default=1)
    ends = [" ".join(items[0].split()[-most:]), " ".join(items[-1].split()[:most])]
    return [ends[0].strip(_AROUND), *items[1:-1], ends[1].strip(_AROUND)]


def _head(item: str) -> str:
    """What an item is about: what is before a colon, a comma, a dash or a bracket."""
    return re.split(r"\s*[:,;(=]\s*| [-\u2013\u2014] ", item, maxsplit=1)[0].strip(_AROUND)


def _names(items: Sequence[str]) -> list[str]:
    """What each item is about, without the words that all begin with: 7212 for "Invoice 7212: 3 pieces"."""
    words = [_head(item).casefold().split() for item in items]
    shared = sum(1 for _ in takewhile(lambda column: len(set(column)) == 1, zip(*words, strict=False)))
    return [" ".join(one[shared:] or one).lstrip("#") for one in words]


def _is_item(item: str, name: str, value: str) -> bool:
    return value.casefold() in (name, _head(item).casefold(), item.strip(_AROUND).casefold())


def _is_sorted(picks: Sequence[Pick]) -> bool:
    """Whether most of the lists rise or fall in one of the numbers or words that each of their items shows."""
    columns = [_columns(pick.items) for pick in picks]
    most = max(map(len, columns))
    return any(
        sum(place < len(one) and _rises_or_falls(one[place]) for one in columns) >= SORTED * len(columns)
        for place in range(most)
    )


def _columns(items: Sequence[str]) -> list[list[str]]:
    """The items, and their numbers and words by place; the length of each."""
    words = [re.findall(r"\d+(?:[.:]\d+)*|[^\W\d_]+", item) for item in items]
    shared = min(map(len, words), default=0)
    return [[str(len(item)) for item in items], *([line[place] for line in words] for place in range(shared))]


def _rises_or_falls(values: Sequence[str]) -> bool:
    numbers = all(re.fullmatch(r"\d+(?:\.\d+)?", one) for one in values)
    keys = [(float(one), "") if numbers else (0.0, one.casefold()) for one in values]
    steps = [(one < two) - (one > two) for one, two in pairwise(keys)]
    return any(steps) and (min(steps) >= 0 or max(steps) <= 0)


def _finding(subject: Subject, picks: Sequence[Pick], named: str) -> Finding:
    """The finding; an error where the same things stand at other places too, on other rows."""
    one = picks[0]
    at_once = play_answers(subject, [(pick.gold.row, pick.gold.turns[-1:]) for pick in picks[:MOST_PLAYED]])
    won = won_of(subject, at_once) if len(one.gold.turns) > 1 else []
    also = f", and saying it at once scores as much as gold ({quoted(one.gold.text, 60)})" if won else ""
    found = Finding(
        f"What gold chooses is always {named} of the list in {one.where}, on {len(picks)} rows, such as "
        f"{quoted(one.items[one.place], 40)} of {quoted(', '.join(map(_head, one.items)), 120)}{also}: who takes it "
        "needs to read nothing else.",
        "Shuffle the list, the right item with the others, with a generator that is seeded with the row.",
        one.gold.row, own_turns(won[0].completion) if won else one.gold.text,
        reward_with_parts(won[0]) if won else None, "any place",
    )  # fmt: skip
    return found if _moves(picks) else replace(found, severity="warning")


def _moves(picks: Sequence[Pick]) -> bool:
    """Whether most of what is chosen also stands at other places, where it is not what is chosen."""
    others = {name for one in picks for place, name in enumerate(_names(one.items)) if place != one.place}
    return 2 * sum(pick.value in others for pick in picks) >= len(picks)


def _is_alike(items: Sequence[str]) -> bool:
    """Whether the items of a list are written alike: with a capital or without, with digits or without, in one word."""
    heads = list(map(_head, items))
    return len({(one[:1].isupper(), bool(re.search(r"\d", one)), " " in one) for one in heads}) == 1
