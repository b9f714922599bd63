"""Whether the tool with which an answer is tried and the scorer agree on which answers are right."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.tried_patterns import names_of, outcome, patterns_for
from grpo_env_sdk.checking.evidence.golds import NEARLY, golds, play_scored
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, properties_of, required_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.input_echo import without_echo
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import called_together
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, Message

MOST_ROWS, FEWEST_RIGHT, FEWEST_WRONG, MOST_REPLIES, NONSENSE = 14, 4, 3, 3, "lorem ipsum"
"""On how many rows answers are tried, on how many the tool and the scorer have to agree and to disagree, how many
answers with different replies are scored on each row, and an answer that is right nowhere."""
_TRIES = regex(
    r"\b(?:try|tries|test|check|match|fit|verify|validate|valid|preview|confirm|evaluate)(?:s|es|ed|ing)?\b", re.I
)
_LOOKS_AT_MORE = regex(r"\b(?:hidden|unseen|secret|held[- ]out|others? (?:names?|texts?|cases?|examples?))\b", re.I)
"""What a prompt says where the scorer looks at more than the tool does."""


@dataclass(frozen=True, slots=True)
class Try:
    """An answer that was given to the tool, what the tool replied, and what the scorer paid."""

    text: str
    reply: str
    """With the names of the row as their places."""
    episode: Episode

    @property
    def told(self) -> str:
        """The reply as it was."""
        return str(self.episode.tool_calls[0]["content"])

    @property
    def reward(self) -> float:
        """What the answer scored."""
        return self.episode.reward or 0.0


@check("T427", kinds=("tools",), needs=("calls",))
def the_tool_and_the_scorer_agree(subject: Subject) -> Iterator[Finding]:
    """What a tool says of the right answers, it does not say of answers that lose, and other answers do not win."""
    tools = [] if subject.traits.tools_of_rows else [tool for tool in subject.tools if _tries(tool)]
    rows = subject.sample(MOST_ROWS) if tools else []
    if len(rows) < FEWEST_RIGHT + FEWEST_WRONG or any(_LOOKS_AT_MORE.search(prompt_text(subject, row)) for row in rows):
        return
    names = names_of(subject, rows)
    answers = {row: found for row in rows if (found := _candidates(subject, row, names[row]))}
    for tool in tools if len(answers) >= FEWEST_RIGHT + FEWEST_WRONG else ():
        first = _played(subject, tool, _of_each_reply(subject, tool, answers, names), names)
        if (accepted := _reply_of_winners(first)) is None:
            continue
        lost = {row: one for row, tries in first.items() if (one := _refused(tries, accepted))}
        again = _played(subject, tool, {row: _others(subject, row, one.text) for row, one in lost.items()}, names)
        won = {row: one for row in lost if (one := _paid([*first[row], *again.get(row, ())], first))}
        if len(won) >= FEWEST_WRONG:
            yield _finding(tool, lost, won, len(first))
            return


def _tries(tool: Mapping[str, Any]) -> bool:
    """Whether a tool takes one text alone, and its name or description says that it tries it."""
    said = f"{name_of(tool).replace('_', ' ')} {tool['function'].get('description') or ''}"
    needed = required_of(tool)
    one = len(needed) == 1 and properties_of(tool).get(needed[0], {}).get("type") == "string"
    return one and bool(_TRIES.search(said))


def _candidates(subject: Subject, row: int, names: Sequence[str]) -> list[str]:
    """Nonsense, and gold's last text in several cases, or else patterns that match some of the names in a prompt."""
    gold = golds(subject).get(row)
    said = [gold.text, *_in_other_case(gold.text)] if gold and gold.text else []
    own = said or patterns_for(prompt_text(subject, row), names)
    return [NONSENSE, *own] if own else []


def _others(subject: Subject, row: int, text: str) -> list[str]:
    """The answers that may win where this one does not: gold, and the same in another case."""
    gold = golds(subject).get(row)
    return [*([gold.text] if gold and gold.text else []), *_in_other_case(text)]


def _in_other_case(text: str) -> list[str]:
    """The same answer in small letters, in capitals, and with these exchanged."""
    return [other for other in dict.fromkeys([text.lower(), text.upper(), text.swapcase()]) if other != text]


