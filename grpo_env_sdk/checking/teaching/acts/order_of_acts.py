"""Whether acts have to be done in the order that a prompt asks for."""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.scripts import Script, Step, answers_of, places_of_acts, scripts_of
from grpo_env_sdk.checking.evidence.golds import play_compared, play_scored, won_of
from grpo_env_sdk.checking.evidence.prompts.broken_form import sentences_of
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS, as_good_on_most, cut_off, paid
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode

TASTED, FEWEST_ACTS = 4, 3
"""On how many rows an order is changed first, and how many acts gold has at least."""
_ORDER = regex(
    r"\b(?:in|by) (?:exactly |just )?(?:this|that|its|their|the(?: \w+){0,2}) (?:order|sequence)\b(?! of\b)|"
    r"\bin (?:just |exactly )?the (?:\w+ )?(?:order|sequence) (?:in which|given|listed|shown|of)\b|"
    r"\b(?:keep|stick) to (?:this|that|the) (?:order|sequence)\b|\border (?:matters|counts|is fixed)\b|"
    r"\bone after (?:the )?(?:other|another)\b|\bout of (?:order|sequence|turn)\b|\bin sequence\b|"
    r"\bfrom (?:(?:the )?(?:top to|first to)|top down)\b",
    re.IGNORECASE,
)
_FIRST_THEN = regex(r"\bfirst\b.{1,80}\bthen\b.{1,80}\b(?:then|finally|last(?:ly)?|at the end)\b", re.IGNORECASE)
"""How prompts ask for an order, and what they say where it may be meant."""
_ANY_ORDER = regex(
    r"\border (?:does not|doesn't|is not|isn't)\b|\bregardless of\b|\border (?:number|no\b|id\b|#|\d)|\borders\b|"
    r"(?<!\bin )(?<!\bby )\b(?:this|the|that|an|your|their) order (?:is(?! fixed)|was|has|of|from|for)\b|"
    r"\bcustomers?\b|\b(?:any|whatever|whichever|no particular) (?:\w+ )?(?:order|sequence)\b",
    re.IGNORECASE,
)
"""What prompts say where the order is free, and where an order is something that is bought."""
_OF_WORDS = regex(
    r"\b(?:answer|reply|respond|say|tell|output|print|words?|text|alphabetical|ascending|descending|sorted|"
    r"listed? them|name them)\b",
    re.IGNORECASE,
)
"""What a sentence says up to there that is about the order of an answer, and not of acts."""
Change = Callable[[list[Step]], list[Step]]


def _turned(acts: list[Step]) -> list[Step]:
    return acts[::-1]


def _first_at_the_end(acts: list[Step]) -> list[Step]:
    return [*acts[1:], acts[0]]


def _turned_between(acts: list[Step]) -> list[Step]:
    return [acts[0], *acts[-2:0:-1], acts[-1]]


_CHANGES: dict[Change, str] = {
    _turned: "with its acts in reverse", _first_at_the_end: "with its first act at the end",
    _turned_between: "with the acts between its first and its last in reverse",
}  # fmt: skip


@check("G667", kinds=("tools", "multi-turn"), needs=("acts",))
def the_order_that_is_asked_for_counts(subject: Subject) -> Iterator[Finding]:
    """Gold with its acts in another order scores less, where the prompt asks for an order of acts."""
    known = [one for one in scripts_of(subject) if _asked(subject, one)]
    idle = _idle(subject, known) if len(known) >= FEWEST_ROWS else set()
    known = [one for one in known if _changed(subject, one, _turned, idle)]
    if len(known) < FEWEST_ROWS:
        return
    for change, how in _CHANGES.items():
        if len(_won(subject, known[:TASTED], change, idle)) < TASTED / 2:
            continue
        won = _won(subject, known, change, idle)
        if as_good_on_most(subject, won, len(known)) and _each_is_needed(subject, known, idle):
            one = next(script for script in known if script.gold.row == won[0].row_index)
            said = _asked(subject, one)
            finding = paid(
                subject, won, len(known), f"Gold {how}, although the prompt says {quoted(said, 140)},",
                "Note what was done when, and compare the order too; or drop the sentence.",
            )  # fmt: skip
            yield finding if _ORDER.search(said) else replace(finding, severity="warning")
            return


def _asked(subject: Subject, script: Script) -> str:
    """The sentence of the prompt that asks for an order of acts; empty without one."""
    prompt = prompt_text(subject, script.gold.row)
    if _ANY_ORDER.search(prompt):
        return ""
    for how in (_ORDER, _FIRST_THEN):
        for one in sentences_of(prompt):
            asked = how.search(one)
            if asked and not _OF_WORDS.search(one, 0, asked.end()):
                return one.strip()
    return ""


def _idle(subject: Subject, known: Sequence[Script]) -> set[str]:
    """The verbs of gold without which it scores as much, such as a tool that shows the list."""
    idle: set[str] = set()
    for verb in {step.verb for one in known[:TASTED] for step in one.steps} - {""}:
        tasted = [one for one in known if any(step.verb == verb for step in one.steps)][:TASTED]
        without = [(one, [step for step in one.steps if step.verb != verb]) for one in tasted]
        answers = answers_of((one, steps) for one, steps in without if steps)
        if len(won_of(subject, play_compared(subject, answers))) == len(tasted):
            idle.add(verb)
    return idle


def _places(subject: Subject, script: Script, idle: Collection[str]) -> list[int]:
    return [place for place in places_of_acts(subject, script) if script.steps[place].verb not in idle]


def _changed(subject: Subject, script: Script, change: Change, idle: Collection[str]) -> list[Step]:
    """The steps with these acts in another order; empty where that is no other one, or there are few."""
    places = _places(subject, script, idle)
    if len(places) < FEWEST_ACTS:
        return []
    steps = list(script.steps)
    for place, step in zip(places, change([script.steps[place] for place in places]), strict=True):
        steps[place] = step
    return steps if [step.shown for step in steps] != [step.shown for step in script.steps] else []


def _won(subject: Subject, known: Sequence[Script], change: Change, idle: Collection[str]) -> list[Episode]:
    tried = [(one, steps) for one in known if (steps := _changed(subject, one, change, idle))]
    return [one for one in won_of(subject, play_scored(subject, answers_of(tried))) if not cut_off(one)]


def _each_is_needed(subject: Subject, known: Sequence[Script], idle: Collection[str]) -> bool:
    """Whether gold without its first or without its last act loses, so that each of them counts."""
    tried: list[tuple[Script, list[Step]]] = []
    for one in known:
        places = _places(subject, one, idle)
        for place in (places[0], places[-1]):
            kept = [step for number, step in enumerate(one.steps) if number != place]
            tried.append((one, kept))
    return not won_of(subject, play_compared(subject, answers_of(tried)))
