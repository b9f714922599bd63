"""Whether the work counts, and not the last call alone, by which the model says that it is done."""

import re
from collections.abc import Iterator, Sequence

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.scripts import Script, Step, answers_of, places_of_acts, scripts_of
from grpo_env_sdk.checking.evidence.golds import play_compared, play_scored, won_of
from grpo_env_sdk.checking.evidence.playing.failures import FailedHereError
from grpo_env_sdk.checking.evidence.playing.state_key import UNKNOWN
from grpo_env_sdk.checking.evidence.prompts.input_echo import FOR_READERS
from grpo_env_sdk.checking.evidence.prompts.tool_names import CHANGES
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.secret_words import TOKEN, mates_of, says
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS, as_good_on_most, paid, seldom_won
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.searching.position import Position, opening
from grpo_env_sdk.checking.searching.rows import can_be_stepped
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode

TASTED, MOST_OTHERS, FEWEST_LETTERS = 4, 0.5, 4
"""On how many rows it is tried first, on how much of the other rows a prompt may have what the last call says, and
how many letters a word of a tool's name has that tells what it does."""
_CLAIMS = regex(
    r"(?:^|_)(?:close|complete|conclude|confirm|done|end|finali[sz]e|finish|hand_?(?:in|over|off)|mark|report|resolve|"
    r"sign_?off|solved|submit)(?:_|$)",
    re.IGNORECASE,
)
_MEANS = regex(
    r"^(?:ask|begin|choose|connect|enter|go|log_?in|move|navigate|open|pick|scroll|select|sign_?in|start|switch|wait|"
    r"walk)(?:_|$)",
    re.IGNORECASE,
)
"""How tools are called that say that something is done, and those that only lead to where it is done."""
Shortened = tuple[Script, list[Step]]


@check("G699", kinds=("tools",), needs=("acts",))
def saying_that_it_is_done_is_not_doing_it(subject: Subject) -> Iterator[Finding]:
    """Gold without what it changes, up to the last call that says that it is done, scores less."""
    known = [one for one in scripts_of(subject) if _is_claim(subject, one) and _work(subject, one)]
    if len(known) < FEWEST_ROWS or len({_shown(_work(subject, one)) for one in known}) == 1:
        return
    verbs = {tuple(step.verb for step in _work(subject, one)) for one in known}
    if len(verbs) == 1 and all(_is_not_asked_for(subject, one) for one in known):
        return
    short = [(one, _without(one, _work(subject, one))) for one in known]
    if len(_won(subject, short[:TASTED])) < TASTED / 2:
        return
    changing = set[str]().union(*(_changing(subject, one) for one in known))
    tried = [
        (one, _without(one, work)) for one in known
        if (work := [step for step in _work(subject, one) if step.verb in changing])
    ]  # fmt: skip
    won = _won(subject, tried)
    if as_good_on_most(subject, won, len(tried)) and _claim_is_paid(subject, known):
        one = next(script for script, _ in tried if script.gold.row == won[0].row_index)
        done = quoted(_shown([step for step in _work(subject, one) if step.verb in changing]), 80)
        yield paid(
            subject, won, len(tried),
            f"Gold without what it changes ({done}), but with {_acts(subject, one)[-1].verb}, which says that it is "
            "done,",
            "Score what the other calls have changed, and not what the model says of it.",
        )  # fmt: skip


def _acts(subject: Subject, script: Script) -> list[Step]:
    """The calls of gold that do not say that they only look."""
    return [script.steps[place] for place in places_of_acts(subject, script)]


def _work(subject: Subject, script: Script) -> list[Step]:
    """The calls before the last one that are done by another tool, and that are no notes and no way to somewhere."""
    acts = _acts(subject, script)
    return [
        step for step in acts[:-1]
        if step.verb != acts[-1].verb and not FOR_READERS.search(step.verb) and not _MEANS.match(step.verb)
    ]  # fmt: skip


def _is_not_asked_for(subject: Subject, script: Script) -> bool:
    """Whether the last call has all that the others are given, and the prompt does not speak of what they do."""
    work, last = _work(subject, script), _acts(subject, script)[-1]
    given = list(_given(last).values())
    said = prompt_text(subject, script.gold.row).casefold()
    words = {word for step in work for word in _words(step.verb)} - _words(last.verb)
    told = all(_given(step) and all(value in given for value in _given(step).values()) for step in work)
    return told and not any(word in said for word in words)


def _words(verb: str) -> set[str]:
    return {word[:5] for word in verb.casefold().split("_") if len(word) >= FEWEST_LETTERS}


def _is_claim(subject: Subject, script: Script) -> bool:
    """Whether gold ends with a call that says that it is done, and nothing that would have to be found out."""
    acts = _acts(subject, script)
    return bool(acts) and bool(_CLAIMS.search(acts[-1].verb)) and all(
        _says_nothing_new(subject, script, name, value) for name, value in _given(acts[-1]).items()
    )  # fmt: skip


def _says_nothing_new(subject: Subject, script: Script, name: str, value: object) -> bool:
    """Whether all golds give a parameter this value, or it is the only one of its form that the prompt has."""
    ends = [acts[-1] for one in scripts_of(subject) if (acts := _acts(subject, one))]
    if all(_given(end).get(name) == value for end in ends):
        return True
    word, prompt = str(value), prompt_text(subject, script.gold.row)
    others = [prompt_text(subject, one.gold.row) for one in scripts_of(subject) if one is not script]
    usual = sum(says(other, word) for other in others) > MOST_OTHERS * len(others)
    return says(prompt, word) and not usual and not mates_of(word, set(TOKEN.findall(prompt)))


def _given(step: Step) -> dict[str, object]:
    """The arguments of a call; nothing for a text."""
    calls = step.written.get("tool_calls") or () if not isinstance(step.written, str) else ()
    return next((dict(call["function"]["arguments"]) for call in calls), {})


def _without(script: Script, work: Sequence[Step]) -> list[Step]:
    gone = set(map(id, work))
    return [step for step in script.steps if id(step) not in gone]


def _changing(subject: Subject, script: Script) -> set[str]:
    """The tools of the work that change what the instance holds; by their names where it cannot be seen."""
    work = _work(subject, script)
    if not can_be_stepped(subject):
        return {step.verb for step in work if CHANGES.match(step.verb)}
    try:
        with subject.instance(script.gold.row) as env:
            return set(subject.call("gold's calls", _seen_to_change, env, subject, script, row=script.gold.row))
    except FailedHereError:
        return set()  # nothing can be compared, or the author's code fails, which other checks report


def _seen_to_change(env: object, subject: Subject, script: Script) -> set[str]:
    found: set[str] = set()
    position: Position = opening(env, subject.row(script.gold.row))
    for step in script.steps:
        before, position = position, position.after(step.written)
        if position.ended or UNKNOWN in position.held.values():
            break
        if position.held != before.held:
            found.add(step.verb)
    return found & {step.verb for step in _work(subject, script)}


def _claim_is_paid(subject: Subject, scripts: Sequence[Script]) -> bool:
    """Whether gold without its last call loses: else it is not what it says that pays."""
    tried = [(one, kept) for one in scripts if (kept := _without(one, _acts(subject, one)[-1:]))]
    return seldom_won(subject, play_compared(subject, answers_of(tried)))


def _shown(steps: Sequence[Step]) -> str:
    return ", ".join(step.shown for step in steps)


def _won(subject: Subject, tried: Sequence[Shortened]) -> list[Episode]:
    return won_of(subject, play_scored(subject, answers_of(tried)))