def _of_each_reply(
    subject: Subject, tool: Mapping[str, Any], answers: Mapping[int, Sequence[str]], names: Mapping[int, Sequence[str]]
) -> dict[int, list[str]]:
    """One answer of each row for each reply of the tool; nothing where no reply is usual that nonsense does not get."""
    asked: list[tuple[int, Completion]] = [(row, [_call(tool, texts), ""]) for row, texts in answers.items()]
    found: dict[int, dict[str, str]] = {}
    for episode in play_scored(subject, asked):
        row = episode.row_index
        for text, reply in zip(answers[row], _replies(episode, names[row]), strict=False):
            found.setdefault(row, {}).setdefault(reply, text)
    refusals = {reply for texts in found.values() for reply, text in texts.items() if text == NONSENSE}
    usual = Counter(reply for texts in found.values() for reply in texts if reply not in refusals)
    if not usual or max(usual.values()) < FEWEST_RIGHT:
        return {}
    return {row: list(texts.values())[:MOST_REPLIES] for row, texts in found.items()}


def _played(
    subject: Subject, tool: Mapping[str, Any], answers: Mapping[int, Sequence[str]], names: Mapping[int, Sequence[str]]
) -> dict[int, list[Try]]:
    """Each answer given to the tool, and then said."""
    tried: list[tuple[int, Completion]] = [
        (row, [_call(tool, [text]), text]) for row, texts in answers.items() for text in texts
    ]
    found: dict[int, list[Try]] = {}
    for episode in play_scored(subject, tried):
        for reply in _replies(episode, names[episode.row_index]):
            text = str(next(iter(episode.tool_calls[0]["arguments"].values())))
            found.setdefault(episode.row_index, []).append(Try(text, reply, episode))
    return found


def _call(tool: Mapping[str, Any], texts: Sequence[str]) -> Message:
    name, parameter = name_of(tool), required_of(tool)[0]
    return called_together(call_message(name, **{parameter: text}) for text in texts)


def _replies(episode: Episode, names: Sequence[str]) -> list[str]:
    """What the tool replied to each call, with the names of the row as their places."""
    return [
        f"error {call['error']}" if call["error"]
        else outcome(without_echo(str(call["content"]), call["arguments"]), names)
        for call in episode.tool_calls
    ]  # fmt: skip


def _best(tried: Mapping[int, Sequence[Try]]) -> float:
    return max((one.reward for tries in tried.values() for one in tries), default=0.0)


def _reply_of_winners(tried: Mapping[int, Sequence[Try]]) -> str | None:
    """The reply that most answers which win get, where nonsense gets it on no row."""
    best = _best(tried)
    won = Counter(one.reply for tries in tried.values() for one in tries if best > 0 and one.reward >= best - NEARLY)
    to_nonsense = {one.reply for tries in tried.values() for one in tries if one.text == NONSENSE}
    reply, times = won.most_common(1)[0] if won else ("", 0)
    return reply if times >= max(FEWEST_RIGHT, len(tried) / 3) and reply not in to_nonsense else None


def _refused(tries: Sequence[Try], accepted: str) -> Try | None:
    """An answer that the tool accepts, and that scores nothing."""
    return next((one for one in tries if one.reply == accepted and one.reward <= NEARLY), None)


def _paid(tries: Sequence[Try], tried: Mapping[int, Sequence[Try]]) -> Try | None:
    """An answer that wins though the tool says of it what it says of nonsense."""
    refusals = {one.reply for tries in tried.values() for one in tries if one.text == NONSENSE}
    best = _best(tried)
    return next((one for one in tries if one.reply in refusals and one.reward >= best - NEARLY), None)


def _finding(tool: Mapping[str, Any], lost: Mapping[int, Try], won: Mapping[int, Try], of: int) -> Finding:
    row = next(iter(won))
    refused, paid = lost[row], won[row]
    return Finding(
        f"{name_of(tool)} and the scorer disagree on {len(won)} of {of} rows: {quoted(refused.text)} gets the reply of "
        f"the answers that win on other rows, {quoted(refused.told, 80)}, and scores {refused.reward:g}, while "
        f"{quoted(paid.text)} gets that of nonsense, {quoted(paid.told, 80)}, and scores {paid.reward:g}.",
        "Let the tool and the scorer call one function, so that they agree on case, spaces and anchors.",
        row, own_turns(refused.episode.completion), refused.reward, paid.reward,
    )  # fmt: skip
