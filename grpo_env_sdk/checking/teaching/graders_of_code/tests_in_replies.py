"""Whether replies show what hidden tests expect, so that code that knows these values alone passes them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import Gold, as_good_as_gold, golds, play_all, too_good
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, properties_of, required_of
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, texts_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.graders_of_code.graded_code import Code
from grpo_env_sdk.checking.teaching.graders_of_code.told_tests import (
    Table,
    cases_in,
    chain_table,
    function_table,
    table_like,
)
from grpo_env_sdk.data.messages import assistant_message, call_message, places_of_turns
from grpo_env_sdk.evaluation.stats import Share
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, Message

MOST_ROWS = {"quick": 3, "default": 3, "thorough": 30}
_TESTS = regex(r"test|check|run|verif|grad|judge|evaluat|validat|try", re.IGNORECASE)
_CODE = regex(r"code|source|program|expression|solution|function|body|formula|script", re.IGNORECASE)
_NAMED = regex(r"\b([A-Za-z_]\w*)\((\w*)[\w, ]*\)")


@dataclass(frozen=True, slots=True)
class Submission:
    """Where code is submitted in an episode, how a table is written there, and what runs the tests."""

    code: Code
    name: str
    table: Table
    tests: list[Message]

    @property
    def row(self) -> int:
        """The row."""
        return self.code.gold.row

    def round(self, cases: dict[str, str]) -> list[Message]:
        """The turns that submit a table of these cases and run the tests."""
        turn = self.code.with_other(self.table(cases))[self.place]
        return [turn, *self.tests]

    @property
    def place(self) -> int:
        """Which turn of gold has the code."""
        return self.code.place[0] if self.code.place else len(self.code.gold.turns) - 1

    @property
    def before(self) -> list[Message]:
        """What gold does before."""
        return self.code.gold.turns[: self.place]

    def last(self, cases: dict[str, str]) -> list[Message]:
        """Gold from its code on, with a table of these cases."""
        return self.code.with_other(self.table(cases))[self.place :]


@dataclass
class Attempt:
    """A submission whose table grows by what replies show."""

    of: Submission
    room: int
    turns: list[Message]
    cases: dict[str, str] = field(default_factory=dict)
    grows: bool = True

    @property
    def next(self) -> list[Message]:
        """What gold does before, and the turns of the next table: those of earlier ones are played in the end."""
        return [*self.of.before, *self.of.round(self.cases)]

    def read(self, episode: Episode) -> None:
        """Take what the replies to the last table have shown, unless that is nothing new or there is no room."""
        new = cases_in("\n\n".join(_replies(episode, len(self.of.before))), self.of.name)
        turns = [*self.turns, *self.of.round(self.cases)]
        self.grows = bool(new.items() - self.cases.items()) and len(turns) <= self.room
        if self.grows:
            self.turns = turns
            self.cases |= new


@check("G605", kinds=("tools", "multi-turn"), share=3)
def replies_do_not_show_hidden_tests(subject: Subject) -> Iterator[Finding]:
    """Code that knows only what replies to failed tests have shown is not gold."""
    room = subject.traits.max_turns
    some = _submissions(subject)[: MOST_ROWS[subject.effort]]
    tried = [Attempt(one, room - len(one.last({})), list(one.before)) for one in some]
    while growing := [one for one in tried if one.grows]:
        for one, episode in zip(growing, play_all(subject, [(one.of.row, one.next) for one in growing]), strict=True):
            one.read(episode)
    known = [one for one in tried if one.cases]
    empty = play_all(subject, [(one.of.row, [*one.of.before, *one.of.last({})]) for one in known])
    full = play_all(subject, [(one.of.row, [*one.turns, *one.of.last(one.cases)]) for one in known])
    won = [
        (one, episode)
        for one, nothing, episode in zip(known, empty, full, strict=True)
        if not episode.error and as_good_as_gold(subject, episode) and not as_good_as_gold(subject, nothing)
    ]
    if len(won) < max(1, min(FEWEST_ROWS - 1, len(subject.rows)), len(known) / 2):
        return
    one, episode = won[0]
    yield Finding(
        f"Replies show what the tests of the score expect: code that is a table of {len(one.cases)} inputs and values "
        f"which replies to failed tests have shown scores {episode.reward:g} on {Share(len(won), len(known))}, and "
        "solves nothing.",
        "Show other tests than those of the score, or only how many failed.",
        *too_good(subject, episode),
    )  # fmt: skip


def _replies(episode: Episode, turns: int) -> list[str]:
    """What was said after so many turns."""
    own = places_of_turns(episode.completion)
    return texts_of(episode.completion[own[turns] :]) if turns < len(own) else []


def _submissions(subject: Subject) -> list[Submission]:
    """Where gold has code; else a parameter that is named for it."""
    known = list(golds(subject).values())[: 2 * MOST_ROWS[subject.effort]]
    if known:
        return [found for gold in known if (found := _of_gold(subject, gold))]
    return [found for row in subject.sample(MOST_ROWS[subject.effort]) if (found := _of_schema(subject, row))]


def _of_gold(subject: Subject, gold: Gold) -> Submission | None:
    for number, turn in reversed(list(enumerate(gold.turns))):
        calls = turn.get("tool_calls") or ()
        if not calls and number == len(gold.turns) - 1 and (like := table_like(str(turn.get("content") or ""))):
            return Submission(Code(gold, gold.text), *like, [])
        for place, call in enumerate(calls):
            given = call["function"]["arguments"]
            for name, value in given.items() if isinstance(given, dict) else ():
                if isinstance(value, str) and (like := table_like(value)):
                    code = Code(gold, value, (number, place, name))
                    return Submission(code, *like, _tests(subject, gold.row, call["function"]["name"]))
    return None


def _of_schema(subject: Subject, row: int) -> Submission | None:
    """A call that submits code for the function that the prompt names, where no gold is known."""
    named = _NAMED.search(prompt_text(subject, row))
    for tool in subject.tools_of(row) if named else ():
        texts = [key for key, schema in properties_of(tool).items() if schema.get("type") == "string"]
        if named and required_of(tool) == texts and len(texts) == 1 and _CODE.search(texts[0]):
            turns: list[dict[str, Any]] = [
                call_message(name_of(tool), **{texts[0]: ""}),
                assistant_message("Done."),
            ]
            code = Code(Gold(row, turns, subject.traits.reward_range[1]), "", (0, 0, texts[0]))
            tests = _tests(subject, row, name_of(tool))
            if "expression" in texts[0] and named[2]:
                return Submission(code, named[1], lambda cases: chain_table(named[2], cases), tests)
            return Submission(code, named[1], lambda cases: function_table(named[1], cases), tests)
    return None


def _tests(subject: Subject, row: int, submit: str) -> list[Message]:
    """Calls of the tools that run tests, which need no argument."""
    tools: Sequence[dict[str, Any]] = subject.tools_of(row)
    names = [name_of(tool) for tool in tools if not required_of(tool) and name_of(tool) != submit]
    return [call_message(name) for name in names if _TESTS.search(name)][:1]
