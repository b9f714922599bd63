"""Whether gold looks where the prompt says: under the key, or with the value of an argument, that a rule names."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from grpo_env_sdk.checking.evidence.golds import (
    Gold,
    as_good_as_gold,
    gold_episodes,
    golds,
    less_than_gold,
    play_scored,
)
from grpo_env_sdk.checking.evidence.playing.tool_parameters import description_of, name_of, properties_of
from grpo_env_sdk.checking.evidence.playing.turns import functions_of, own_turns
from grpo_env_sdk.checking.evidence.prompts.bare_text import bare
from grpo_env_sdk.checking.evidence.prompts.json_data import NO_JSON, leaves, read_json
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.secret_words import says
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import looking_tools
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, Message

FEWEST, MOST_PLAYED, MOST_VALUES = 3, 4, 12
"""On how many rows gold follows a rule, and does not; how many of these are tried, and with how many values each."""
_SENTENCE, _CLAUSE, _WORD = regex(r"[.;:?!()\n]+"), regex(","), regex(r"[^\W\d_]{3,}")
_NOT = regex(r"\b(?:not|no|never|except|unless|other|others|else|instead|rather|without|or)\b|n't\b", re.IGNORECASE)
Place = tuple[str, str, tuple[str, ...]]
"""A tool, a parameter of it or nothing for its reply, and the values or keys of which gold takes one."""


@dataclass(frozen=True, slots=True)
class _Choice:
    """The value or key that gold takes on a row, the one that a rule names for a word of its prompt, and the rule."""

    gold: Gold
    own: str
    named: str
    word: str
    rule: str


def gold_looks_elsewhere(subject: Subject) -> Iterator[Finding]:
    """The finding that gold takes another value than a rule names, on all rows with one word of the rule."""
    for place, own in _choices(subject).items():
        ruled = [one for row, value in own.items() if (one := _ruled(subject, golds(subject)[row], value, place, own))]
        by_word: dict[str, list[_Choice]] = defaultdict(list)
        for one in ruled:
            by_word[one.word].append(one)
        follow = [one for one in ruled if one.own == one.named]
        for choices in by_word.values():
            elsewhere = [one for one in choices if one.own != one.named]
            if len(elsewhere) == len(choices) >= FEWEST <= len(follow):
                yield from _finding_if_refused(subject, place, elsewhere, len(follow))
                return


def _choices(subject: Subject) -> dict[Place, dict[int, str]]:
    """By place, what gold takes there on each row."""
    found: dict[Place, dict[int, str]] = defaultdict(dict)
    for row, gold in golds(subject).items():
        calls = gold_episodes(subject)[row].tool_calls
        names = [str(call["name"]) for call in calls]
        for name, call in zip(names, calls, strict=True):
            if names.count(name) > 1 or not isinstance(call["arguments"], dict):
                continue
            parts, wanted = _parts(str(call["content"])), bare(gold.text)
            shown = wanted in map(bare, _values(str(call["content"])))
            for key, options in _enums(subject, name) if shown or name not in looking_tools(subject) else ():
                if (value := call["arguments"].get(key)) in options:
                    found[name, key, options][row] = str(value)
            holding = [key for key, values in parts.items() if wanted in map(bare, values)]
            if len(holding) == 1 and len(parts) > 1:
                found[name, "", tuple(parts)][row] = holding[0]
    return found


def _enums(subject: Subject, name: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    for tool in subject.tools:
        for key, schema in properties_of(tool).items() if name_of(tool) == name else ():
            options = schema.get("enum") if isinstance(schema, Mapping) else None
            if options and len(options) > 1 and all(isinstance(one, str) for one in options):
                yield key, tuple(options)


def _parts(reply: str) -> dict[str, list[str]]:
    """The values under each key of a reply in JSON."""
    data = read_json(reply)
    return {key: _texts(one) for key, one in data.items()} if isinstance(data, dict) else {}


def _texts(data: Any) -> list[str]:
    return [str(value) for _, value in leaves(data) if value is not None]


def _ruled(subject: Subject, gold: Gold, own: str, place: Place, rows: Mapping[int, str]) -> _Choice | None:
    """What a rule names for a row, if one does and no other names something else."""
    prompt = prompt_text(subject, gold.row)
    found = []
    told = [description_of(tool) for tool in subject.tools]
    for rule, named in _rules("\n".join([prompt, *told]), place[2]):
        rest = prompt.replace(rule, " ")
        words = [word for word in _WORD.findall(rule) if word.casefold() not in named.casefold()]
        word = next((_stem(word) for word in words if _is_telling(subject, word, rule, rest, rows)), None)
        if word is not None:
            found.append(_Choice(gold, own, named, word, rule))
    return found[0] if len({one.named for one in found}) == 1 else None


def _rules(prompt: str, options: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The parts of sentences that name one of the options, and which."""
    for sentence in _SENTENCE.split(prompt):
        several = sum(says(sentence, one) for one in options) > 1
        for part in _CLAUSE.split(sentence) if several else [sentence]:
            named = [one for one in options if says(part, one)]
            if len(named) == 1 and not _NOT.search(part):
                yield part, named[0]


