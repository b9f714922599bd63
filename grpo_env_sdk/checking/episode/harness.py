"""Whether what harnesses do differently matters: the last turn, and one more look-up on the way."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.episode.promised_tries import last_try_lost
from grpo_env_sdk.checking.evidence.golds import (
    Gold,
    as_good_as_gold,
    gold_episodes,
    golds,
    play_answers,
    scored_by_row,
    scores_nothing,
)
from grpo_env_sdk.checking.evidence.playing.failures import FailedHereError
from grpo_env_sdk.checking.evidence.playing.state_key import UNKNOWN
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, required_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.input_echo import without_echo
from grpo_env_sdk.checking.evidence.prompts.tool_names import CHANGES, may_only_look, only_looks
from grpo_env_sdk.checking.evidence.shown_texts import prompt_and_tools
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS, acts_of, are_most, some_golds
from grpo_env_sdk.checking.evidence.tool_use.calls import call_of_columns, drawn_call
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.searching.position import opening
from grpo_env_sdk.checking.searching.rows import steppable
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, Message

MOST_TURNS, MOST_ROWS = 40, 8
_SAID = regex(
    r"\b(?:exactly|only) (?:once|one|1)\b|\bonce\b|\bno more than\b|\bat most\b|\bfewest\b|\bas few\b|\bneedless|"
    r"\bunnecessar|\bno (?:extra|further)\b|\b(?:not|n't|never) repeat|\b(?:last|final) (?:call|act)|"
    r"\b(?:end|finish) (?:by \w+ing|with an? \w* ?(?:call|act))\b",
    re.IGNORECASE,
)
_OF_LOOKS = regex(
    r"\b(?:calls?|tools?|look\w*|search\w*|read\w*|quer(?:y|ies)|questions?|ask\w*|check\w*|steps?|turns?|requests?|"
    r"actions?|acts?|messages?|end|finish)\b",
    re.IGNORECASE,
)
_OF_ACTS = regex(r"\b(?:jobs?|tasks?|each|every|do|does|doing|done|things?)\b", re.IGNORECASE)
"""Words of a prompt or a schema that say how often one may call a tool or with which call to end, and of what such a
sentence speaks: of looks, or of acts."""
IDLE = {"role": "assistant", "content": "Let me think."}


@check("E330", kinds=("tools", "multi-turn"), needs=("acts",))
def the_last_turn_counts(subject: Subject) -> Iterator[Finding]:
    """Gold in the last turn that is allowed, or the last try that is promised, scores as much as one turn earlier."""
    most = subject.traits.max_turns
    known = [gold for gold in some_golds(subject) if len(gold.turns) <= most - 2] if most <= MOST_TURNS else []
    early, late = (
        scored_by_row(play_answers(subject, [(gold.row, _delayed(gold, end)) for gold in known]))
        for end in (most - 1, most)
    )
    lost = [
        row
        for row in late
        if row in early and as_good_as_gold(subject, early[row]) and scores_nothing(subject, late[row])
    ]
    if are_most(subject, lost, late):
        episode = late[lost[0]]
        yield Finding(
            f"Gold that ends in turn {most}, the last that is allowed, scores {episode.reward:g}, and one turn earlier "
            f"{early[lost[0]].reward:g}, on {len(lost)} of {len(late)} rows.",
            "Score the last turn before the episode is cut off: count a turn after it was taken, and not before.",
            lost[0], own_turns(episode.completion), episode.reward, early[lost[0]].reward,
        )  # fmt: skip
        return
    yield from last_try_lost(subject)


@check("E331", kinds=("tools",), needs=("calls", "acts"))
def one_more_look_is_no_failure(subject: Subject) -> Iterator[Finding]:
    """Gold with one call made twice, or with one more look before it, does not lose everything."""
    answers = [(gold.row, turns) for gold in some_golds(subject) if (turns := _looked_twice(gold))]
    twice = scored_by_row(play_answers(subject, answers))
    alike = {row: episode for row, episode in twice.items() if _same_result(subject, episode)}
    if _looks_up(alike.values()) and (
        found := _lost_path(
            subject, alike, "its first call made twice, with the same result,", _maybe_acts(subject, alike)
        )
    ):
        yield found
        return
    for tool in _other_looks(subject):
        name = name_of(tool)
        for where, added in _LOOKING.items():
            looked = [(gold.row, added(_look(subject, tool, gold), gold.turns)) for gold in some_golds(subject)]
            more = {
                row: episode
                for row, episode in scored_by_row(play_answers(subject, looked)).items()
                if _only_looked(subject, episode, where)
            }
            if found := _lost_path(subject, more, f"a call of {name} {where} it, which changes no result,"):
                yield found
                return


def _lost_path(subject: Subject, played: dict[int, Episode], how: str, acts: Collection[str] = ()) -> Finding | None:
    """The finding that gold with something needless scores nothing on all rows.

    Args:
        acts: The names of the tools that are called once more and do not say that they only look.
    """
    whole = {row: episode for row, episode in played.items() if episode.stop_reason != "max_turns"}
    lost = [row for row, episode in whole.items() if scores_nothing(subject, episode)]
    if len(lost) < FEWEST_ROWS or len(lost) < len(whole):
        return None
    episode, reward = played[lost[0]], golds(subject)[lost[0]].reward
    return Finding(
        f"Gold with {how} scores {episode.reward:g} instead of {reward:g}, on {len(lost)} rows: the score compares "
        "the calls with one path.",
        "Score what was reached; let a needless call cost a little, if it should cost something.",
        lost[0], own_turns(episode.completion), episode.reward, reward,
        severity="info" if _limits(prompt_and_tools(subject, lost[0]), acts) else None,
    )  # fmt: skip


def _limits(text: str, acts: Collection[str]) -> bool:
    """Whether a sentence says how often one may look, or act. A limit on actions is no limit on look-ups."""
    of_acts = (_OF_ACTS, *(regex(rf"\b{re.escape(name)}\b", re.IGNORECASE) for name in acts)) if acts else ()
    sentences = re.split(r"[.;\n]|\\n", text)
    return any(_SAID.search(one) and any(kind.search(one) for kind in (_OF_LOOKS, *of_acts)) for one in sentences)


def _maybe_acts(subject: Subject, episodes: Mapping[int, Episode]) -> set[str]:
    """The names of the tools of the first calls that do not say that they only look."""
    firsts = {episode.tool_calls[0]["name"] for episode in episodes.values()}
    return firsts - {name_of(tool) for tool in subject.tools if only_looks(tool)}


def _delayed(gold: Gold, turns: int) -> list[Message]:
    """Gold with idle turns before its last one, so that it ends in this turn: its first call again, or idle words."""
    calls = [act for act in acts_of(gold) if act.get("tool_calls")]
    idle = calls[0] if calls else IDLE
    more = [deepcopy(idle) for _ in range(turns - len(gold.turns))]
    return [*gold.turns[:-1], *more, gold.turns[-1]]


def _looked_twice(gold: Gold) -> list[Message]:
    """Gold with its first call twice, in turns of their own; empty without a call."""
    first = next((place for place, turn in enumerate(gold.turns) if turn.get("tool_calls")), None)
    return [] if first is None else [*gold.turns[: first + 1], deepcopy(gold.turns[first]), *gold.turns[first + 1 :]]


def _same_result(subject: Subject, episode: Episode) -> bool:
    """Whether the calls have the same results as gold's, apart from the first ones, which are there twice."""
    before = [call["content"] for call in gold_episodes(subject)[episode.row_index].tool_calls]
    now = [call["content"] for call in episode.tool_calls]
    more = len(now) - len(before)
    return more > 0 and now[more:] == before and now[:more] == before[:more]


