"""Doing nothing, refusing and acting at random are not worth what gold is worth."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import as_good_as_gold, bar, golds, rows_tried, says_gold, seen, tried
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.findings.finding import Finding, Item
from grpo_env_sdk.evaluation.stats import Share
from grpo_env_sdk.types import Episode

EMPTY = {"An empty answer": "", "An answer of one space": " "}
FILLING = {
    "A full stop": ".",
    "'Okay.'": "Okay.",
    "A text without meaning": "lorem ipsum dolor sit amet",
    "A long text without meaning": "lorem ipsum dolor sit amet " * 60,
}
REFUSING = {
    "A refusal": "I'm sorry, but I can't help with that.",
    "'I don't know.'": "I don't know.",
}
ON_MANY = ("An empty answer", "A text without meaning")
FEW_ROWS = {"quick": 10, "default": 30, "thorough": 200}
FEWEST_ROWS = 3
MOSTLY, OFTEN, NOT_RARELY = 0.75, 0.6, 0.1
"""From which lower end of the interval on a share is proven to be most rows, and is worth a warning."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one idle answer came to: the episodes in which gold is another answer, and those it wins."""

    name: str
    said: Completion
    rows: int
    episodes: list[Episode]
    won: list[Episode]

    @property
    def share(self) -> Share:
        """On how many of the rows it is as good as gold."""
        return Share(len(self.won), len(self.episodes))

    @property
    def proven(self) -> bool:
        """Whether it is as good as gold on all rows, or surely on most."""
        on_all = len(self.won) == len(self.episodes) >= min(FEWEST_ROWS, self.rows)
        return bool(self.won) and (on_all or self.share.low >= MOSTLY)


@check("G503", share=2)
def idling_is_not_gold(subject: Subject) -> Iterator[Item]:
    """An answer that says nothing, or refuses, is not worth as much as gold."""
    many, few = rows_tried(subject), rows_tried(subject)[: FEW_ROWS[subject.effort]]
    outcomes = [
        outcome(subject, name, text, many if name in ON_MANY else few)
        for name, text in (EMPTY | FILLING | REFUSING).items()
    ]
    winners = [item for item in outcomes if item.proven]
    talking = [item for item in winners if item.name not in EMPTY]
    if winners:
        only_refusals = all(item.name in REFUSING for item in winners)
        yield _wins(subject, winners[0], len(talking), only_refusals)
        return
    some = [item for item in outcomes if item.won]
    if some:
        yield _wins_sometimes(subject, max(some, key=lambda item: len(item.won)))


@check("G504", kinds=("tools", "multi-turn"), share=1)
def acting_at_random_is_not_gold(subject: Subject) -> Iterator[Item]:
    """Random tool calls and random words are not worth as much as gold."""
    rows = rows_tried(subject)[: {"quick": 20, "default": 40, "thorough": 200}[subject.effort]]
    episodes = subject.play_many(rows, "random", samples=2)
    seen(subject).extend(episodes)
    known = golds(subject)
    one_each = [item for item in episodes if item.sample == 0 and item.reward is not None]
    won = [item for item in one_each if as_good_as_gold(subject, item)]
    again = [item for item in episodes if item.sample == 1 and as_good_as_gold(subject, item)]
    share = Share(len(won), len(one_each))
    if not won or share.low < OFTEN or not again:
        return
    yield Finding(
        f"Random actions are as good as {'gold' if known else 'the top of reward_range'} on {share}.",
        "Pay for reaching the goal of the row, not for acting at all.",
        row=won[0].row_index, input=won[0].completion, output=won[0].reward, expected=_less(subject, won[0]),
        severity="error" if share.low >= MOSTLY else "warning",
    )  # fmt: skip


def outcome(subject: Subject, name: str, said: Completion, rows: Iterable[int]) -> Outcome:
    """One fixed answer on every row whose gold is another."""
    known = golds(subject)
    rows = [row for row in rows if row not in known or not says_gold(said, known[row])]
    episodes = [item for item in tried(subject, [(row, said) for row in rows]) if item.reward is not None]
    return Outcome(
        name, said, len(subject.rows), episodes, [item for item in episodes if as_good_as_gold(subject, item)]
    )


def _wins(subject: Subject, item: Outcome, talking: int, only_refusals: bool) -> Finding:
    gold = "gold" if golds(subject) else "the top of reward_range"
    first = item.won[0]
    others = f" So {'is' if talking == 2 else 'are'} {talking - 1} other idle answers." if talking > 1 else ""
    return Finding(
        f"{item.name} is worth {first.reward:g}, as much as {gold}, on {item.share}.{others}",
        "If these rows are to be refused, all is well; else refusing must not pay."
        if only_refusals
        else "Pay for what is right in the answer, and give nothing where that is missing.",
        row=first.row_index, input=item.said, output=first.reward, expected=_less(subject, first),
        severity="warning" if only_refusals else "error",
    )  # fmt: skip


def _wins_sometimes(subject: Subject, item: Outcome) -> Finding:
    first = item.won[0]
    return Finding(
        f"{item.name} is worth {first.reward:g}, as much as {'gold' if golds(subject) else 'the top of reward_range'}, "
        f"in row {first.row_index}, and on {item.share} in all.",
        "Look at that row: is what is wanted there empty, or does the scorer take silence for an answer?",
        row=first.row_index, input=item.said, output=first.reward, expected=_less(subject, first),
        severity="error" if item.share.low >= NOT_RARELY and item.name in EMPTY else "warning",
    )  # fmt: skip


def _less(subject: Subject, episode: Episode) -> str:
    return f"less than {bar(subject, episode.row_index):g}"
