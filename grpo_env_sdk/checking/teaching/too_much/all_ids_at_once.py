"""Whether the same act for everything that a tool lists is paid, where the prompt forbids more and no gold is known."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import as_good_as_gold, less_than_gold, play_all, was_scored
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, properties_of, required_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.forbidden_more import forbids_more
from grpo_env_sdk.checking.evidence.prompts.json_data import read_json
from grpo_env_sdk.checking.evidence.prompts.tool_names import only_looks
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS, as_good_on_most, called_together
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.evaluation.stats import Share
from grpo_env_sdk.types import Episode, Message

MOST_ROWS, TASTED, FEWEST_IDS, MOST_IDS = 8, 2, 3, 16
_TYPES = {"integer": int, "string": str}


@dataclass(frozen=True, slots=True)
class _Act:
    """A tool that does something to things by their ids, one or a list of them, and the looks at all there are."""

    row: int
    name: str
    parameter: str
    in_list: bool
    ids: Sequence[Any]
    looks: Message

    def played(self, subject: Subject, *without: Any) -> Episode | None:
        """The episode of a look, this act for all ids but some, and another look; None where it was not scored."""
        ids = [one for one in self.ids if one not in without]
        calls = [call_message(self.name, **{self.parameter: one}) for one in ([ids] if self.in_list else ids)]
        (episode,) = play_all(subject, [(self.row, [self.looks, called_together(calls), self.looks, "Done."])])
        return episode if was_scored(episode) else None

    def seen(self, episode: Episode) -> list[str]:
        """What the looks show at the end."""
        return [str(call["content"]) for call in episode.tool_calls[-len(self.looks["tool_calls"]) :]]


@check("G684", kinds=("tools",), needs=("calls",), plays=20)
def acts_on_all_that_is_listed_are_not_paid(subject: Subject) -> Iterator[Finding]:
    """Without gold, the same act for all ids that a tool lists is not paid, where the prompt says to do no more."""
    if subject.gold_source is not None or not isfinite(subject.traits.reward_range[1]):
        return
    rows = [row for row in subject.sample(MOST_ROWS) if forbids_more(prompt_text(subject, row))]
    won: list[tuple[_Act, Any, Episode]] = []
    for some in (rows[:TASTED], rows[TASTED:]) if len(rows) >= FEWEST_ROWS else ():
        won += [found for row in some if (found := _paid_for_all(subject, row))]
        if not won:
            return
    episodes = [episode for _, _, episode in won]
    if as_good_on_most(subject, episodes, len(rows)):
        act, spare, first = won[0]
        yield Finding(
            f"A call of {act.name} with each {act.parameter!r} that is listed earns the top on "
            f"{Share(len(won), len(rows))}, although the prompt forbids more than it asks for: in row {act.row} "
            f"{spare!r} may be left out, and others may not.",
            "Compare what was changed with what was to be changed, as equal: who does it to everything has not chosen.",
            first.row_index, own_turns(first.completion), first.reward, less_than_gold(subject, first),
        )  # fmt: skip


def _paid_for_all(subject: Subject, row: int) -> tuple[_Act, Any, Episode] | None:
    """The first act that is paid for all ids, an id without which it is paid too, and its episode."""
    for act in _acts(subject, row):
        whole = act.played(subject)
        if whole is None or not as_good_as_gold(subject, whole):
            continue
        others = {one: episode for one in act.ids if (episode := act.played(subject, one))}
        needed = [one for one, episode in others.items() if not as_good_as_gold(subject, episode)]
        spare = [one for one in others if one not in needed and act.seen(others[one]) != act.seen(whole)]
        if needed and spare:
            return act, spare[0], whole
    return None


def _acts(subject: Subject, row: int) -> Iterator[_Act]:
    """The tools that take an id, or a list of ids, that a look without arguments shows."""
    tools = subject.tools_of(row)
    looks = [call_message(name_of(tool)) for tool in tools if only_looks(tool) and not required_of(tool)]
    if not looks:
        return
    (episode,) = play_all(subject, [(row, [called_together(looks), ""])])
    columns = [column for call in episode.tool_calls for column in _columns(read_json(str(call["content"])))]
    for tool in tools:
        needed = required_of(tool)
        schema = properties_of(tool)[needed[0]] if len(needed) == 1 and not only_looks(tool) else {}
        in_list = schema.get("type") == "array"
        kind = _TYPES.get(str(((schema.get("items") or {}) if in_list else schema).get("type")))
        for ids in (column for column in columns if {type(one) for one in column} == {kind}):
            yield _Act(row, name_of(tool), needed[0], in_list, ids, called_together(looks))


def _columns(reply: Any) -> Iterator[list[Any]]:
    """The texts and whole numbers that each of several objects of a reply has under one key, no two of them alike."""
    parts = [reply, *reply.values()] if isinstance(reply, dict) else [reply]
    for items in (part for part in parts if isinstance(part, list) and FEWEST_IDS <= len(part) <= MOST_IDS):
        for key in items[0] if all(isinstance(item, dict) for item in items) else ():
            column = [item.get(key) for item in items]
            if all(type(one) in (int, str) for one in column) and len(set(column)) == len(column):
                yield column
