"""Whether an act of gold that is repeated pays again."""

from collections.abc import Iterator, Sequence
from copy import deepcopy

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.acts import FEWEST_ROWS, PAYS, Turns, acts_of, as_good_on_most, paid, some_golds
from grpo_env_sdk.checking.evidence.golds import NEARLY, Gold, as_good_as_gold, golds, play_answers
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.findings.transcript_text import turns_text
from grpo_env_sdk.types import Message

MOST_PLACES = 3


@check("G521", kinds=("tools", "multi-turn"), needs=("gold",), share=2)
def repeating_one_act_is_not_gold(subject: Subject) -> Iterator[Finding]:
    """One act of gold repeated scores less than all of gold, and gold with repeated acts no more than gold."""
    known = [gold for gold in some_golds(subject) if len({_shown(act) for act in acts_of(gold)}) > 1]
    most = min(subject.traits.max_turns, 20)
    only: list[tuple[Gold, Turns, Turns]] = []
    more: list[tuple[Gold, Turns]] = []
    for gold in known:
        acts = acts_of(gold)
        for act in {_shown(one): one for one in acts}.values():
            only.append((gold, _repeated(act, max(most, 2 * len(acts))), [act]))
        for place in range(min(len(acts), MOST_PLACES)):
            more.append((gold, _with_more(acts, place)))
    yield from _farmed(subject, only)
    episodes = play_answers(subject, [(gold.row, turns) for gold, turns in more])
    of_gold = {row: gold.reward for row, gold in golds(subject).items()}
    above = [one for one in episodes if one.reward is not None and one.reward > of_gold[one.row_index] + NEARLY]
    rows, of = {one.row_index for one in above}, {one.row_index for one in episodes}
    if above and len(rows) >= max(min(FEWEST_ROWS, len(known)), PAYS * len(of)):
        what = "Gold with one of its acts repeated"
        yield paid(subject, above, len(episodes), what, "Pay for each step once.", "scores more than gold")


def _farmed(subject: Subject, only: Sequence[tuple[Gold, Turns, Turns]]) -> Iterator[Finding]:
    """An act that is gold once it is repeated, and is not when it is done once."""
    episodes = play_answers(subject, [(gold.row, turns) for gold, turns, _ in only])
    won = {one.row_index: one for one in episodes if as_good_as_gold(subject, one)}
    once = [(gold.row, turns) for gold, _, turns in only if gold.row in won]
    alone = {one.row_index for one in play_answers(subject, once) if as_good_as_gold(subject, one)}
    repeated = [episode for row, episode in won.items() if row not in alone]
    rows = len({gold.row for gold, *_ in only})
    if as_good_on_most(subject, repeated, rows):
        yield paid(
            subject,
            repeated,
            rows,
            "One act of gold, repeated,",
            "Pay for each different step once, and score what was reached at the end.",
        )


def _repeated(act: Message, times: int) -> Turns:
    """An act so many times: calls in one message, and texts in turns of their own."""
    if calls := act.get("tool_calls"):
        return [{**act, "tool_calls": deepcopy(calls * times)}, {"role": "assistant", "content": "Done."}]
    return [deepcopy(act) for _ in range(times)]


def _with_more(acts: Sequence[Message], place: int) -> Turns:
    """All acts, with one of them three times."""
    act = acts[place]
    if calls := act.get("tool_calls"):
        return [*acts[:place], {**act, "tool_calls": deepcopy(calls * 3)}, *acts[place + 1 :]]
    return [*acts[:place], act, act, *acts[place:]]


def _shown(act: Message) -> str:
    return turns_text([act])
