"""Whether what is moved and does not fit stays where it was, as a prompt or a tool says."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.scripts import Script, Step, answers_of, scripts_of
from grpo_env_sdk.checking.evidence.golds import gold_episodes, play_answers
from grpo_env_sdk.checking.evidence.playing.tool_parameters import description_of, name_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.broken_form import sentences_of, unwrapped
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, reply_to
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Message

_STAYS = regex(
    r"\b(?:(?:does|do|will|can)(?: not|n't) fit|(?:cannot|can't|won't) (?:fit|be (?:taken|held))|the rest|surplus|"
    r"excess|remainder|overflow)\b[^.\n]{0,30}?\b(?:stays?|remains?|is (?:kept|left))\b",
    re.IGNORECASE,
)
"""What a rule says of what does not fit."""
_LOSES = regex(
    r"\b(?:lost|loses?|spill\w*|leak\w*|drips?|evaporat\w*|shrinks?|spoil\w*|eaten|eats?|toll|fees?|tax|wasted?)\b",
    re.IGNORECASE,
)
"""What a prompt or a tool says where less may come than is taken."""
MOST_TIMES, MOST_PAIRS = 6, 6
"""How often an act is done again at most, until there is no room, and how many acts of gold are."""
_NUMBER = regex(r"\d+(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class Moved:
    """An act that moves something, and the numbers of the replies before and after it."""

    row: int
    turns: Sequence[Message]
    shown: str
    rule: str
    before: str
    after: str
    changes: Sequence[float]

    @property
    def lost(self) -> float:
        """How much less there is than before."""
        return round(-sum(self.changes), 6)


@check("G702", kinds=("tools", "multi-turn"), needs=("gold",))
def what_does_not_fit_stays(subject: Subject) -> Iterator[Finding]:
    """As much is left and has come after an act as before it, where a rule says that what does not fit stays."""
    moves = [one for script in scripts_of(subject) for one in _moves(subject, script)]
    for rule_of in {one.shown.split()[0] for one in moves}:
        some = [one for one in moves if one.shown.split()[0] == rule_of]
        lost = [one for one in some if one.lost > _rounding(one)]
        if len({min(one.changes) for one in some}) == 1:
            continue  # what falls by the same each time is a price, such as minutes
        if len({one.row for one in lost}) >= FEWEST_ROWS <= len({one.row for one in some if not one.lost}):
            yield _finding(lost)
            return


def _rounding(moved: Moved) -> float:
    """What may be missing as two numbers with decimals were rounded."""
    places = [len(number.partition(".")[2]) for number in _NUMBER.findall(moved.before + " " + moved.after)]
    return 2 / 10 ** min(filter(None, places), default=9) if any(places) else 0.0


def _finding(lost: Sequence[Moved]) -> Finding:
    one, rows = lost[0], {move.row for move in lost}
    return Finding(
        f"After {quoted(one.shown, 60)} the replies show {one.lost:g} less in all, on {len(rows)} rows, although "
        f"{quoted(one.rule, 140)} is a rule: before it {quoted(one.before, 120)}, after it "
        f"{quoted(one.after, 120)}.",
        "Move no more than there is room for, and take from the source what has come to the target.",
        one.row, list(one.turns), one.after, "the same amount in all",
    )  # fmt: skip


def _moves(subject: Subject, script: Script) -> Iterator[Moved]:
    """The acts for which there is such a rule, of gold or done again and again, that let one number fall and one rise
    in the replies."""
    rules = {verb: _rule(subject, script, verb) for verb in {step.verb for step in script.steps} if verb}
    first = next((place for place, step in enumerate(script.steps) if place and rules.get(step.verb)), 0)
    if not first or len(script.steps) != len(script.gold.turns):
        return
    again = [
        _done_again(subject, script.steps[: first - 1], pair) for pair in _pairs(subject, script.steps[first].verb)
    ]
    tried: list[Sequence[Step]] = [script.steps, *again]
    played = [
        gold_episodes(subject)[script.gold.row],
        *play_answers(subject, answers_of((script, one) for one in again)),
    ]
    for steps, episode in zip(tried, played, strict=False):
        for place, step in list(enumerate(steps))[1 : len(own_turns(episode.completion))]:
            before, after = reply_to(episode, place - 1), reply_to(episode, place)
            changes = _changes(before, after) if rules.get(step.verb) else []
            if len(changes) == 2 and min(changes) < 0 < max(changes):
                yield Moved(
                    script.gold.row,
                    own_turns(episode.completion)[: place + 1],
                    step.shown,
                    rules[step.verb],
                    before,
                    after,
                    changes,
                )


def _pairs(subject: Subject, verb: str) -> list[tuple[Step, Step]]:
    """The acts with this verb in all golds, each with the one before it."""
    steps = [list(one.steps) for one in scripts_of(subject)]
    pairs = [pair for some in steps for pair in pairwise(some) if pair[1].verb == verb]
    return list({f"{one.shown}\n{two.shown}": (one, two) for one, two in pairs}.values())[:MOST_PAIRS]


def _done_again(subject: Subject, before: Sequence[Step], pair: Sequence[Step]) -> list[Step]:
    """What gold does first, and then two acts again and again, as often as there are turns."""
    times = min(MOST_TIMES, (subject.traits.max_turns - len(before)) // len(pair))
    return [*before, *(step for _ in range(times) for step in pair)]


def _changes(before: str, after: str) -> list[float]:
    """By how much the numbers of two replies differ, where they have as many and the same words up to the last."""
    old, new = _NUMBER.findall(before), _NUMBER.findall(after)
    if len(old) != len(new) or _NUMBER.split(before)[:-1] != _NUMBER.split(after)[:-1]:
        return []
    return [change for one, other in zip(old, new, strict=True) if (change := float(other) - float(one))]


def _rule(subject: Subject, script: Script, verb: str) -> str:
    """The sentence that says what stays, of the prompt with this verb in it or of the tool of this name."""
    described = [description_of(tool) for tool in subject.tools if name_of(tool) == verb]
    if any(map(_LOSES.search, (prompt_text(subject, script.gold.row), *described))):
        return ""
    named = regex(rf"\b{re.escape(verb)}", re.IGNORECASE)
    lines = [one for one in sentences_of(unwrapped(prompt_text(subject, script.gold.row))) if named.search(one)]
    found = (one.strip() for text in (*lines, *described) for one in sentences_of(text))
    return next((one for one in found if _STAYS.search(one)), "")
