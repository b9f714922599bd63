"""Whether an act of gold that is repeated pays again."""

from collections import Counter
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from itertools import islice
from statistics import fmean

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.others import others_from
from grpo_env_sdk.checking.evidence.golds import (
    NEARLY,
    Gold,
    as_good_as_gold,
    gold_episodes,
    golds,
    play_answers,
    play_scored,
    reward_of,
)
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import (
    FEWEST_ROWS,
    PAYS,
    Turns,
    acts_of,
    as_good_on_most,
    looking_tools,
    paid,
    some_golds,
)
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.findings.transcript_text import turns_text
from grpo_env_sdk.data.messages import assistant_message, call_message
from grpo_env_sdk.types import Episode, Message

MOST_PLACES, OTHERS, TIMES, MOST_TURNS, FIRST, MOST_LETTERS = 3, 3, 3, 60, 4, 20
"""Places of gold where acts are repeated, rows whose calls are added, how often, how long, and on how many at first."""
MUCH, MOST = 0.4, 0.7
"""The shares of gold from which steps that never end are a warning, and an error."""


@dataclass(frozen=True, slots=True)
class Repetition:
    """An act of gold that is repeated, what is done once instead, and gold with its other acts idle."""

    row: int
    turns: Turns
    once: Turns
    idle: Turns | None = None


@check("G521", kinds=("tools", "multi-turn"), needs=("acts",), share=2)
def repeating_one_act_is_not_gold(subject: Subject) -> Iterator[Finding]:
    """One act of gold repeated scores less than all of gold; with repeated acts, or those of other rows, no more."""
    known = [gold for gold in some_golds(subject) if len({_shown(act) for act in acts_of(gold)}) > 1]
    only = {gold.row: _repetitions(subject, gold) for gold in known}
    if any(_farmed(subject, list(only.values())[:FIRST])):
        yield from _farmed(subject, list(only.values()))
    yield from islice(_without_the_end(subject, known), 1)
    for what, hint in _MORE.items():
        if _above_gold(subject, known[:FIRST], what, hint) and (found := _above_gold(subject, known, what, hint)):
            yield found
            return


_ONE, _SEVERAL = "Gold with one of its acts repeated", "Gold with several of its acts repeated in turn"
_OF_OTHERS = "Gold followed by the calls of other rows' gold"
_MORE = {
    _ONE: "Pay for each step once.",
    _SEVERAL: "Pay for each step once, and score what was reached at the end.",
    _OF_OTHERS: "Pay only for what the row asks for, and not for work that belongs to other rows.",
}
"""What is added to gold, and what to do where it pays."""


def _above_gold(subject: Subject, known: Sequence[Gold], what: str, hint: str) -> Finding | None:
    """The finding that gold with more acts scores more than gold."""
    pairs = [(gold.row, turns) for gold in known for turns in _with_more(gold, known, what, subject.traits.max_turns)]
    episodes = play_answers(subject, pairs)
    of_gold = {row: gold.reward for row, gold in golds(subject).items()}
    above = [one for one in episodes if one.reward is not None and one.reward > of_gold[one.row_index] + NEARLY]
    rows, of = {one.row_index for one in above}, {one.row_index for one in episodes}
    if not above or len(rows) < max(min(FEWEST_ROWS, len(known)), PAYS * len(of)):
        return None
    top = subject.traits.reward_range[1]
    over = max(reward_of(one) for one in above) > top + NEARLY
    how = "scores more than gold" + (f", and more than the declared {top:g}," if over else "")
    return paid(subject, above, len(episodes), what, hint, how)


def _with_more(gold: Gold, known: Sequence[Gold], what: str, most: int) -> Iterator[Turns]:
    """Gold with more acts of this kind, where they fit into an episode."""
    acts = acts_of(gold)
    if what == _OF_OTHERS:
        others = [one for other in others_from(known, known.index(gold))[:OTHERS] for one in acts_of(other)]
        own = {_shown(act) for act in acts}
        more = [act for act in others if act.get("tool_calls") and _shown(act) not in own]
        found = [[*acts[:-1], *_together(more), acts[-1]]] if more else []
    elif what == _ONE:
        found = [[*acts[:at], *_together([act] * TIMES), *acts[at + 1 :]] for at, act in enumerate(acts[:MOST_PLACES])]
    else:
        parts = [(at, at + 2) for at in range(min(len(acts) - 2, MOST_PLACES))] + [(0, len(acts) - 1)]
        found = [
            [*acts[:start], *_together(acts[start:end] * TIMES), *acts[end:]]
            for start, end in dict.fromkeys(parts)
            if end - start > 1
        ]
    yield from (turns for turns in found if len(turns) <= most)


def _together(acts: Sequence[Message]) -> Turns:
    """Acts one after another: calls in one message, and texts in turns of their own."""
    if acts and all(act.get("tool_calls") for act in acts):
        return [{**acts[0], "tool_calls": deepcopy([call for act in acts for call in act["tool_calls"]])}]
    return deepcopy(list(acts))


