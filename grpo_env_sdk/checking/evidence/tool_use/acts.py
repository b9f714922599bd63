"""The acts of gold: its turns with one call each, played again in other ways, and what that scores."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, TypeVar

from grpo_env_sdk.checking.evidence.golds import (
    Gold,
    as_good_as_gold,
    gold_episodes,
    golds,
    less_than_gold,
    play_compared,
    play_scored,
    won_of,
)
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of
from grpo_env_sdk.checking.evidence.playing.turns import functions_of, own_turns
from grpo_env_sdk.checking.evidence.prompts.input_echo import without_echo
from grpo_env_sdk.checking.evidence.prompts.tool_names import only_looks
from grpo_env_sdk.checking.evidence.quoted_answers import reward_with_parts
from grpo_env_sdk.checking.evidence.secret_words import SAYS_WRONG, words_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.evaluation.stats import Share
from grpo_env_sdk.types import Episode, Message

MOST_ROWS = {"quick": 8, "default": 16, "thorough": 60}
FEWEST_ROWS, PAYS = 4, 0.5
"""The fewest rows, and the lower end of their share, from which on something is said to be as good as gold."""
Turns = list[Message]
K = TypeVar("K")
V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Act:
    """One call of gold: its tool and arguments, and the turns before its own."""

    gold: Gold
    name: str
    arguments: dict[str, Any]
    before: Turns

    def again(self, **changed: Any) -> Message:
        """The same call with other arguments."""
        return call_message(self.name, **{**deepcopy(self.arguments), **changed})

    def after_gold(self, **changed: Any) -> Turns:
        """Gold with the same call once more, with other arguments, before its last text."""
        turns = self.gold.turns
        last = [] if turns[-1].get("tool_calls") else turns[-1:]
        return [*turns[: len(turns) - len(last)], self.again(**changed), *last]

    def instead(self, **changed: Any) -> Turns:
        """Gold with other arguments in this call."""
        return [*self.before, self.again(**changed), *self.after]

    @property
    def after(self) -> Turns:
        """Gold's turns after the one with this call."""
        return self.gold.turns[len(self.before) + 1 :]

    @property
    def end(self) -> Turns:
        """The last text of gold, without which an episode may not end."""
        return [{"role": "assistant", "content": self.gold.text or "Done."}]


def some_golds(subject: Subject) -> list[Gold]:
    """Gold of a few rows."""
    return list(golds(subject).values())[: MOST_ROWS[subject.effort]]


def looking_tools(subject: Subject) -> set[str]:
    """The names of the tools that only look something up."""
    return {name_of(tool) for tool in subject.tools if only_looks(tool)}


def placed_calls(gold: Gold) -> Iterator[tuple[int, int, str, dict[str, Any]]]:
    """Each call of gold with an object as arguments: the number of its turn, its place there, its tool and these."""
    for number, turn in enumerate(gold.turns):
        for place, function in enumerate(functions_of([turn])):
            if isinstance(function["arguments"], dict):
                yield number, place, function["name"], function["arguments"]


def last_of_golds(subject: Subject, pairs: Callable[[Gold], Iterable[tuple[K, V]]]) -> dict[K, list[V]]:
    """By key, the last value that each of some golds has for it."""
    found: dict[K, list[V]] = {}
    for gold in some_golds(subject):
        for key, value in dict(pairs(gold)).items():
            found.setdefault(key, []).append(value)
    return found


def last_acts(subject: Subject) -> dict[str, list[Act]]:
    """The last call of each tool in each gold answer."""
    return last_of_golds(
        subject,
        lambda gold: ((name, Act(gold, name, given, gold.turns[:turn])) for turn, _, name, given in placed_calls(gold)),
    )


def acts_of(gold: Gold) -> list[Message]:
    """Every turn of gold, with one call each."""
    acts: list[Message] = []
    for turn in gold.turns:
        calls = turn.get("tool_calls") or []
        acts += [{**turn, "tool_calls": [call]} for call in calls] or [turn]
    return acts


_REFUSES = {"not", "no", "cannot", "can't", "isn't", "already", "nothing", "none"}
"""Words of a reply that refuses something, unless the tool replies to gold with them too."""


def called_together(calls: Iterable[Message]) -> Message:
    """One message with the calls of all of these."""
    return {"role": "assistant", "content": "", "tool_calls": [call for one in calls for call in one["tool_calls"]]}


