"""Whether what a prompt asks of the thing that is chosen counts: enough beds, the right town, a lift."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.choices import Choice, choices_of
from grpo_env_sdk.checking.evidence.attempts.omissions import omissions
from grpo_env_sdk.checking.evidence.golds import as_good_as_gold, play_answers, too_good
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.secret_words import says
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex

FEWEST_ROWS, FEWEST_WON, MOST_TRIED, FEWEST_THINGS = 8, 3, 3, 3
"""On how many rows gold has to keep a condition, on how few another choice scores, how many of these are tried in a
row, and among how many things gold chooses."""
_NUMBER = regex(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.]*\w)")
_STEM = 3
Thing = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Chosen:
    """A choice of gold, the thing that it names, and the others beside it."""

    choice: Choice
    key: str
    thing: Thing
    others: Sequence[Thing]
    prompt: str

    def kept_by(self, thing: Thing) -> set[str]:
        """The conditions that a thing keeps, as messages call them."""
        return {name for key, value in thing.items() if key != self.key for name in self._of_value(key, value)}

    def _of_value(self, key: str, value: Any) -> Iterator[str]:
        if isinstance(value, bool):
            if _mentions(self.prompt, key):
                yield f"{key} is {str(value).lower()}"
        elif isinstance(value, int | float) and _mentions(self.prompt, key):
            for place, number in enumerate(_NUMBER.findall(self.prompt), 1):
                yield from (f"{key} is at least number {place} of the prompt",) if value >= float(number) else ()
                yield from (f"{key} is at most number {place} of the prompt",) if value <= float(number) else ()
        elif isinstance(value, str) and value and says(self.prompt, value):
            yield f"{key} is in the prompt"


@check("G619", kinds=("tools",), needs=("gold",))
def conditions_of_the_prompt_count(subject: Subject) -> Iterator[Finding]:
    """A thing that breaks a condition which gold's choice keeps on every row is not as good as gold."""
    for (tool, parameter), choices in choices_of(subject).items():
        known = [chosen for choice in choices if (chosen := _chosen(subject, choice))]
        if tool and len(known) >= FEWEST_ROWS and _counts(subject, tool):
            for condition in _conditions(known):
                if found := _broken(subject, known, condition, f"{parameter!r} of {tool}"):
                    yield found
                    return


def _counts(subject: Subject, tool: str) -> bool:
    """Whether gold without the calls of a tool scores less, as it does not where they only look something up."""
    left_out = omissions(subject).get(tool, ())
    return not left_out or 2 * sum(one.paid for one in left_out) < len(left_out)


def _conditions(known: Sequence[Chosen]) -> list[str]:
    """What every choice of gold keeps, and other things break on half of the rows at least."""
    kept = _in_all(one.kept_by(one.thing) for one in known)
    broken = [kept - _in_all(map(one.kept_by, one.others)) for one in known]
    times = Counter(chain.from_iterable(broken))
    return sorted(condition for condition, rows in times.items() if 2 * rows >= len(known))


def _breaking(one: Chosen, condition: str) -> list[Thing]:
    """The things that break a condition, those that keep most of the others first."""
    kept = one.kept_by(one.thing)
    breaking = [thing for thing in one.others if condition not in one.kept_by(thing)]
    return sorted(breaking, key=lambda thing: len(kept - one.kept_by(thing)))


def _in_all(sets: Iterable[set[str]]) -> set[str]:
    first, *others = sets
    return first.intersection(*others)


def _broken(subject: Subject, known: Sequence[Chosen], condition: str, where: str) -> Finding | None:
    """The finding that things which break a condition are as good as gold on some rows."""
    tried = [(one, thing) for one in known for thing in _breaking(one, condition)[:MOST_TRIED]]
    played = play_answers(subject, [(one.choice.gold.row, one.choice.turns(thing[one.key])) for one, thing in tried])
    won = {
        episode.row_index: (episode, one, thing)
        for episode, (one, thing) in zip(played, tried, strict=False)
        if not episode.error and as_good_as_gold(subject, episode)
    }
    if len(won) < FEWEST_WON:
        return None
    episode, one, thing = next(iter(won.values()))
    return Finding(
        f"On every row the thing that gold chooses keeps a condition ({condition}), and on {len(won)} of {len(known)} "
        f"rows one that breaks it scores as much, as {where}: {quoted(dict(thing), 120)} in place of "
        f"{quoted(dict(one.thing), 120)}.",
        "Compare the choice with all that the prompt asks for.",
        *too_good(subject, episode),
    )  # fmt: skip


def _chosen(subject: Subject, choice: Choice) -> Chosen | None:
    """The thing in a list of the row that a value of gold names by one of its fields."""
    for value in subject.row(choice.gold.row).values():
        things = [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []
        for key in things[0] if len(things) >= FEWEST_THINGS else ():
            named = [thing for thing in things if thing.get(key) == choice.value]
            if len(named) == 1:
                others = [thing for thing in things if thing is not named[0] and thing.get(key) is not None]
                return Chosen(choice, key, named[0], others, prompt_text(subject, choice.gold.row))
    return None


def _mentions(prompt: str, key: str) -> bool:
    """Whether a prompt has the beginning of each word of a name."""
    stems = [word[: max(_STEM, len(word) - 1)] for word in re.findall(r"[a-z]+", key.casefold())]
    return bool(stems) and all(re.search(rf"\b{stem}", prompt, re.IGNORECASE) for stem in stems)