def _repetitions(subject: Subject, gold: Gold) -> list[Repetition]:
    """Each act of gold so often that it is enough for all, and each in place of all calls of its tool."""
    acts = acts_of(gold)
    times, most = Counter(map(_shown, acts)), min(subject.traits.max_turns, 20)
    again = {_tool_of(act) for act in acts if times[_shown(act)] > 1} - {""}  # as in haggling, where each call counts
    once_done = {_shown(one): one for one in acts if times[_shown(one)] == 1 and _tool_of(one) not in again}
    found = []
    for act in once_done.values():  # gold may repeat one itself
        idle = None if "tool_calls" in act else _with_others_idle(gold, act)
        found.append(Repetition(gold.row, _repeated(act, max(most, 2 * len(acts))), [act], idle))
        if letters := _in_other_letters(act):
            found.append(Repetition(gold.row, letters[:most], [act], idle))
    looking = looking_tools(subject)
    for name in dict.fromkeys(_tool_of(act) for act in acts):
        of_tool = [act for act in acts if _tool_of(act) == name]
        if name and name not in looking | again and len({_shown(act) for act in of_tool}) > 1:
            first = of_tool[0]
            often = [first if _tool_of(act) == name else act for act in acts]
            once = [act for act in acts if act is first or _tool_of(act) != name]
            found.append(Repetition(gold.row, deepcopy(often), once))
    return found


def _farmed(subject: Subject, only: Sequence[Sequence[Repetition]]) -> Iterator[Finding]:
    """An act that is gold once it is repeated, and is not when it is done once."""
    repeated: list[Episode] = []
    rows = 0
    for of_row in filter(None, only):
        won = _only_repeated(subject, of_row)
        if won is None:
            break
        rows += 1
        repeated += won[:1]
    if as_good_on_most(subject, repeated, rows):
        yield paid(
            subject,
            repeated,
            rows,
            "One act of gold, repeated,",
            "Pay for each different step once, and score what was reached at the end.",
        )


def _only_repeated(subject: Subject, tried: Sequence[Repetition]) -> list[Episode] | None:
    """The episodes of a row that are gold where no other of their acts is; None where the time ran out before."""
    episodes = play_answers(subject, [(one.row, one.turns) for one in tried])
    won = [(one, episode) for one, episode in zip(tried, episodes, strict=False) if as_good_as_gold(subject, episode)]
    plain = [(one.row, turns) for one, _ in won for turns in (one.once, one.idle) if turns is not None]
    usual = play_answers(subject, plain) if plain else []
    if len(episodes) < len(tried) or len(usual) < len(plain):
        return None
    return [] if any(as_good_as_gold(subject, episode) for episode in usual) else [episode for _, episode in won]


def _tool_of(act: Message) -> str:
    calls = act.get("tool_calls") or ()
    return str(calls[0]["function"]["name"]) if calls else ""


def _without_the_end(subject: Subject, known: Sequence[Gold]) -> Iterator[Finding]:
    """The findings that steps of gold by turns, without its last one, earn more than all steps of gold before it."""
    most = min(subject.traits.max_turns, MOST_TURNS)
    steps = {row: one.step_rewards for row, one in gold_episodes(subject).items()}
    paying = [gold for gold in known if len(gold.turns) > 2 and sum(steps[gold.row][:-1]) > NEARLY]
    for start in range(MOST_PLACES if len(paying) >= FEWEST_ROWS else 0):
        tried = [
            (gold.row, deepcopy((gold.turns[start : start + 2] * most)[:most]))
            for gold in paying
            if start + 2 < len(gold.turns)
        ]
        played = play_scored(subject, tried)
        more = [one for one in played if reward_of(one) > sum(steps[one.row_index][:-1]) + NEARLY]
        parts = [reward_of(one) / golds(subject)[one.row_index].reward for one in more]
        if len(more) >= max(FEWEST_ROWS, PAYS * len(tried)) and fmean(parts) >= MUCH:
            what = "Two acts of gold by turns, and never its last one,"
            how = f"earns {fmean(parts):.0%} of gold, and more than the steps of gold before its last,"
            hint = "Pay for each step once, and less for all steps together than for reaching the goal."
            finding = paid(subject, more, len(played), what, hint, how)
            yield replace(finding, severity="error" if fmean(parts) >= MOST else "warning")


def _with_others_idle(gold: Gold, act: Message) -> Turns:
    """Gold with words that say nothing in place of all acts but one: where that is gold too, none pays again."""
    return [one if one is act else assistant_message("...") for one in acts_of(gold)]


def _repeated(act: Message, times: int) -> Turns:
    """An act so many times: calls in one message, and texts in turns of their own."""
    acts = _together([act] * times)
    return [*acts, assistant_message("Done.")] if act.get("tool_calls") else acts


def _in_other_letters(act: Message) -> Turns:
    """A word in several spellings, each in a turn of its own, or a call with them as its only text; else none."""
    if calls := act.get("tool_calls"):
        given = calls[0]["function"]["arguments"]
        texts = [name for name, value in given.items() if isinstance(value, str)] if isinstance(given, dict) else []
        spelled = _spellings(given[texts[0]]) if len(texts) == 1 else []
        again = [call_message(calls[0]["function"]["name"], **{**given, texts[0]: text}) for text in spelled]
        return [*_together(again), assistant_message("Done.")] if again else []
    word = str(act.get("content") or "")
    if not 1 < len(word) <= MOST_LETTERS or not word.replace(" ", "").isalpha():
        return []
    mixed = (
        "".join(one.upper() if at == large else one.lower() for at, one in enumerate(word))
        for large in range(len(word))
    )
    return [assistant_message(text) for text in dict.fromkeys((word, word.lower(), word.upper(), word.title(), *mixed))]


def _spellings(value: str) -> list[str]:
    """A short value, such as an id, as people may write it: in other letters, and with a space before or behind it."""
    if not 0 < len(value) <= MOST_LETTERS or not any(map(str.isalnum, value)):
        return []
    found = (value, value.lower(), value.upper(), value.title(), f" {value}", f"{value} ", f"  {value}", f"{value}  ")
    return list(dict.fromkeys(found))


def _shown(act: Message) -> str:
    return turns_text([act])