def said_or_called(turn: Message) -> str | Message:
    """A turn as an act: the message with its calls, or its text alone."""
    return turn if turn.get("tool_calls") else str(turn.get("content") or "")


def carried_out(subject: Subject, call: Mapping[str, Any]) -> bool:
    """Whether a call got a reply in the words in which its tool replies to gold, and no refusal."""
    if call["error"] or SAYS_WRONG.search(without_echo(str(call["content"]), call["arguments"])):
        return False
    said = words_of(without_echo(str(call["content"]), call["arguments"]))
    usual = subject.once(("acts", "replies", call["name"]), lambda: _words_to_gold(subject, str(call["name"])))
    return not (said & _REFUSES) - usual and 2 * len(said & usual) >= len(said)


def carried_out_at(subject: Subject, episode: Episode, place: int) -> bool:
    """Whether an episode has so many calls before one that was carried out."""
    return place < len(episode.tool_calls) and carried_out(subject, episode.tool_calls[place])


def is_amount(value: Any) -> bool:
    """Whether a value may be how many or how much of something."""
    return type(value) in (int, float) and value > 0


def _words_to_gold(subject: Subject, name: str) -> set[str]:
    """The words in which a tool replies to gold."""
    calls = [call for gold in some_golds(subject) for call in gold_episodes(subject)[gold.row].tool_calls]
    return {word for call in calls if call["name"] == name for word in words_of(str(call["content"]))}


def played_acts(subject: Subject, pairs: Sequence[tuple[Act, Turns]]) -> list[Episode]:
    """The episodes of acts with other turns, without those that failed."""
    return play_scored(subject, [(act.gold.row, turns) for act, turns in pairs])


def compared_acts(subject: Subject, pairs: Sequence[tuple[Act, Turns]]) -> list[Episode]:
    """The same, to compare others with; raises where there is no time for all."""
    return play_compared(subject, [(act.gold.row, turns) for act, turns in pairs])


def played_turns(subject: Subject, tried: Mapping[int, Sequence[Message]]) -> list[Episode]:
    """The episodes of rows with these turns, without those that failed."""
    return play_scored(subject, [(row, list(turns)) for row, turns in tried.items() if turns])


def compared_turns(subject: Subject, tried: Mapping[int, Sequence[Message]]) -> list[Episode]:
    """The same, to compare others with; raises where there is no time for all."""
    return play_compared(subject, [(row, list(turns)) for row, turns in tried.items() if turns])


def seldom_won(subject: Subject, episodes: Sequence[Episode]) -> bool:
    """Whether at most a third of them score as much as gold."""
    return 3 * len(won_of(subject, episodes)) <= len(episodes)


def lost_without(subject: Subject, acts: Sequence[Act]) -> bool:
    """Whether gold without the turn of each act scores less on most rows."""
    return seldom_won(subject, compared_acts(subject, [(act, [*act.before, *act.after] or act.end) for act in acts]))


def cut_off(episode: Episode) -> bool:
    """Whether its turns or calls were used up, so that its last acts may not have been carried out."""
    return episode.stop_reason in ("max_turns", "max_tool_calls")


def as_good_on_most(subject: Subject, episodes: Sequence[Episode], of: int) -> bool:
    """Whether so many of these episodes, of so many played, score as much as gold that it is no chance."""
    won = len(won_of(subject, episodes))
    return won >= FEWEST_ROWS and Share(won, of).low >= PAYS


def are_most(subject: Subject, episodes: Sized, of: Sized) -> bool:
    """Whether these are more than half of all, on some rows or on all that there are."""
    return len(episodes) >= min(FEWEST_ROWS, len(subject.rows)) and 2 * len(episodes) > len(of)


def paid(
    subject: Subject, won: Sequence[Episode], of: int, what: str, hint: str, how: str = "scores as much as gold"
) -> Finding:
    """The finding that an act pays."""
    first = next((episode for episode in won if as_good_as_gold(subject, episode)), won[0])
    return Finding(
        f"{what} {how} on {Share(len(won), of)}: row {first.row_index} earns {first.reward:g}, and gold "
        f"{golds(subject)[first.row_index].reward:g}.",
        hint, first.row_index, own_turns(first.completion), reward_with_parts(first), less_than_gold(subject, first),
    )  # fmt: skip