def _other_looks(subject: Subject) -> Iterator[dict[str, Any]]:
    """The tools that only look, by their words or by what they do, and are not what gold begins with."""
    first = {
        call["function"]["name"]
        for gold in some_golds(subject)
        for turn in gold.turns[:1]
        for call in turn.get("tool_calls") or ()
    }
    others = [tool for tool in subject.tools if name_of(tool) not in first]
    yield from filter(only_looks, others)
    unsaid = [tool for tool in others if may_only_look(tool) and not only_looks(tool)]
    if unsaid and steppable(subject):
        yield from (tool for tool in unsaid if _shows_state(subject, tool))


def _shows_state(subject: Subject, tool: dict[str, Any]) -> bool:
    """Whether a call changes nothing that the instance holds, and replies after gold otherwise than before it."""

    def shows(env: Any, gold: Gold) -> bool:
        look = _look(subject, tool, gold)
        position = opening(env, subject.row(gold.row))
        replies = [position.after(look).texts]
        for turn in (*(turn for turn in gold.turns if turn.get("tool_calls")), look):
            before, position = position, position.after(turn)
        same = position.held == before.held and UNKNOWN not in position.held.values()
        return same and replies != [position.texts]

    try:
        for gold in some_golds(subject)[:FEWEST_ROWS]:
            with subject.instance(gold.row) as env:
                if not subject.call("a look", shows, env, gold, row=gold.row):
                    return False
    except FailedHereError:
        return False  # nothing can be compared, or the author's code fails, which other checks report
    return True


