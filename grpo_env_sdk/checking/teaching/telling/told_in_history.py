"""Whether a history that tools show, such as later commits or the end of a ticket, has what gold works out."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import Gold, golds, less_than_gold, play_answers, won_of
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of
from grpo_env_sdk.checking.evidence.playing.turns import functions_of, own_turns
from grpo_env_sdk.checking.evidence.prompts.tool_names import only_looks
from grpo_env_sdk.checking.evidence.quoted_answers import quoted, reward_with_parts
from grpo_env_sdk.checking.evidence.secret_words import says
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, replies_to_gold
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS, acts_of, as_good_on_most, some_golds
from grpo_env_sdk.checking.evidence.tool_use.exploring import Exploration, Opened, explore
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Message, canonical_json

MOST_ROWS, MOSTLY, DIFFERENT, MOST_CHARS, FEWEST_CHARS = 8, 0.7, 3, 200, 4
"""On how many rows it is tried, the share of them that are told, how many values differ; how long a value is, and a
line of a longer one."""
_OF_HISTORY = regex(
    r"(?<![a-z])(?:git|history|commits?|change ?logs?|(?:audit|work|edit|change|commit|activity|event) logs?|diffs?|"
    r"blame|revisions?|versions?|branch(?:es)?|tickets?|issues?|incidents?|pull requests?|prs?|comments?|timeline|"
    r"post-?mortems?|releases?|events?|activity)(?![a-z])",
    re.IGNORECASE,
)
"""What the tools are about that show what happened."""
_FIXED = regex(
    r"\b(?:hot|bug)?fix(?:e[ds])?\b|\brepair(?:ed|s)?\b|\bresol(?:ved?|ves|ution)\b|\bcorrect(?:ed|s|ion)\b|"
    r"\bsolved\b|\bclosed\b|\bpatched\b|\bsolution\b|\broot cause\b",
    re.IGNORECASE,
)
"""What a history says of what was done about it in the end."""
_MAY_LOOK = regex(
    r"\b(?:histor\w+|git|logs?|commits?|branch\w*|previous\w*|earlier|revert\w*|restore\w*|roll(?:ed)? ?back|backups?|"
    r"resolutions?|versions?|similar|precedents?|past|last time|before)\b",
    re.IGNORECASE,
)
"""What a prompt says where it may be the way to find out."""


@dataclass(frozen=True, slots=True)
class Told:
    """A place of the history, and what gold says or writes that it has."""

    gold: Gold
    place: Opened
    value: str


@check("G663", needs=("gold",), kinds=("tools",), severity="warning")
def histories_end_before_the_task(subject: Subject) -> Iterator[Finding]:
    """No commit, ticket or log that tools show already has the fix that gold works out from what it reads."""
    if not any(_is_of_history(tool) for tool in subject.tools):
        return
    known = [gold for gold in some_golds(subject) if not _MAY_LOOK.search(prompt_text(subject, gold.row))]
    wanted = {gold.row: values for gold in known if _looks(subject, gold) and (values := _worked_out(subject, gold))}
    rows = list(wanted)[:MOST_ROWS]
    if len(rows) < FEWEST_ROWS or len({str(wanted[row]) for row in rows}) < DIFFERENT:
        return
    told = [one for row, seen in explore(subject, rows).items() if (one := _told(subject, row, seen, wanted))]
    if len(told) < max(FEWEST_ROWS, MOSTLY * len(rows)) or len({one.value for one in told}) < DIFFERENT:
        return
    again: list[tuple[int, Completion]] = [(one.gold.row, _acts_after(subject, one)) for one in told]
    won = won_of(subject, played := play_answers(subject, again))
    if as_good_on_most(subject, won, len(played)):
        one = next(one for one in told if one.gold.row == won[0].row_index)
        given = ", ".join(f"{key}={value!r}" for key, value in one.place.arguments.items())
        yield Finding(
            f"{one.place.tool}({given}) shows what was done about it later, which gold works out without it, on "
            f"{len(told)} of {len(rows)} rows: {quoted(one.value)} in {quoted(_around(one), 100)}, and doing so then "
            f"scores {won[0].reward:g}, as gold does.",
            "End the history before the task begins: no later commits, comments or resolutions.",
            one.gold.row, own_turns(won[0].completion), reward_with_parts(won[0]), less_than_gold(subject, won[0]),
        )  # fmt: skip


def _is_of_history(tool: Mapping[str, object]) -> bool:
    return _OF_HISTORY.search(name_of(tool).replace("_", " ")) is not None


def _looks(subject: Subject, gold: Gold) -> bool:
    """Whether gold looks something up, from which it may work something out."""
    looking = {name_of(tool) for tool in subject.tools_of(gold.row) if only_looks(tool)}
    return any(name in looking for name, _ in gold.calls)


def _worked_out(subject: Subject, gold: Gold) -> list[str]:
    """What gold says last, or else gives its last act, and what neither the prompt nor a reply has shown it."""
    changing = [given for name, given in gold.calls if not _only_looks(subject, gold.row, name)]
    texts = changing[-1].values() if changing else [gold.text]
    replies = replies_to_gold(subject, gold.row)
    shown = "\n".join([prompt_text(subject, gold.row), *replies])
    found = [part for value in texts if isinstance(value, str | int | float) for part in _parts(value, shown)]
    prompt = prompt_text(subject, gold.row)
    return [part for part in found if not says(prompt if part.isdecimal() and len(part) < 3 else shown, part)]


def _parts(value: str | float, shown: str) -> list[str]:
    """A value as a text; of several lines those that nothing has shown."""
    lines = [line.strip() for line in str(value).splitlines()]
    if len(lines) < 2:
        return [str(value).strip()] if 0 < len(str(value).strip()) <= MOST_CHARS else []
    return [line for line in lines if len(line) >= FEWEST_CHARS and line not in shown]


def _told(subject: Subject, row: int, seen: Exploration, wanted: Mapping[int, Sequence[str]]) -> Told | None:
    """The first place of the history that gold does not open, has what gold works out, and says that it is the fix."""
    gold = golds(subject)[row]
    own = {canonical_json([name, given]) for name, given in gold.calls}
    tools = {name_of(tool) for tool in subject.tools_of(row) if _is_of_history(tool)}
    history = [one for one in seen.opened if one.tool in tools and not one.refused]
    for one in history:
        if canonical_json([one.tool, one.arguments]) in own or not all(says(one.reply, part) for part in wanted[row]):
            continue
        others = [parts for other, parts in wanted.items() if other != row and parts != wanted[row]]
        listed = sum(all(says(one.reply, part) for part in parts) for parts in others)
        if 3 * listed <= len(others) and _is_the_fix(one, history, wanted[row][0]):
            return Told(gold, one, wanted[row][0])
    return None


def _is_the_fix(place: Opened, history: Sequence[Opened], value: str) -> bool:
    """Whether the entry with the value, or the line of another reply that names this place, says so."""
    names = [str(given) for given in place.arguments.values() if len(str(given)) >= FEWEST_CHARS]
    entries = [entry for entry in _entries(place.reply) if says(entry, value)]
    entries += [line for one in history for line in _entries(one.reply) if any(says(line, name) for name in names)]
    return any(_FIXED.search(entry) for entry in entries)


def _entries(reply: str) -> list[str]:
    """The items of a list, the paragraphs of a text, or its lines with those that are set in below them."""
    text = reply.replace("\\n", "\n")
    return re.split(r"\n\s*\n|\n(?=\S)(?![-+@ ])|(?<=[\"}]),\s*(?=[\"{])", text)


def _acts_after(subject: Subject, told: Told) -> list[Message]:
    """The look, and then gold without its own looks."""
    row = told.gold.row
    acts = [
        act for act in acts_of(told.gold)
        if not _calls(act) or not all(_only_looks(subject, row, name) for name, _ in _calls(act))
    ]  # fmt: skip
    return [call_message(told.place.tool, **told.place.arguments), *acts]


def _calls(act: Message) -> list[tuple[str, dict[str, object]]]:
    made = functions_of([act])
    return [(one["name"], one["arguments"]) for one in made if isinstance(one["arguments"], dict)]


def _only_looks(subject: Subject, row: int, name: str) -> bool:
    return any(name_of(tool) == name and only_looks(tool) for tool in subject.tools_of(row))


def _around(told: Told) -> str:
    where = max(0, told.place.reply.casefold().find(told.value.casefold()))
    return told.place.reply[max(0, where - 60) : where + len(told.value) + 40]
