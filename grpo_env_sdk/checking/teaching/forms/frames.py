"""Whether the form that the prompt asks for is accepted, and the form that decides the score is asked for."""

import re
from collections.abc import Callable, Iterator, Sequence

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.guesses import form_of, form_of_golds, without_form
from grpo_env_sdk.checking.evidence.golds import Gold, golds, loses_half
from grpo_env_sdk.checking.evidence.prompts.asked_ends import asked_end
from grpo_env_sdk.checking.evidence.prompts.asked_templates import SLOT, asked_templates, filled
from grpo_env_sdk.checking.evidence.prompts.shown_units import templates_with_units
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.variants import Outcome, Variant, golds_with_text, played
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.forms.asked_by_some import asked_by_some
from grpo_env_sdk.checking.teaching.forms.signs_between import unmentioned_signs
from grpo_env_sdk.checking.teaching.forms.unmentioned_dates import unmentioned_dates
from grpo_env_sdk.checking.teaching.lazy_answers.idling import MOSTLY
from grpo_env_sdk.data.messages import answer_text
from grpo_env_sdk.late_patterns import regex

MOST_ROWS = {"quick": 8, "default": 16, "thorough": 60}
HALF, FRAME = 0.5, 6
"""On how many rows a form is refused that is asked for, as on some it may be right by accident; how long a frame is."""
_FRAMES = r"<\w+>|\\boxed|####|\[\[|```|\*\*|\"\w+\":"
_MARKERS = regex(
    rf"{_FRAMES}|" r"^[^\W\d_][\w ]{1,20}:\s*$|\b(?:final|answer|result|solution)\b",
    re.IGNORECASE | re.MULTILINE,
)
"""What makes the shared start of all answers a form, rather than a part of what they say."""

_HELD = regex(r"<(\w+)>.*?</\1>", re.DOTALL)
"""A tag before the answer with what an author wrote in it, such as a reasoning."""
_NUMBER = regex(r"-?\d[\d,]*(?:\.\d+)?")
_SIGNS = regex(r"[^\W\d_]|[%€$£¥°=#]")
MOST_SIGNS = 24
_NAMES = {"%": "percent|per cent", "€": "euro", "$": "dollar", "£": "pound", "¥": "yen|yuan", "°": "degree"}
"""The words that mention a sign."""
_CODE = regex(r"```\w*\s*\S|^\s*(?:def|class|import|from|function|select|public|fn|var|let|const)\b", re.I | re.M)
"""Code that has begun: its shared start is no form around it."""


@check("G517", needs=("gold",))
def the_form_that_is_asked_for_is_accepted(subject: Subject) -> Iterator[Finding]:
    """Gold in the form that the prompt asks for scores as much as gold."""
    known = golds_with_text(subject, MOST_ROWS[subject.effort])
    form = form_of_golds(subject)
    frame = _last_line(form[0]).strip()
    shown = regex(rf"(?<![*_`~>#|]){re.escape(frame)}(?![*_`~])")
    if len(frame) >= FRAME and all(shown.search(prompt_text(subject, gold.row)) for gold in known):
        return  # gold is in a form that the prompt shows
    prompts = {gold.row: (prompt_text(subject, gold.row), _core(gold, form)) for gold in known}
    units = {row: [*templates_with_units(*of_row)] for row, of_row in prompts.items()}
    asked = {row: [*asked_templates(*of_row), *units[row]] for row, of_row in prompts.items()}
    of_all = [one for one in next(iter(asked.values()), []) if all(one in found for found in asked.values())]
    variants = [
        Variant(template, gold, filled(template, _core(gold, form)))
        for template in of_all
        for gold in known
        if any(template in of_row for of_row in units.values()) or not _begins_like(gold.text, template)
    ]
    outcomes = list(played(subject, variants).values())
    refused = [one for one in outcomes if len(one.episodes) >= min(3, len(known)) and _loses_most(subject, one, HALF)]
    if refused and not any(len(one.won) > HALF * len(one.episodes) for one in outcomes) and len(refused) == len(of_all):
        lost = [one for one in refused[0].episodes if one not in refused[0].won]
        episode = lost[0]
        said, gold = answer_text(episode.completion), golds(subject)[episode.row_index]
        yield Finding(
            f"The prompt asks for a form that the scorer refuses: {quoted(said)} scores {episode.reward:g}, and "
            f"{quoted(gold.text)} without it {gold.reward:g}, on {len(lost)} rows.",
            "Read the answer out of the form that the prompt asks for, or do not ask for it.",
            row=episode.row_index, input=said, output=episode.reward, expected=gold.reward,
        )  # fmt: skip


