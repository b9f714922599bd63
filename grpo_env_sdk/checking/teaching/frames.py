"""Whether the form that the prompt asks for is accepted, and the form that decides the score is asked for."""

import re
from collections.abc import Callable, Iterator, Sequence

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import Gold, golds, quoted
from grpo_env_sdk.checking.evidence.guesses import form_of, without_form
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.variants import Outcome, Variant, golds_with_text, played, prompt_text
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.idling import MOSTLY
from grpo_env_sdk.data.messages import answer_text

MOST_ROWS = {"quick": 8, "default": 16, "thorough": 60}
MOST_SHOWN = 25
"""What a prompt shows between the tags for the answer is no longer."""
_VERB = r"\b(?:in|inside|within|between|put|wrap|enclose|enclosed|use|using|with|as)\b[^.!?\n]{0,60}?"
_ASKED = (
    (re.compile(_VERB + r"(\\boxed)\b", re.IGNORECASE), "\\boxed{{{}}}"),
    (
        re.compile(_VERB + r"<(answer|solution|result|final|final_answer|output|response)>", re.IGNORECASE),
        "<{0}>{{}}</{0}>",
    ),
    (re.compile(r"(?:after|behind|with|write|use)\b[^.!?\n]{0,40}?(####)", re.IGNORECASE), "#### {}"),
)
"""What a prompt says of a form, and the template of that form; a tag is named in it."""
_MARKERS = re.compile(
    r"<\w+>|\\boxed|####|\[\[|```|\*\*|^[^\W\d_][\w ]{1,20}:\s*$|\b(?:final|answer|result|solution)\b|\"\w+\":",
    re.IGNORECASE | re.MULTILINE,
)
"""What makes the shared start of all answers a form, rather than a part of what they say."""

_CODE = re.compile(r"```\w*\s*\S|^\s*(?:def|class|import|from|function|select|public|fn|var|let|const)\b", re.I | re.M)
"""Code that has begun: its shared start is no form around it."""


@check("G517", needs=("gold",))
def the_form_that_is_asked_for_is_accepted(subject: Subject) -> Iterator[Finding]:
    """Gold in the form that the prompt asks for scores as much as gold."""
    known = golds_with_text(subject, MOST_ROWS[subject.effort])
    form = form_of([gold.text for gold in golds(subject).values()])
    asked = [(gold, template) for gold in known if (template := _asked(prompt_text(subject, gold.row)))]
    variants = [
        Variant("asked", gold, template.format(_core(gold, form)))
        for gold, template in asked
        if template.format("\0").split("\0")[0] not in gold.text
    ]
    outcome = played(subject, variants).get("asked")
    if outcome and not outcome.won and len(outcome.episodes) >= min(3, len(known)):
        episode = outcome.episodes[0]
        said, gold = answer_text(episode.completion), golds(subject)[episode.row_index]
        yield Finding(
            f"The prompt asks for a form that the scorer refuses: {quoted(said)} scores {episode.reward:g}, and "
            f"{quoted(gold.text)} without it {gold.reward:g}, on {len(outcome.episodes)} rows.",
            "Read the answer out of the form that the prompt asks for, or do not ask for it.",
            row=episode.row_index, input=said, output=episode.reward, expected=gold.reward,
        )  # fmt: skip


@check("G518", needs=("gold",))
def the_form_that_decides_is_asked_for(subject: Subject) -> Iterator[Finding]:
    """A form without which the right answer scores nothing is in the prompt."""
    known = golds_with_text(subject, MOST_ROWS[subject.effort])
    form, place = _frame(subject)
    if len(known) < 3 or not _is_frame(form) or not _unmentioned(subject, known, form):
        return
    cores = {gold.row: without_form(place(gold.text), form).strip() for gold in known}
    bare = [Variant("bare", gold, cores[gold.row]) for gold in known]
    other = [Variant("other", gold, f"The answer is {cores[gold.row]}") for gold in known]
    plain = [Variant("plain", gold, gold.text.replace(place(gold.text), cores[gold.row])) for gold in known]
    outcomes = played(subject, [*bare, *other, *plain])
    shown = outcomes.get("bare")
    if shown and not any(outcome.won for outcome in outcomes.values()) and _loses_most(subject, shown):
        episode = shown.episodes[0]
        said, gold = answer_text(episode.completion), golds(subject)[episode.row_index]
        yield Finding(
            f"A form that no prompt mentions decides the score: {quoted(said)} scores {episode.reward:g}, and "
            f"{quoted(gold.text)} {gold.reward:g}, on {len(shown.episodes)} rows.",
            f"Ask for the form {quoted('...'.join(form))} in the prompt, or accept the answer without it.",
            row=episode.row_index, input=said, output=episode.reward, expected=gold.reward,
        )  # fmt: skip


def _asked(prompt: str) -> str:
    """The template of the form that a prompt asks for, or an empty string."""
    for pattern, template in _ASKED:
        if (found := pattern.search(prompt)) and not _holds_data(prompt, found[1]):
            return template.format(found[1]) if "{0}" in template else template
    return ""


def _holds_data(prompt: str, tag: str) -> bool:
    """Whether a tag of the prompt is a part of the data in it, and not the place for the answer."""
    return any(
        len(held) > MOST_SHOWN or "<" in held for held in re.findall(rf"<{re.escape(tag)}>(.*?)</", prompt, re.S)
    )


def _frame(subject: Subject) -> tuple[tuple[str, str], Callable[[str], str]]:
    """What all gold answers share around what differs, or else their last lines; and which of the two it is."""
    texts = [gold.text for gold in golds(subject).values()]
    form = form_of(texts)
    return (form, str) if _is_frame(form) else (form_of([_last_line(text) for text in texts]), _last_line)


def _last_line(text: str) -> str:
    return text.rstrip().rpartition("\n")[2]


def _is_frame(form: tuple[str, str]) -> bool:
    """Whether a shared start and end mark an answer between them, and are not a part of it, as the start of code is."""
    text = "\n".join(form)
    closed = all(text.count(opens) == text.count(closes) for opens, closes in ("()", "[]", "{}"))
    return bool(_MARKERS.search(text)) and closed and not _CODE.search(form[0])


def _unmentioned(subject: Subject, known: Sequence[Gold], form: tuple[str, str]) -> bool:
    """Whether some word of the form is in no prompt, nor in a description of a tool."""
    words = set(re.findall(r"[^\W_]{2,}|#{2,}|\[\[", " ".join(form).casefold()))
    shown = " ".join([str(subject.tools), *(prompt_text(subject, gold.row) for gold in known)]).casefold()
    return any(word not in shown for word in words)


def _loses_most(subject: Subject, shown: Outcome) -> bool:
    """Whether the right answer without its form earns less than half of what gold earns, on most rows."""
    low = subject.traits.reward_range[0]
    lost = [
        (episode.reward or 0.0) - low < (golds(subject)[episode.row_index].reward - low) / 2
        for episode in shown.episodes
    ]
    return sum(lost) >= MOSTLY * len(lost)


def _core(gold: Gold, form: tuple[str, str]) -> str:
    return without_form(gold.text, form).strip()
