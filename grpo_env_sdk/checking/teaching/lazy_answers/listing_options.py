"""Whether an answer that lists everything the prompt offers is right."""

import re
from collections.abc import Iterator, Sequence

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import golds, less_than_gold, play_compared, play_scored, won_of
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, properties_of, required_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.quoted_answers import answer_shown
from grpo_env_sdk.checking.evidence.secret_words import has_word
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode

MOST_ROWS, FEWEST_ROWS, FEWEST_OPTIONS, MOST_CHARS, MOST_WORDS = 12, 4, 4, 40, 3
"""On how many rows, on how few it counts, and what a list of options is: so many short items."""
_PART = regex(r"[.;:!?()\n]+")
_QUOTED = regex(r"`([^`\n]{1,60})`|\"([^\"\n]{1,60})\"|(?<!\w)'([^'\n]{1,60})'|(<\w+>[^<>\n]{1,40}</\w+>)")
_BLANK = regex(r"\b[A-Z]{2,}\b|<\w+>|\{\w+\}|\[\w+\]|\.\.\.|\u2026")
_ALL = regex(
    r"\b(?:(?:sort|order|list|rank|arrange|repeat|copy|name|write|put) (?:all|every|each|them|these|those|the)|"
    r"which of|all (?:that|of|the)|every (?:one|item|word)|alphabetical\w*)\b",
    re.IGNORECASE,
)
"""What prompts say where several of the options may be right."""
FORMS = 4


@check("G602")
def listing_every_option_is_not_right(subject: Subject) -> Iterator[Finding]:
    """A message with all options of a prompt is not right where one of them is asked for."""
    rows = (list(golds(subject)) or subject.sample(MOST_ROWS))[:MOST_ROWS]
    offered = {row: found for row in rows if len(found := options_of(prompt_text(subject, row))) >= FEWEST_OPTIONS}
    if len(offered) < max(FEWEST_ROWS, len(rows) / 2) or _several_are_gold(subject, offered):
        return
    for number in range(FORMS):
        listed = play_scored(subject, _written(subject, offered, number, turned=False))
        won = won_of(subject, listed)
        if len(won) < max(FEWEST_ROWS, 0.75 * len(offered)):
            continue
        turned = play_scored(subject, _written(subject, offered, number, turned=True))
        again = won_of(subject, turned)
        single = _written(subject, {row: options[:1] for row, options in offered.items()}, number, turned=False)
        alone = won_of(subject, play_compared(subject, single))
        if len(again) >= 0.75 * len(won) and 2 * len(alone) <= len(won):
            yield _finding(subject, won, len(offered), len(alone))
            return


def options_of(prompt: str) -> list[str]:
    """The longest list of short items between commas."""
    lists = [_items(part) for part in _PART.split(prompt)]
    return max(lists, key=len, default=[])


def _items(part: str) -> list[str]:
    """The items of a list amid a sentence; those between two commas show how many words one has."""
    first, *between = [item.strip(" '\"`*").split() for item in part.split(",")]
    *middle, last = between or [[]]
    words = max(map(len, middle), default=0)
    if not 0 < words <= MOST_WORDS or not all(middle):
        return []
    last = last[1:] if last[:1] in (["and"], ["or"]) else last
    *before, end = " ".join(last).replace(" and ", " or ").split(" or ", 1)
    items = [" ".join(first[-words:]), *map(" ".join, middle), *before, " ".join(end.split()[:words])]
    return [item for item in dict.fromkeys(items) if 0 < len(item) <= MOST_CHARS]


def _several_are_gold(subject: Subject, offered: dict[int, list[str]]) -> bool:
    """Whether gold names several options, or prompts speak of all of them."""
    of_gold = [golds(subject)[row] for row in offered if row in golds(subject)]
    named = [sum(option.casefold() in gold.text.casefold() for option in offered[gold.row]) for gold in of_gold]
    return any(count > 1 for count in named) or (
        not of_gold and all(_ALL.search(prompt_text(subject, row)) is not None for row in offered)
    )


def _written(
    subject: Subject, offered: dict[int, list[str]], number: int, turned: bool
) -> list[tuple[int, Completion]]:
    """All options in one form, from the first or from the last one."""
    tried: list[tuple[int, Completion]] = []
    for row, options in offered.items():
        forms = _forms(subject, row, options[::-1] if turned else options)
        tried += [(row, forms[number])] if number < len(forms) else []
    return tried


def _forms(subject: Subject, row: int, options: Sequence[str]) -> list[Completion]:
    """A message or a call with these options, in the forms that the prompt shows and that tools take."""
    prompt, everything = prompt_text(subject, row), ", ".join(options)
    all_options = options_of(prompt)
    found: list[Completion] = []
    for quoted in dict.fromkeys("".join(one) for one in _QUOTED.findall(prompt)):
        named = next((one for one in all_options if has_word(quoted, one)), None)
        if quoted in all_options:
            continue
        if named is not None:
            found.append(quoted.replace(named, everything))
        elif _BLANK.search(quoted):
            found.append(everything.join(_BLANK.split(quoted)))
    for tool in subject.tools_of(row) if subject.traits.kind != "single-turn" else ():
        needed = required_of(tool)
        if len(needed) == 1 and properties_of(tool).get(needed[0], {}).get("type") == "string":
            found.append([call_message(name_of(tool), **{needed[0]: everything}), ""])
    return [*found[: FORMS - 1], everything]


def _finding(subject: Subject, won: Sequence[Episode], of: int, alone: int) -> Finding:
    first = won[0]
    turns = own_turns(first.completion)
    return Finding(
        f"One message with every option of the prompt is right on {len(won)} of {of} rows, the first option alone on "
        f"{alone}: {answer_shown(turns, 100)} scores {first.reward:g}.",
        "Compare the whole answer with what is right, and refuse one that names several options.",
        first.row_index, turns, first.reward, less_than_gold(subject, first),
    )  # fmt: skip
