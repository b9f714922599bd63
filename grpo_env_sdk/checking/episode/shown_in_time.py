"""Whether what has to be found is shown before the turns are used up, where one reply leads to the next."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import Gold, golds
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, properties_of, required_of
from grpo_env_sdk.checking.evidence.playing.turns import functions_of
from grpo_env_sdk.checking.evidence.prompts.tool_names import CHANGES
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.secret_words import TOKEN, answers, secrets, words_of
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, texts_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.findings.transcript_text import turns_text
from grpo_env_sdk.checking.searching.position import opening
from grpo_env_sdk.checking.searching.rows import steppable
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Message

MOST_ROWS, FEWEST_LATE, FEWEST_ROWS, SHARE = {"quick": 8, "default": 16, "thorough": 60}, 2, 4, 0.1
"""On how many rows it is looked for, and on how many it comes too late and in time."""
MOST_CALLS, MOST_TURNS = 150, 1_000
"""How many calls are made in a row, and the turns that they get."""
_NAME = regex(r"\b(?=([A-Z][\w'-]+(?: [A-Z][\w'-]+)+))")
"""A name of several words, and each end of it."""


@dataclass(frozen=True, slots=True)
class Lead:
    """A word that may be looked up, the round in which it can be at the earliest, and the calls that led to it."""

    word: str
    round: int
    way: tuple[Message, ...]


@dataclass
class Trail:
    """What is looked up in a row, one word after another, until a reply has the answer."""

    tools: list[dict[str, Any]]
    wanted: set[str]
    prompt: str
    left: int = MOST_CALLS
    known: set[str] = field(default_factory=set)

    def followed(self, step: Callable[[Message], str]) -> Lead | None:
        """The first reply with the answer: the word is the answer, the round the one of the call."""
        waiting = deque([Lead("", 1, ()), *(Lead(word, 1, ()) for word in self._new(self.prompt))])
        while waiting:
            lead = waiting.popleft()
            for call in self._calls(lead.word):
                self.left -= 1
                if self.left < 0:
                    return None
                reply, way = step(call), (*lead.way, call)
                if hits := self.wanted & words_of(reply) - words_of(lead.word):
                    return Lead(sorted(hits)[0], lead.round, way)
                waiting += [Lead(word, lead.round + 1, way) for word in self._new(reply)]
        return None

    def _calls(self, word: str) -> list[Message]:
        """The tools with this word, as a number where they take one; those that take nothing without a word."""
        if not word:
            return [call_message(name_of(tool)) for tool in self.tools if not required_of(tool)]
        given = [(name_of(tool), name, _as_taken(word, tool)) for tool in self.tools for name in required_of(tool)]
        return [call_message(tool, **{name: value}) for tool, name, value in given if value is not None]

    def _new(self, text: str) -> list[str]:
        """The words and the names of several words of a text that were not seen before, the last one first."""
        words = [*TOKEN.findall(text), *_NAME.findall(text)]
        found = [word for word in dict.fromkeys(words) if word.casefold() not in self.known]
        self.known |= {word.casefold() for word in found}
        return found[::-1]


@check("E354", kinds=("tools",), needs=("calls", "acts"))
def what_is_asked_for_is_shown_in_time(subject: Subject) -> Iterator[Finding]:
    """Where each reply says what to look up next, the last one comes before the turns are used up."""
    known = {} if subject.stand_ins is not None else _untold(subject)
    tried = [golds(subject)[row] for row in known] if subject.stand_ins is None else _texts(subject)
    if not tried or not steppable(subject):
        return  # where gold knows only what it was told, G501 shows whether every row can be won
    trails = {gold.row: found for gold in tried if (found := _trail(subject, gold)) is not None}
    late = {
        row: one for row, one in trails.items()
        if one.round + 1 > subject.traits.max_turns and (not known or known[row] & _given(one.way))
    }  # fmt: skip
    if len(late) < max(FEWEST_LATE, SHARE * len(trails)) or len(trails) - len(late) < FEWEST_ROWS:
        return
    knows = " Gold wins there only as it knows on its way what no reply had shown." if known else ""
    row, lead = max(late.items(), key=lambda item: item[1].round)
    yield Finding(
        f"On {len(late)} of {len(trails)} rows the answer is shown too late: each reply names what to look up next, "
        f"and in row {row} it takes {lead.round} calls one after another until {quoted(lead.word)} is shown, and a "
        f"turn to say so, where max_turns is {subject.traits.max_turns}.{knows}",
        f"Raise max_turns to {max(one.round for one in late.values()) + 1}, or draw shorter tasks.",
        row, turns_text(lead.way), f"{lead.round} calls and the answer", f"at most {subject.traits.max_turns} turns",
    )  # fmt: skip


def _texts(subject: Subject) -> list[Gold]:
    """What was found without a call: the answer alone."""
    found = [gold for gold in golds(subject).values() if not gold.calls and answers(subject).get(gold.row)]
    return found[: MOST_ROWS[subject.effort]]


def _untold(subject: Subject) -> dict[int, set[str]]:
    """By row, the words in calls of gold that nothing had said, if most rows with an answer to be found have any."""
    known = [gold for gold in islice(golds(subject).values(), MOST_ROWS[subject.effort]) if answers(subject)[gold.row]]
    untold = {gold.row: _given(gold.turns) & secrets(subject)[gold.row] for gold in known}
    return untold if 2 * sum(map(bool, untold.values())) > len(untold) else {}


def _given(turns: Iterable[Message]) -> set[str]:
    """The words in the arguments of calls."""
    return words_of(" ".join(str(function["arguments"]) for function in functions_of([*turns])))


def _trail(subject: Subject, gold: Gold) -> Lead | None:
    """How the answer of a row is found, by an instance that has turns enough; None where it is not."""
    tools = [tool for tool in subject.tools_of(gold.row) if not CHANGES.match(name_of(tool)) and _takes_one_value(tool)]
    trail = Trail(tools, answers(subject)[gold.row], prompt_text(subject, gold.row))

    def follow(env: Any) -> Lead | None:
        opening(env, subject.row(gold.row))
        env.max_turns = MOST_TURNS

        def step(call: Message) -> str:
            observation, _, *ended, _ = env.step(call)
            if any(ended):
                trail.left = 0
            return "\n".join(texts_of(observation)) if isinstance(observation, list) else str(observation)

        return trail.followed(step)

    with subject.instance(gold.row) as env:
        found: Lead | None = subject.call("an episode", follow, env, row=gold.row)
    return found


def _takes_one_value(tool: dict[str, Any]) -> bool:
    """Whether a tool takes nothing, or one text or number that no list limits."""
    schemas = [properties_of(tool).get(name, {}) for name in required_of(tool)]
    return len(schemas) < 2 and all(one.get("type") in ("string", "integer") and "enum" not in one for one in schemas)


def _as_taken(word: str, tool: dict[str, Any]) -> str | int | None:
    """A word as the only parameter of a tool takes it; None where it takes numbers, and this is none."""
    if properties_of(tool)[required_of(tool)[0]].get("type") == "string":
        return word
    return int(word) if word.isdecimal() else None