def _stem(word: str) -> str:
    return word.casefold().removesuffix("s")


def _is_telling(subject: Subject, word: str, rule: str, rest: str, rows: Mapping[int, str]) -> bool:
    """Whether a word of a rule is in the rest of this prompt, and not in that of most others."""
    pattern = regex(rf"(?<!\w){re.escape(_stem(word))}s?(?!\w)", re.IGNORECASE)
    if not pattern.search(rest):
        return False
    others = [prompt_text(subject, row) for row in rows]
    return 2 * sum(pattern.search(one.replace(rule, " ")) is not None for one in others) <= len(others)


def _finding_if_refused(
    subject: Subject, place: Place, elsewhere: Sequence[_Choice], following: int
) -> Iterator[Finding]:
    """The finding, where nothing that is found where the rule says scores as much as gold."""
    played: list[Episode] = []
    for one in elsewhere[:MOST_PLAYED]:
        answers = list(_answers(subject, place, one))
        episodes = play_scored(subject, [(one.gold.row, turns) for turns in answers])
        if not answers or len(episodes) < len(answers) or any(as_good_as_gold(subject, each) for each in episodes):
            return
        played += episodes
    first, (tool, key, _) = elsewhere[0], place
    what = f"{first.own!r} as {key!r} of {tool}" if key else f"what is under {first.own!r} in the reply of {tool}"
    yield Finding(
        f"Gold takes {what} on all {len(elsewhere)} rows with the word {first.word!r}, for which the prompt says "
        f"{quoted(first.rule.strip(), 100)}: nothing that {first.named!r} has scores as much. On {following} other "
        "rows gold takes what the rule names.",
        "Work gold out by the rules that the prompt states.",
        first.gold.row, own_turns(played[0].completion), played[0].reward, less_than_gold(subject, played[0]),
    )  # fmt: skip


def _answers(subject: Subject, place: Place, choice: _Choice) -> Iterator[list[Message]]:
    """Gold with each value that stands where the rule says in place of its answer."""
    tool, key, _ = place
    turns = deepcopy(choice.gold.turns)
    for call in functions_of(turns):
        if key and call["name"] == tool and call["arguments"].get(key) == choice.own:
            call["arguments"][key] = choice.named
    if key and tool not in looking_tools(subject):
        yield turns
        return
    for reply in [one for episode in play_scored(subject, [(choice.gold.row, turns)]) for one in episode.tool_calls]:
        if reply["name"] == tool and not reply["error"]:
            parts = _parts(str(reply["content"]))
            values = _values(str(reply["content"])) if key else parts.get(choice.named, [])
            for value in list(dict.fromkeys(values))[:MOST_VALUES]:
                yield [*turns[:-1], {**turns[-1], "content": value}]


def _values(reply: str) -> list[str]:
    """The values of a reply in JSON; of a text, its words."""
    data = read_json(reply, NO_JSON)
    return re.findall(r"[\w.:/-]*\w", reply) if data is NO_JSON else _texts(data)
