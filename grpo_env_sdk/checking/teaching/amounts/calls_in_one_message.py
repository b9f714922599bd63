"""Whether calls that cost something one by one cost nothing as the calls of one message."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grpo_env_sdk.checking.evidence.attempts.choices import Choice, choices_of, whole_calls_of
from grpo_env_sdk.checking.evidence.golds import NEARLY, as_good_as_gold, less_than_gold, play_answers, reward_of
from grpo_env_sdk.checking.evidence.playing.tool_parameters import description_of, name_of, schema_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.broken_form import COUNT_WORDS, count_of, unwrapped
from grpo_env_sdk.checking.evidence.prompts.stated_uses import stated_uses
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.findings.transcript_text import turns_text
from grpo_env_sdk.checking.teaching.amounts.tries_in_one_message import REFUSED, in_one_message
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, canonical_json

TASTED, MOST_CALLS, FEWEST_CALLS, MOSTLY, FEWEST_LETTERS = 4, 12, 3, 0.75, 3
_SENTENCE = regex(r"[.;\n!?]\s|\n")
_PRICE = regex(
    r"\bcosts?\b|\bcharged?\b|\bpenal\w+|\bdeduct\w*|\bsubtract\w*|\btakes? (?:off|away)\b|\bminus\b|\bloses?\b|"
    r"\b(?:lowers?|reduces?)\b|\bfewer\b.*\bbetter\b|\bas few\b",
    re.IGNORECASE,
)
_LIMIT = regex(
    rf"\b(?:at most|(?:no|not) more than|up to|only|(?:limit|budget|maximum) (?:of|is)|limited to) "
    rf"(\d{{1,2}}|{COUNT_WORDS})\b",
    re.IGNORECASE,
)
_TOO_MANY = regex(
    rf"(?<!no )(?<!not )\bmore than (\d{{1,2}}|{COUNT_WORDS})\b[^.;\n]*"
    r"\b(?:nothing|zero|0|no (?:reward|points?|credit|score)|fail\w*|lost|lose\w*|void|"
    r"(?:not|n't) (?:count|score|earn)\w*)\b",
    re.IGNORECASE,
)
_CALLS = regex(r"\b(?:tool )?calls?\b|\blook-?ups?\b|\bquer(?:y|ies)\b|\brequests?\b", re.IGNORECASE)
_BY_TURNS = regex(r"\b(?:turns?|messages?|rounds?|steps?|repl(?:y|ies)|moves?|minutes?|seconds?)\b", re.IGNORECASE)
_TOGETHER = regex(
    r"\bat once\b|\bparallel\b|\bside by side\b|\b(?:one|a single|(?:the )?same) (?:message|turn|go|reply|step)\b|"
    r"\bbatch\w*|\btogether\b|\bat the same time\b|\bsimultaneous",
    re.IGNORECASE,
)
"""Where it is said what several calls in one message cost, it may be meant."""


@dataclass(frozen=True, slots=True)
class Tried:
    """A call of gold among others of its tool, in one message and one by one."""

    choice: Choice
    others: Sequence[Any]
    tool: str
    together: Episode
    apart: Episode

    def pays(self, subject: Subject) -> bool:
        """Whether the calls in one message are as good as gold, and the same calls one by one are not."""
        if self.together.error or self.apart.error or not as_good_as_gold(subject, self.together):
            return False
        calls = [call for call in self.together.tool_calls if call["name"] == self.tool]
        refused = any(call["error"] or REFUSED.search(str(call["content"])) for call in calls)
        less = reward_of(self.apart) < reward_of(self.together) - NEARLY
        went_on = len(own_turns(self.apart.completion)) > len(self.others)
        return less and went_on and not refused and len(calls) > len(self.others)


def calls_in_one_message(subject: Subject) -> Iterator[Finding]:
    """The finding that calls which cost something one by one cost nothing in one message."""
    done: set[str] = set()
    for (tool, parameter), choices in choices_of(subject).items():
        values = list(dict.fromkeys(one.value for one in choices)) if parameter else []
        allowed = allowed_calls(subject, choices[0], tool) if tool not in done and len(values) > FEWEST_CALLS else None
        if allowed is not None:
            done.add(tool)
            yield from _paying(subject, tool, choices, values, allowed)
    for tool, choices in whole_calls_of(subject).items():
        allowed = allowed_calls(subject, choices[0], tool) if tool not in done else None
        if allowed is not None:
            calls = [given for one in choices for name, given in one.gold.calls if name == tool]
            yield from _paying(subject, tool, choices, _distinct(calls), allowed)


def _paying(
    subject: Subject, tool: str, choices: Sequence[Choice], values: Sequence[Any], allowed: int
) -> Iterator[Finding]:
    """The finding for one tool, if more of its calls than are allowed are as good as gold in one message."""
    found: list[Tried] = []
    for some in (choices[:TASTED], choices[TASTED:]):
        found += _tried(subject, tool, some, values, allowed)
        won = [one for one in found if one.pays(subject)]
        if len(won) < MOSTLY * len(found):
            return
    if len(won) >= max(FEWEST_ROWS, MOSTLY * len(found)):
        yield _finding(subject, won, len(found))


def _distinct(values: Sequence[Any]) -> list[Any]:
    return list({canonical_json(value): value for value in values}.values())


def allowed_calls(subject: Subject, choice: Choice, tool: str) -> int | None:
    """How many calls of a tool may be made, 0 where each costs something; None where no sentence says so."""
    schemas = {name_of(one): one for one in subject.tools_of(choice.gold.row)}
    text = f"{unwrapped(prompt_text(subject, choice.gold.row))}\n{_described(schemas.get(tool, {}))}"
    sentences = _SENTENCE.split(text)
    if _TOGETHER.search(text) or any(_PRICE.search(one) and _BY_TURNS.search(one) for one in sentences):
        return None
    stems = {word[:5] for word in tool.lower().split("_") if len(word) >= FEWEST_LETTERS} - {"get", "list", "the"}
    about = [
        one for one in sentences
        if _CALLS.search(one) or any(re.search(rf"\b{stem}", one, re.IGNORECASE) for stem in stems)
    ]  # fmt: skip
    if any(map(_PRICE.search, about)):
        return 0
    stated = [found for one in about if not _BY_TURNS.search(one) for found in _limits_in(one)]
    limits = set(map(count_of, stated)) or stated_uses(sentences, tool, _described(schemas.get(tool, {})))
    return limits.pop() if len(limits) == 1 else None


def _limits_in(sentence: str) -> list[str]:
    """The numbers of calls up to which a sentence says that all is well."""
    return [*_LIMIT.findall(sentence), *_TOO_MANY.findall(sentence)]


def _described(tool: Mapping[str, Any]) -> str:
    return description_of(tool) if tool else ""


def _tried(subject: Subject, tool: str, choices: Sequence[Choice], values: Sequence[Any], allowed: int) -> list[Tried]:
    """Calls with the values of other rows before the right one, in one message and one by one; more than are left."""
    found: list[Tried] = []
    for choice in choices:
        left = allowed - sum(name == tool for name, _ in choice.gold.calls)
        room = min(MOST_CALLS, subject.traits.max_turns - len(choice.gold.turns))
        others = [one for one in _distinct([*values, *_listed(subject, choice, tool)]) if one != choice.value]
        if not choice.name:  # a call that is made again counts too
            others += [choice.value] * (max(FEWEST_CALLS, left + 1) - len(others))
        others = others[:room] if room > 0 else []
        if len(others) >= max(FEWEST_CALLS, left + 1) and _may_be_made(subject, choice, others, left):
            both = (in_one_message(choice, [*others, choice.value]), choice.turns(*others, choice.value))
            played = play_answers(subject, [(choice.gold.row, turns) for turns in both])
            found += [Tried(choice, others, tool, *played)] if len(played) == len(both) else []
    return found


def _may_be_made(subject: Subject, choice: Choice, others: Sequence[Any], left: int) -> bool:
    """Whether as many calls as are allowed, one by one, are as good as gold, so that it is the limit that counts."""
    turns = choice.turns(*others[: max(0, left)], choice.value)
    return all(as_good_as_gold(subject, one) for one in play_answers(subject, [(choice.gold.row, turns)]))


def _listed(subject: Subject, choice: Choice, tool: str) -> list[Any]:
    """The values that the schema lists."""
    listed = schema_of(subject.tools_of(choice.gold.row), tool, choice.name).get("enum")
    return listed if isinstance(listed, list) else []


def _finding(subject: Subject, won: Sequence[Tried], of: int) -> Finding:
    first = won[0]
    said = quoted(turns_text(own_turns(first.together.completion)), 160)
    return Finding(
        f"{len(first.others)} more calls of {first.tool} in the message with gold's call score as much as gold on "
        f"{len(won)} of {of} rows, where the same calls one by one score {reward_of(first.apart):.4g}: {said}.",
        f"Count the calls of {first.tool}, not the turns: a message may hold any number of calls.",
        first.choice.gold.row, own_turns(first.together.completion), first.together.reward,
        less_than_gold(subject, first.together),
    )  # fmt: skip
