"""Whether a tool or a command that shows how things stand also shows what gold works out."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from grpo_env_sdk.checking.evidence.golds import Gold, gold_episodes, play_answers
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, properties_of, required_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.bare_text import bare
from grpo_env_sdk.checking.evidence.prompts.tool_names import CHANGES, may_only_look
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.secret_words import ByRow, mates_of, secrets, words_of
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, replies_to_gold, texts_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS, some_golds
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.findings.transcript_text import turns_text
from grpo_env_sdk.data.messages import call_message, places_of_turns
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, Message, Schemas

MOSTLY, DIFFERENT, MOST_COMMANDS, MOST_TOPICS = 0.8, 3, 10, 6
STATUS = regex(
    r"(?:^|_)(?:status|state|info|help|debug|inspect|examine|progress|history|stats|rules|settings|config|session|dump|"
    r"about|usage|manual|internals?|trace|snapshot|context|metadata)(?:_|$|\s)",
    re.IGNORECASE,
)
"""The names of tools and commands that show how things stand, and not what a task is about."""
_LISTS = regex(r"(?:^|_)(?:settings|config)(?:_|$|\s)", re.IGNORECASE)
"""Those that may be the list of what can be looked up or set."""
_COMMAND = regex(r"`([^`\n]{1,30})`|\"([^\"\n]{1,30})\"|'([^'\n]{1,30})'")
_USUAL = ("status", "help", "state", "info", "inspect", "debug")
_BETWEEN = r"(?<![\w.]){}(?![\w.])"


@dataclass(frozen=True, slots=True)
class Look:
    """A tool called, or a command said, before anything else, and the reply."""

    name: str
    act: str | Message
    reply: str
    episode: Episode


def told_by_status(subject: Subject) -> Iterator[Finding]:
    """The finding that a look which gold does not take shows what gold found in other ways."""
    known = some_golds(subject)
    words, numbers = secrets(subject), {gold.row: _together(subject, gold) for gold in known}
    found: dict[str, dict[int, tuple[Look, str]]] = defaultdict(dict)
    tried: dict[str, set[int]] = defaultdict(set)
    for look in _looks(subject, known):
        row = look.episode.row_index
        tried[look.name].add(row)
        if hit := _shown(look, _without_opened(subject, words, known, look), row) or _shown_together(
            look, numbers[row]
        ):
            found[look.name].setdefault(row, (look, hit))
    for name, of_rows in found.items():
        differ = len({hit for _, hit in of_rows.values()})
        if len(of_rows) < max(FEWEST_ROWS, MOSTLY * len(tried[name])) or differ < DIFFERENT:
            continue
        worked_out = all(_looked(subject, row) for row in of_rows)
        if not STATUS.search(name) and (not worked_out or CHANGES.match(name)):
            continue
        if not worked_out and all(_said_last(subject, row) == hit for row, (_, hit) in of_rows.items()):
            continue  # the answer may be what is to be looked up there
        look, hit = next(iter(of_rows.values()))
        certain = STATUS.search(name) and (worked_out or _gets_feedback(subject, list(of_rows)))
        yield _finding(name, look, hit, len(of_rows), len(tried[name]), bool(certain))
        return


def _looks(subject: Subject, known: Sequence[Gold]) -> Iterator[Look]:
    """Each tool that gold never calls, or a command that prompts name, as the first act of an episode."""
    called = {name for gold in known for name, _ in gold.calls}
    calls = [
        (gold.row, name_of(tool), call)
        for gold in known
        for tool in subject.tools_of(gold.row)
        if name_of(tool) not in called
        for call in _calls(tool, subject.tools_of(gold.row))
    ]
    for (_, name, act), episode in zip(
        calls, play_answers(subject, [(row, [call, ""]) for row, _, call in calls]), strict=False
    ):
        if episode.tool_calls and not episode.tool_calls[0]["error"]:
            yield Look(name, act, str(episode.tool_calls[0]["content"]), episode)
    if called or subject.traits.kind != "multi-turn":
        return
    said = [(gold.row, text) for gold in known for text in _commands(prompt_text(subject, gold.row))]
    for (_, text), episode in zip(said, play_answers(subject, [(row, [text, ""]) for row, text in said]), strict=False):
        own = places_of_turns(episode.completion)
        if len(own) > 1:  # the episode went on
            yield Look(text, text, " ".join(texts_of(episode.completion[: own[1]])), episode)


def _calls(tool: dict[str, Any], tools: Schemas) -> list[Message]:
    """A tool without arguments, or with the name of another tool, where it asks for one text."""
    needed, name = required_of(tool), name_of(tool)
    if not needed:
        return [call_message(name)]
    schema = properties_of(tool).get(needed[0], {})
    if len(needed) > 1 or schema.get("type") != "string":
        return []
    topics = schema.get("enum") or [name_of(one) for one in tools if one is not tool]
    return [call_message(name, **{needed[0]: topic}) for topic in topics[:MOST_TOPICS]]


def _commands(prompt: str) -> list[str]:
    """What a prompt quotes as a command, and usual commands that it names."""
    marked = [
        command for command in map("".join, _COMMAND.findall(prompt)) if not re.search(r"[A-Z]{2,}|[<\[{]", command)
    ]
    usual = [word for word in _USUAL if re.search(rf"\b{word}\b", prompt, re.IGNORECASE)]
    return list(dict.fromkeys([*marked, *usual, "status", "help"]))[:MOST_COMMANDS]


def _together(subject: Subject, gold: Gold) -> list[str]:
    """The numbers of the last call of gold with several, such as a place, unless prompt or replies had them."""
    several = [values for _, given in gold.calls if len(values := _numbers(given)) > 1]
    if not several:
        return []
    before = [*replies_to_gold(subject, gold.row), prompt_text(subject, gold.row)]
    return [] if any(_in_order(several[-1], text) for text in before) else several[-1]


def _numbers(given: dict[str, Any]) -> list[str]:
    return [str(value) for value in given.values() if type(value) in (int, float)]


def _in_order(values: Sequence[str], text: str) -> bool:
    """Whether a text has these numbers one after another with a few letters between."""
    pattern = r"[^\d]{1,12}?".join(_BETWEEN.format(re.escape(value)) for value in values)
    return re.search(pattern, text) is not None


def _shown(look: Look, words: ByRow, row: int) -> str:
    """A word that gold works out, if the reply has it and no other of its form; else nothing."""
    reply = words_of(look.reply)
    hits = (words.get(row, set()) & reply) - words_of(str(look.act))
    alone = [word for word in hits if not any(map(str.isdecimal, word)) or not mates_of(word, reply)]
    others = [found - words[row] for other, found in words.items() if other != row]
    listed = sum(bool(reply & found) for found in others)
    return max(alone, key=len) if alone and listed * 3 <= len(others) else ""


def _without_opened(subject: Subject, words: ByRow, known: Sequence[Gold], look: Look) -> ByRow:
    """The words without what gold opens with looking tools, where the look may be the list of what can be opened."""
    if STATUS.search(look.name) and not _LISTS.search(look.name):
        return words
    looking = {name_of(tool) for tool in subject.tools if may_only_look(tool)}
    given = {
        gold.row: [value for name, one in gold.calls if name in looking for value in one.values()] for gold in known
    }
    opened = {row: words_of(" ".join(map(str, values))) for row, values in given.items()}
    return {row: found - opened.get(row, set()) for row, found in words.items()}


def _shown_together(look: Look, values: Sequence[str]) -> str:
    return ", ".join(values) if values and _in_order(values, look.reply) else ""


def _looked(subject: Subject, row: int) -> bool:
    """Whether gold gets replies before its last act, from which it may work something out."""
    own = own_turns(gold_episodes(subject)[row].completion)
    replies = set(replies_to_gold(subject, row))
    return len(own) > 2 and len(replies) > 1


def _gets_feedback(subject: Subject, rows: Sequence[int]) -> bool:
    """Whether wrong answers get different replies, from which the right one is to be found."""
    known = some_golds(subject)
    tried = [(row, gold.turns) for row in rows[:FEWEST_ROWS] for gold in known[: FEWEST_ROWS + 1] if gold.row != row]
    replies = set()
    for (_, turns), episode in zip(tried, play_answers(subject, tried), strict=False):
        given = words_of(" ".join([turns_text(turns), prompt_text(subject, episode.row_index)]))
        replies.add(frozenset(words_of(" ".join(texts_of(episode.completion))) - given))
    return len(replies) > FEWEST_ROWS / 2


def _said_last(subject: Subject, row: int) -> str:
    return bare(str(own_turns(gold_episodes(subject)[row].completion)[-1].get("content") or ""))


def _finding(name: str, look: Look, hit: str, rows: int, of: int, certain: bool) -> Finding:
    return Finding(
        f"{name} shows what gold works out, on {rows} of {of} rows: {quoted(hit)} in {quoted(look.reply, 100)}.",
        "Show only what the model has seen or done so far, and keep the rest to the scorer.",
        look.episode.row_index, own_turns(look.episode.completion)[:1], look.reply, f"a reply without {hit!r}",
        severity="error" if certain else "warning",
    )  # fmt: skip
