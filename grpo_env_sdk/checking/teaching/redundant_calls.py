"""Whether a reward for doing it in few calls notices calls that are not needed."""

import inspect
import re
from collections.abc import Iterator, Sequence
from copy import deepcopy

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import gold_episodes, golds, own_turns, tried
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.parts import counted_rewards
from grpo_env_sdk.rewards.reward import Reward
from grpo_env_sdk.types import Episode, Message

MOST_ROWS = {"quick": 12, "default": 24, "thorough": 100}
FEWEST = 3
NEEDLESS = 6
"""How often a call of gold is made once more; a budget may have room for some."""
_IN_ITS_NAME = re.compile(r"efficien|econom|frugal|few|needless|redundan|wast")
_IN_ITS_DOCSTRING = re.compile(r"\b(few|fewer|fewest|needless|redundant|extra|unneeded) (\w+ )?(calls|steps|turns)\b")
Pair = tuple[Episode, Episode]


@check("G513", kinds=("tools",), needs=("gold",), severity="warning")
def needless_calls_cost_something(subject: Subject) -> Iterator[Finding]:
    """A reward for few calls is less when calls are made again that told everything the first time."""
    about_effort = [item for item in counted_rewards(subject) if _is_about_effort(item)]
    pairs = _wasteful(subject) if about_effort else []
    for item in about_effort:
        known = [pair for pair in pairs if pair[0].rewards.get(item.name) is not None]
        told = [(gold, more) for gold, more in known if _others(item, gold) == _others(item, more)]
        if len(told) >= FEWEST and all(gold.rewards == more.rewards for gold, more in told):
            gold, more = told[0]
            value = gold.rewards[item.name]
            yield Finding(
                f"The reward {item.name!r} is {value:g} for gold, and for gold with {NEEDLESS} needless calls: "
                f"they changed nothing on {len(told)} rows.",
                "Let it fall with each call too many, or leave it out: nothing can be learnt of it.",
                gold.row_index, own_turns(more.completion), value, f"less than {value:g}",
            )  # fmt: skip


def with_needless_calls(turns: Sequence[Message]) -> list[Message]:
    """The turns, the first call of which is made some more times in the same message."""
    more = deepcopy(list(turns))
    first = next(turn for turn in more if turn.get("tool_calls"))
    again = [{key: value for key, value in first["tool_calls"][0].items() if key != "id"} for _ in range(NEEDLESS)]
    first["tool_calls"] = [first["tool_calls"][0], *deepcopy(again), *first["tool_calls"][1:]]
    return more


def _wasteful(subject: Subject) -> list[Pair]:
    """Gold, and gold with needless calls, where each of them was answered as it was the first time."""
    working = [gold_episodes(subject)[row] for row in golds(subject) if gold_episodes(subject)[row].tool_calls]
    working = working[: MOST_ROWS[subject.effort]]
    said = [(gold.row_index, with_needless_calls(own_turns(gold.completion))) for gold in working]
    pairs = zip(working, tried(subject, said), strict=False)
    return [(gold, more) for gold, more in pairs if not more.error and _answered_alike(more)]


def _answered_alike(more: Episode) -> bool:
    return len({call["content"] for call in more.tool_calls[: NEEDLESS + 1]}) == 1


def _is_about_effort(item: Reward) -> bool:
    docstring = inspect.getdoc(item.function) or ""
    return bool(_IN_ITS_NAME.search(item.name.casefold()) or _IN_ITS_DOCSTRING.search(docstring.casefold()))


def _others(item: Reward, episode: Episode) -> dict[str, float | None]:
    """What the other rewards are, without which a call that was made again did more than nothing."""
    return {name: value for name, value in episode.rewards.items() if name != item.name}
