"""Whether a reward for few calls notices redundant calls."""

import inspect
from collections.abc import Iterator, Sequence
from copy import deepcopy

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import gold_episodes, golds, play_answers
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.lazy_answers.parts import counted_rewards
from grpo_env_sdk.isolation.author_code.code_names import codes_of
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.rewards.reward import Reward
from grpo_env_sdk.types import Episode, Message

MOST_ROWS = {"quick": 12, "default": 24, "thorough": 100}
FEWEST = 3
REDUNDANT = 6
"""How often a call of gold is repeated; a budget may allow a few."""
_IN_ITS_NAME = regex(r"efficien|few|needless|redundan")
_OF_CALLS_OR_THINGS = regex(r"econom|frugal|wast")
_CALLS = regex(r"call|turn|step|messages|episode")
_IN_ITS_DOCSTRING = regex(r"\b(few|fewer|fewest|needless|redundant|extra|unneeded) (\w+ )?(calls|steps|turns)\b")
Pair = tuple[Episode, Episode]


@check("G513", needs=("calls", "acts"), severity="warning")
def redundant_calls_cost_something(subject: Subject) -> Iterator[Finding]:
    """A reward for few calls is lower if calls are repeated with the same result."""
    about_effort = [item for item in counted_rewards(subject) if _is_about_effort(item)]
    pairs = _pairs(subject) if about_effort else []
    for item in about_effort:
        known = [
            pair for pair in pairs if pair[0].rewards.get(item.name) is not None and _is_meant(subject, item, pair[0])
        ]
        pairs_alike = [(gold, more) for gold, more in known if _others(item, gold) == _others(item, more)]
        if len(pairs_alike) >= FEWEST and all(gold.rewards == more.rewards for gold, more in pairs_alike):
            gold, more = pairs_alike[0]
            value = gold.rewards[item.name]
            yield Finding(
                f"The reward {item.name!r} is {value:g} for gold, and also for gold with {REDUNDANT} redundant calls, "
                f"on {len(pairs_alike)} rows.",
                "Lower it with each redundant call, or remove it: it gives no learning signal.",
                gold.row_index, own_turns(more.completion), value, f"less than {value:g}",
            )  # fmt: skip


def with_redundant_calls(turns: Sequence[Message]) -> list[Message]:
    """The turns, with the first call repeated several times in the same message."""
    more = deepcopy(list(turns))
    first = next(turn for turn in more if turn.get("tool_calls"))
    again = [{key: value for key, value in first["tool_calls"][0].items() if key != "id"} for _ in range(REDUNDANT)]
    first["tool_calls"] = [first["tool_calls"][0], *deepcopy(again), *first["tool_calls"][1:]]
    return more


def _pairs(subject: Subject) -> list[Pair]:
    """Gold, and gold with redundant calls, if each of them had the same result as the first."""
    working = [gold_episodes(subject)[row] for row in golds(subject) if gold_episodes(subject)[row].tool_calls]
    working = working[: MOST_ROWS[subject.effort]]
    answers = [(gold.row_index, with_redundant_calls(own_turns(gold.completion))) for gold in working]
    pairs = zip(working, play_answers(subject, answers), strict=False)
    return [(gold, more) for gold, more in pairs if not more.error and _same_results(more)]


def _same_results(more: Episode) -> bool:
    return len({call["content"] for call in more.tool_calls[: REDUNDANT + 1]}) == 1


def _is_meant(subject: Subject, item: Reward, gold: Episode) -> bool:
    """Whether calls of gold's first tool are what a reward is about, where its name has that of a tool in it."""
    named = {name_of(tool) for tool in subject.tools if name_of(tool).casefold() in item.name.casefold()}
    return not named or gold.tool_calls[0]["name"] in named


def _is_about_effort(item: Reward) -> bool:
    name, docstring = item.name.casefold(), (inspect.getdoc(item.function) or "").casefold()
    named = _IN_ITS_NAME.search(name) or (_OF_CALLS_OR_THINGS.search(name) and _reads_calls(item))
    return bool(named or _IN_ITS_DOCSTRING.search(docstring))


def _reads_calls(item: Reward) -> bool:
    """Whether the code of a reward names calls or turns: it may save things instead, such as money or food."""
    names = (name for code in codes_of(item.function) for name in (*code.co_names, *code.co_varnames))
    return any(map(_CALLS.search, names))


def _others(item: Reward, episode: Episode) -> dict[str, float | None]:
    """The other rewards; if they change, the repeated call had an effect."""
    return {name: value for name, value in episode.rewards.items() if name != item.name}
