"""Whether the tools and values that the author's code looks for in calls are those of the schemas."""

import re
from collections.abc import Collection, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import chain, islice
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.author_code.literal_tests import LiteralTest, literal_tests
from grpo_env_sdk.checking.evidence.author_code.own_words import own_words
from grpo_env_sdk.checking.evidence.author_code.traced_values import OF_EPISODES
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, properties_of
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.calls import episodes_tried
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.envs.traits import toolbox_of
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.plain_text import joined
from grpo_env_sdk.rewards.reward import Reward
from grpo_env_sdk.rewards.rubric import Rubric

MOST_ROWS, MOST_FINDINGS = 200, 3
"""On how many rows with tools of their own all names can be known, and how many findings are reported."""
MISSPELT, FEWEST_LETTERS = 0.85, 4
"""How much alike two spellings of one name are, and how long a word is that two names have in common."""
_NAME = regex(r"[A-Za-z_][\w.-]*")


@check("T428", needs=("tools", "rows"), severity="warning")
def code_looks_for_tools_that_exist(subject: Subject) -> Iterator[Finding]:
    """The code looks only for names and listed values that calls of its tools can have."""
    tests = literal_tests(subject.loaded.env, OF_EPISODES)
    named = [test for test in tests if test.kind.what == "name"]
    given = [test for test in tests if test.kind.what == "argument"]
    if (named or given) and (tools := _all_tools(subject)):
        yield from islice(chain(_names(subject, named, tools), _listed(given, tools)), MOST_FINDINGS)


def _all_tools(subject: Subject) -> list[dict[str, Any]]:
    """The tools of every row; none where they cannot all be known."""
    if not subject.traits.tools_of_rows:
        return list(subject.tools)
    if len(subject.rows) > MOST_ROWS:
        return []
    by_row = [subject.tools_of(row) for row in range(len(subject.rows))]
    return [tool for tools in by_row for tool in tools] if all(by_row) else []


def _names(subject: Subject, tests: Sequence[LiteralTest], tools: Sequence[dict[str, Any]]) -> Iterator[Finding]:
    """Comparisons of the name of a call with a name that no tool has."""
    known = {name_of(tool) for tool in tools}
    looked_for = {literal for test in tests for literal in test.literals}
    for test in tests:
        unknown = [one for one in test.literals if one not in known and isinstance(one, str) and _NAME.fullmatch(one)]
        if len(unknown) < len(test.literals):  # other names for one tool may be let pass
            unknown = [one for one in unknown if any(_is_misspelt(one, name) for name in known - looked_for)]
        for name in unknown:
            if not _may_exist(subject, test, name, tests):
                yield _finding(subject, test, name, known, sorted(known - looked_for))


def _listed(tests: Sequence[LiteralTest], tools: Sequence[dict[str, Any]]) -> Iterator[Finding]:
    """Comparisons of an argument with a text that no tool with this parameter lists."""
    for test in tests:
        schemas = [found for tool in tools if (found := properties_of(tool).get(test.kind.key)) is not None]
        if not schemas or not all(isinstance(schema.get("enum"), list) for schema in schemas):
            continue
        values = [value for schema in schemas for value in (*schema["enum"], schema.get("default"))]
        if not any(literal in values or literal == "" for literal in test.literals):
            yield Finding(
                f"The code compares the argument {test.kind.key!r} with {test.literals[0]!r}, and the schema lists "
                f"only {joined(list(dict.fromkeys(repr(one) for one in values if one is not None)))}: {test.place}.",
                "Compare with a value of the schema, or list the value there.",
                input={test.kind.key: test.literals[0]},
            )


def _may_exist(subject: Subject, test: LiteralTest, name: str, tests: Sequence[LiteralTest]) -> bool:
    """Whether other code or a prompt speaks of a name: it may be a tool with another config, or of another class."""
    env = subject.loaded.env
    box = toolbox_of(env).tools.values() if not subject.traits.tools_of_rows else ()
    renamed = any(getattr(tool.function, "__name__", tool.name) == name != tool.name for tool in box)
    methods = sum(name in vars(base) for base in type(env).__mro__) if renamed else 0
    here = methods + sum(one.literals.count(name) for one in tests)
    said = any(re.search(rf"\b{re.escape(name)}\b", prompt_text(subject, row)) for row in subject.chosen)
    return said or own_words(env, test.function)[name] > here


def _is_misspelt(one: str, other: str) -> bool:
    return SequenceMatcher(None, one.casefold(), other.casefold()).ratio() >= MISSPELT


def _like(name: str, others: Collection[str]) -> str | None:
    """The name that is another spelling of one, or has a word in common with it."""
    words = {word for word in re.split(r"[\W_]+", name.casefold()) if len(word) >= FEWEST_LETTERS}
    near = [one for one in others if _is_misspelt(name, one) or words & set(re.split(r"[\W_]+", one.casefold()))]
    return max(near, key=lambda one: SequenceMatcher(None, name, one).ratio(), default=None)


def _finding(subject: Subject, test: LiteralTest, name: str, known: Collection[str], others: Sequence[str]) -> Finding:
    like = _like(name, others)
    never = _never_changes(subject, test, known) if like else ""
    meant = f" Is {like} meant?" if like else ""
    return Finding(
        f"The code looks for calls of {name!r}, and no tool has this name: {test.place}.{never}",
        f"Write the name of a tool: {joined(sorted(known))}.{meant}",
        input={"compared with": name},
        expected=like,
        severity="error" if never else "warning",
    )


def _never_changes(subject: Subject, test: LiteralTest, known: Collection[str]) -> str:
    """What says that a reward was the same in all episodes, in which every tool answered; empty if that is not so."""
    rewards = [item for item in Rubric.of(subject.loaded.env).rewards if isinstance(item, Reward)]
    own = [item for item in rewards if getattr(item.function, "__name__", "") == test.function.name]
    if len(own) != 1 or own[0].parts or subject.traits.runs_tools == "none":
        return ""
    name = own[0].name
    episodes = [episode for episode, _ in episodes_tried(subject) if episode.rewards.get(name) is not None]
    called = {call["name"] for episode in episodes for call in episode.tool_calls if call["error"] is None}
    if not called.issuperset(known) or len({episode.rewards[name] for episode in episodes}) != 1:
        return ""
    return (
        f" The reward {name!r} is the same in all {len(episodes)} episodes that were tried, with calls of every tool."
    )