def _look(subject: Subject, tool: dict[str, Any], gold: Gold) -> Message:
    """A call that looks something up, with the values that gold gives parameters of the same name."""
    if not required_of(tool):
        return call_message(name_of(tool))
    (call,) = (call_of_columns(subject, tool, gold.row) or drawn_call(subject, tool, gold.row))["tool_calls"]
    had = {name: value for _, given in gold.calls for name, value in given.items()}
    arguments = call["function"]["arguments"]
    return call_message(name_of(tool), **{name: had.get(name, value) for name, value in arguments.items()})


def _only_looked(subject: Subject, episode: Episode, where: str) -> bool:
    """Whether the look worked, and all other calls have the results that they have in gold."""
    before = [call["content"] for call in gold_episodes(subject)[episode.row_index].tool_calls]
    calls = list(episode.tool_calls)
    look = calls.pop(-1 if where == "after" else 0) if calls else None
    return look is not None and not look["error"] and [call["content"] for call in calls] == before


def _after(look: Message, turns: Sequence[Message]) -> list[Message]:
    """Gold with a look before its last words."""
    place = len(turns) if turns[-1].get("tool_calls") else len(turns) - 1
    return [*turns[:place], look, *turns[place:]]


def _beside(look: Message, turns: Sequence[Message]) -> list[Message]:
    """Gold with a look in the message of its first call, before that call."""
    first = next((place for place, turn in enumerate(turns) if turn.get("tool_calls")), None)
    if first is None:
        return [look, *turns]
    together = {**turns[first], "tool_calls": [*look["tool_calls"], *_renamed(turns[first]["tool_calls"])]}
    return [*turns[:first], together, *turns[first + 1 :]]


def _renamed(calls: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**call, "id": f"own_{place}"} for place, call in enumerate(calls)]


_LOOKING = {"before": lambda look, turns: [look, *turns], "in one message with": _beside, "after": _after}
"""Where a look is added to gold."""


def _looks_up(episodes: Iterable[Episode]) -> bool:
    """Whether the first calls of some tool answer more than "done", and none says that it changes something."""
    firsts = [episode.tool_calls[0] for episode in episodes]
    if any(CHANGES.match(str(call["name"])) for call in firsts):
        return False
    replies = {(call["name"], without_echo(call["content"], call["arguments"])) for call in firsts}
    return len(replies) > len({name for name, _ in replies})
