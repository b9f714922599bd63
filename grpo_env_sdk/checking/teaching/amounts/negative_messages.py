"""Whether a message of gold with a negative number in it pays, such as `buy wool -999`."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from grpo_env_sdk.checking.evidence.golds import Gold, play_compared, play_scored, won_of
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS, as_good_on_most, paid, seldom_won, some_golds
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex

NEGATIVE, PLAIN, TASTED = (-999, -7, -100_000), (1, 2), 4
"""The numbers that are tried, those that must not pay as well, and on how many rows at first."""
_AMOUNT = regex(r"^([^\W\d_]+)\b(.*?)(?<![\w.,-])(\d{1,9})(?![\w.,]*\d)")
"""A message that begins with a word and has a number: the word, what is between, and the number."""


@dataclass(frozen=True, slots=True)
class Said:
    """A message of gold with a number, and where the number stands."""

    gold: Gold
    turn: int
    start: int
    end: int

    def turns(self, number: int, whole: bool) -> list[str]:
        """Gold's messages with another number in this one; else nothing between it and gold's last message."""
        texts = [str(turn.get("content") or "") for turn in self.gold.turns]
        texts[self.turn] = f"{texts[self.turn][: self.start]}{number}{texts[self.turn][self.end :]}"
        return texts if whole else [*texts[: self.turn + 1], texts[-1]]


def negative_messages(subject: Subject) -> Iterator[Finding]:
    """The finding that a negative number in a message is as good as gold, where a small one is not."""
    if subject.traits.kind != "multi-turn":
        return
    for verb, said in _by_verb(subject).items():
        for number in NEGATIVE:
            for whole in (False, True):
                if found := _paying(subject, verb, said, number, whole):
                    yield found
                    return


def _by_verb(subject: Subject) -> Mapping[str, list[Said]]:
    """The first message of each gold by the word that it begins with, where it has a number and is not the last one."""
    found: dict[str, dict[int, Said]] = defaultdict(dict)
    for gold in some_golds(subject):
        if any(turn.get("tool_calls") for turn in gold.turns):
            continue
        for number, turn in enumerate(gold.turns[:-1]):
            if one := _AMOUNT.match(str(turn.get("content") or "")):
                found[one[1].casefold()].setdefault(gold.row, Said(gold, number, *one.span(3)))
    return {verb: list(said.values()) for verb, said in found.items() if len(said) >= FEWEST_ROWS}


def _paying(subject: Subject, verb: str, said: Sequence[Said], number: int, whole: bool) -> Finding | None:
    if len(won_of(subject, play_scored(subject, _answers(said[:TASTED], number, whole)))) < min(TASTED, len(said)) - 1:
        return None
    won = won_of(subject, tried := play_scored(subject, _answers(said, number, whole)))
    if not as_good_on_most(subject, won, len(tried)):
        return None
    for small in PLAIN:
        if not seldom_won(subject, play_compared(subject, _answers(said, small, whole))):
            return None  # any number is as good
    example = next(one for one in said if one.gold.row == won[0].row_index).turns(number, whole)
    text = next(text for text in example if str(number) in text)
    end = "" if whole else f", and then {example[-1]!r},"
    what = f"A message with a negative number, {text!r}{end}"
    return paid(subject, won, len(tried), what, f"Refuse numbers below 1 in {verb!r}: a minus sign turns it around.")


def _answers(said: Sequence[Said], number: int, whole: bool) -> list[tuple[int, Completion]]:
    return [(one.gold.row, one.turns(number, whole)) for one in said]