def _begins_like(text: str, template: str) -> bool:
    """Whether gold is in the form of a template already."""
    return filled(template, SLOT).split(SLOT)[0] in text if not template.startswith("{") else text.startswith("{")


@check("G518", needs=("gold",))
def the_form_that_decides_is_asked_for(subject: Subject) -> Iterator[Finding]:
    """A form without which the right answer scores nothing is in the prompt."""
    known = golds_with_text(subject, MOST_ROWS[subject.effort])
    form, place = _frame(subject)
    around = place is str and _around_numbers([gold.text for gold in known], form)
    if len(known) < 3 or not (around or _is_frame(form)) or not _unmentioned(subject, known, form):
        yield from unmentioned_signs(subject, known)
        yield from unmentioned_dates(subject, known)
        if _is_frame(form):
            yield from asked_by_some(subject, form, place)
        return
    cores = {gold.row: without_form(place(gold.text), form).strip() for gold in known}
    bare = [Variant("bare", gold, cores[gold.row]) for gold in known]
    other = [Variant("other", gold, f"The answer is {cores[gold.row]}") for gold in known]
    plain = [Variant("plain", gold, gold.text.replace(place(gold.text), cores[gold.row])) for gold in known]
    ended = [
        Variant("ended", gold, cores[gold.row] + end)
        for gold in known
        if (end := asked_end(prompt_text(subject, gold.row)))
    ]
    outcomes = played(subject, [*bare, *other, *plain, *ended])
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


def _frame(subject: Subject) -> tuple[tuple[str, str], Callable[[str], str]]:
    """What all gold answers share around what differs, or else their last lines; and which of the two it is."""
    texts = [gold.text for gold in golds(subject).values()]
    form = form_of(texts)
    if _is_frame(form) or _around_numbers(texts, form):
        return form, str
    return form_of([_last_line(text) for text in texts]), _last_line


def _last_line(text: str) -> str:
    return text.rstrip().rpartition("\n")[2]


def _is_frame(form: tuple[str, str]) -> bool:
    """Whether a shared start and end mark an answer between them, and are not a part of it, as the start of code is."""
    text = "\n".join(form)
    closed = all(text.count(opens) == text.count(closes) for opens, closes in ("()", "[]", "{}"))
    opened, ended = sorted(re.findall(r"<(\w+)>", text)), sorted(re.findall(r"</(\w+)>", text))
    closed = closed and (opened == ended or not ended)  # else what is between them holds tags of its own
    return bool(_MARKERS.search(text)) and closed and not _CODE.search(form[0])


def _around_numbers(texts: Sequence[str], form: tuple[str, str]) -> bool:
    """Whether all answers are numbers with the same letters or signs around them, such as a currency."""
    numbers = all(_NUMBER.fullmatch(without_form(text, form).strip()) for text in texts)
    sign = "".join(form)
    return numbers and len(set(texts)) > 2 and len(sign) <= MOST_SIGNS and bool(_SIGNS.search(sign))


def _unmentioned(subject: Subject, known: Sequence[Gold], form: tuple[str, str]) -> bool:
    """Whether some word of the form is in no prompt, nor in a description of a tool."""
    start = _HELD.sub(r"<\1></\1>", form[0]).rstrip()
    beside = start.rpartition("\n")[2]
    frame = re.search(_FRAMES, beside)
    framed = frame is not None and ":" not in beside[: frame.start()]  # after a phrase, and not after a label
    mark = frame if framed else _MARKERS.search(beside)  # what an author writes before it is not compared
    marks = f"{beside[mark.start() :] if mark else start} {form[1]}".casefold()
    marks = marks.replace("$", " ") if framed else marks  # mathematics around a box
    words = set(re.findall(r"[^\W_]{2,}|#{2,}|\[\[|[%€$£¥°]|(?<!\w)\w=", marks))
    shown = " ".join([str(subject.tools), *(prompt_text(subject, gold.row) for gold in known)]).casefold()
    return any(not re.search(_mention(word), shown) for word in words)


def _mention(word: str) -> str:
    """What mentions a word of a form: the word itself, longer ones that begin with it, or the name of a sign."""
    if word in _NAMES:
        return f"{re.escape(word)}|{_NAMES[word]}"
    return rf"(?<![^\W_]){re.escape(word)}" + (r"(?![^\W_])" if word.isalpha() and len(word) < 4 else "")


def _loses_most(subject: Subject, shown: Outcome, mostly: float = MOSTLY) -> bool:
    """Whether the right answer in another form earns less than half of what gold earns, on most rows."""
    return sum(loses_half(subject, episode) for episode in shown.episodes) >= mostly * len(shown.episodes)


def _core(gold: Gold, form: tuple[str, str]) -> str:
    return without_form(gold.text, form).strip()
