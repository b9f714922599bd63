"""Whether right answers are refused in a form that the prompt asks for, allows or uses itself."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import golds, quoted
from grpo_env_sdk.checking.evidence.guesses import form_of, without_form
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.variants import Outcome, Variant, golds_with_text, played, prompt_text
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import answer_text
from grpo_env_sdk.report.plain_text import joined

MOST_ROWS = {"quick": 8, "default": 12, "thorough": 40}
FEWEST_ROWS = 4
MOST_CHARS = 4_000
"""The last characters of a prompt, in which instructions are looked for."""
_OPTION = re.compile(r"^\s*(\(?([A-Ha-h])[).:]\s+\S.*?)\s*$", re.MULTILINE)
_PLACES = {"one": 1, "two": 2, "three": 3, "four": 4}
_BEGUN = re.compile(r"\s*(?:[{\[<`]|def |class |import |select )", re.IGNORECASE)
"""Gold that is data or code from its first letter on: words before it are not asked for."""


@dataclass(frozen=True, slots=True)
class Form:
    """Another way to write an answer, and what a prompt says where it is as good."""

    name: str
    write: Callable[[str, str], str | None]
    """The answer of a prompt in this form; None where that is no other text."""
    asked: str = ""
    but: str = "(?!)"
    whole: bool = False
    """Whether it is written around all that gold says."""
    sure: bool = False
    """Whether the prompt asks for it, so that refusing it is an error."""


def _explained(gold: str, prompt: str) -> str | None:
    return None if _BEGUN.match(gold) else f"Let me think about what is asked, one step after another.\n\n{gold}"


def _as_shown(core: str, prompt: str) -> str | None:
    """A word in the case in which the prompt has it, where it has it in no other."""
    if not re.fullmatch(r"[^\W\d_]{2,}(?: [^\W\d_]+)*", core):
        return None
    shown = set(re.findall(rf"(?<!\w){re.escape(core)}(?!\w)", prompt, re.IGNORECASE))
    return shown.pop() if len(shown) == 1 and core not in shown else None


def _with_thousands(core: str, prompt: str) -> str | None:
    return f"{int(core):,}" if re.fullmatch(r"[1-9]\d{3,}", core) else None


def _with_dollars(core: str, prompt: str) -> str | None:
    return f"${core}" if re.fullmatch(r"\d+(?:\.\d+)?", core) else None


def _in_latex(core: str, prompt: str) -> str | None:
    found = re.fullmatch(r"(-?)(\d+)/(\d+)", core)
    return f"{found[1]}\\frac{{{found[2]}}}{{{found[3]}}}" if found else None


def _as_the_other(core: str, prompt: str) -> str | None:
    """A fraction as a decimal that ends, and a decimal as a fraction."""
    if not re.fullmatch(r"-?\d+(?:/[1-9]\d*|\.\d+)", core):
        return None
    value = Fraction(core)
    if "/" not in core:
        return str(value) if value.denominator > 1 else None
    decimal = f"{float(value):.4f}".rstrip("0").rstrip(".")
    return decimal if Fraction(decimal) == value else None


def _rounded(core: str, prompt: str) -> str | None:
    """A number with as many decimals as the prompt asks for."""
    found = re.search(_DECIMALS, prompt, re.IGNORECASE)
    if found is None or not re.fullmatch(r"-?\d+(?:\.\d+)?", core):
        return None
    places = _PLACES.get(found[1].casefold()) or int(found[1])
    short = places > len(core.partition(".")[2])
    return f"{float(core):.{places}f}" if short else None


def _spaced(core: str, prompt: str) -> str | None:
    """JSON with other spaces."""
    value = _data(core)
    close, wide = json.dumps(value, separators=(",", ":")), json.dumps(value)
    return None if value is None or close == wide else wide if core.strip() == close else close


def _reordered(core: str, prompt: str) -> str | None:
    """A JSON object with its keys in another order."""
    value = _data(core)
    return json.dumps(dict(reversed(value.items()))) if isinstance(value, dict) and len(value) > 1 else None


def _data(core: str) -> object:
    try:
        value = json.loads(core)
    except ValueError:
        return None
    return value if isinstance(value, dict | list) and value else None


def _commas(core: str, prompt: str) -> str | None:
    if _data(core) is not None or not re.fullmatch(r"[\w.-]+(?:, ?[\w.-]+)+", core):
        return None
    return core.replace(", ", ",") if ", " in core else core.replace(",", ", ")


def _plain(core: str, prompt: str) -> str | None:
    """A number without zeros in front of it, or decimals that are all zeros, where no number of the prompt has them."""
    plain = re.sub(r"^(-?)0+(?=\d)|\.0+$", r"\1", core)
    shown = re.search(r"(?<![\w.,])0\d|\d\.\d", prompt)
    return plain if re.fullmatch(r"-?\d+(?:\.0+)?", core) and plain != core and not shown else None


def _items(core: str) -> tuple[list[str], str]:
    """The values of a list, and what is between them."""
    for between in ("; ", ";", " | ", "|", "\n", ", ", ",", " "):
        items = core.split(between)
        if len(items) > 1 and all(re.fullmatch(r"-?\w[\w .-]*", item) for item in items):
            return items, between
    return [], ""


def _with_commas(core: str, prompt: str) -> str | None:
    items, between = _items(core)
    numbers = all(item.isdecimal() for item in items)
    return ", ".join(items) if items and "," not in between and (between != " " or numbers) else None


def _turned(core: str, prompt: str) -> str | None:
    """A list in reverse order."""
    items, between = _items(core)
    value = _data(core)
    if isinstance(value, list):
        return json.dumps(value[::-1])
    return between.join(reversed(items)) if items and (between != " " or len(items[0]) < 20) else None


def _in_mask(core: str, prompt: str) -> str | None:
    """A date in the order and with the marks that a prompt asks for."""
    mask = next((mask for mask in _DATES if mask in prompt), "")
    for written in _DATES if mask else ():
        found = re.fullmatch(_DATES[written], core)
        if found and written != mask:
            date = mask
            for part, value in zip(re.findall(r"Y+|M+|D+", written), found.groups(), strict=True):
                date = date.replace(part, value)
            return date
    return None


def _in_sentence(core: str, prompt: str) -> str | None:
    return f"The answer is {core}." if len(core.split()) < 3 else None


def _option_line(core: str, prompt: str) -> str | None:
    """The option as it is in the prompt, with its letter and its text."""
    lines = [line for line, letter in _OPTION.findall(prompt) if letter == core]
    return lines[0] if len(lines) == 1 else None


_DATES = {
    mask: re.sub(r"D+|M+", r"(\\d\\d)", re.escape(mask).replace("YYYY", r"(\d{4})"))
    for mask in ("YYYY-MM-DD", "DD.MM.YYYY", "DD/MM/YYYY", "MM/DD/YYYY", "YYYY/MM/DD", "DD-MM-YYYY", "YYYYMMDD")
}
_ONLY = (
    r"\b(?:only|just|nothing (?:else|but)|no other|exactly|(?:a|one) single|one (?:word|letter|number)|letter|digits)\b"
)
_DECIMALS = r"\b(one|two|three|four|[1-4]) (?:decimals?\b|decimal places?\b|digits? (?:after|behind) the)"
_THINKS = (
    r"(?<!not )(?<!n't )(?<!without )\b(?:step[- ]by[- ]step|explain (?:your|how|why)|show (?:your|the|all) "
    r"(?:work\w*|steps|reasoning)|think (?:it through|aloud|first|before)|reason (?:first|aloud|step))"
)
_DOLLARS = r"(?s)^(?!.*\$[^$\n]*[=+\\^{][^$\n]*\$).*\$\d"
_CASE = r"\b(?:case|capital\w*|lower|upper|letters?|spell\w*)\b"
_EITHER = r"\bfractions? or (?:as )?(?:an? )?decimal|\bdecimals? or (?:as )?(?:an? )?fraction"
_SLASH = r"(?:like|such as|e\.g\.?,?|example:?|form|as) ?[`'\"]?(?:\d+/\d+|\w/\w)|slash|" + _ONLY
_SILENT = r"\b(?:no|without|not|n't) (?:\w+ )?(?:expla\w+|work\w*|reason\w*|steps)|\bonly the (?:answer|number|result)"
_PADDED = (
    r"\b(?:digits?|zero\w*|pad\w*|code|pin|decimal\w*|places|precis\w*|format\w*|cents?|exact\w*|binary|hex\w*|octal|"
    r"id|time|date|clock|float\w*|round(?:ed)?(?! down| up)|nearest)\b"
)
_SENTENCE = r"\b(?:in|with|as) (?:one|an?|a single|a full|a complete|full|complete) (?:short )?sentences?\b"
_ANY_ORDER = r"\bin any order\b|\border (?:does not|doesn't) matter|\border is not important"
_LOWER = r"\b(?:in|all|use|as) (?:all )?lower[- ]?case\b"
_UPPER = r"\b(?:in|all|use|as) (?:all )?(?:upper[- ]?case|capitals|capital letters)\b"
_OF_SOME = r"\b(?:upper|capital(?:s|i[sz]e\w*| letters?)|not|first letter|letters of)\b"
_SEPARATED = r"\bseparated by (?:a |single )?commas?\b|\bcomma[- ]separated\b"
FORMS = (
    Form("with the decimals that it asks for", _rounded, _DECIMALS),
    Form("as a date in the form that it asks for", _in_mask, "YYYY", r"\bfrom\b|\bnot\b", sure=True),
    Form(
        "in lower case",
        lambda core, _: core.lower(),
        _LOWER,
        r"\b(?:upper|capital(?:s|i[sz]e\w*| letters?)|not|first letter|letters of)\b",
        sure=True,
    ),
    Form(
        "in capitals", lambda core, _: core.upper(), _UPPER, r"\blower|\bnot\b|\bfirst letter|\bletters? of", sure=True
    ),
    Form("separated by commas", _with_commas, _SEPARATED, sure=True),
    Form("in another order", _turned, _ANY_ORDER, sure=True),
    Form("in a sentence", _in_sentence, _SENTENCE, sure=True),
    Form("as a plain number", _plain, "", _PADDED),
    Form("after an explanation", _explained, _THINKS, _SILENT, True),
    Form("in the case in which it is shown", _as_shown, "", _CASE),
    Form("as a fraction or a decimal", _as_the_other, _EITHER),
    Form("as a fraction in LaTeX", _in_latex, r"\bfraction\b|\\frac", _SLASH),
    Form("with thousands separators", _with_thousands, r"\b\d{1,3},\d{3}\b", r"\bcommas?\b|separator|" + _ONLY),
    Form("with the sign of the currency", _with_dollars, _DOLLARS, r"\bnumber\b|\bunit|\bsign|" + _ONLY),
    Form("as JSON with other spaces", _spaced, r"\bJSON\b", r"compact|minif|one line|spaces|exactly"),
    Form("as JSON with its keys in another order", _reordered, r"\bJSON\b", r"\border|exactly|sorted"),
    Form("with other spaces between its values", _commas, r"\bcommas?\b", r"\bspaces?\b|exactly|format"),
    Form("as the whole option", _option_line, "", _ONLY),
)
_ASKED = frozenset(form.name for form in FORMS if form.sure)
"""The forms that a prompt asks for: refusing them is an error."""


@check("G540", needs=("gold",), kinds=("single-turn",), severity="warning")
def forms_that_a_prompt_allows_are_accepted(subject: Subject) -> Iterator[Finding]:
    """The right answer scores in a form that the prompt asks for, allows or uses itself."""
    known = golds_with_text(subject, MOST_ROWS[subject.effort])
    frame = form_of([gold.text for gold in golds(subject).values()])
    variants = [
        Variant(form.name, gold, text)
        for gold in known
        for form in FORMS
        if (text := _written(form, gold.text, frame, prompt_text(subject, gold.row)[-MOST_CHARS:])) is not None
    ]
    refused = [one for one in played(subject, variants).values() if _refused(subject, one)]
    refused.sort(key=lambda one: one.name not in _ASKED)
    if refused:
        episode = refused[0].episodes[0]
        said, wanted = answer_text(episode.completion), golds(subject)[episode.row_index]
        yield Finding(
            f"The right answer {joined([one.name for one in refused])} is refused, although the prompt asks for that, "
            f"or shows it so: {quoted(said)} scores {episode.reward:g}, and {quoted(wanted.text)} {wanted.reward:g}, "
            f"on {len(refused[0].episodes)} rows.",
            "Compare what answers mean (numbers, parsed JSON, words without case), or say in the prompt which form "
            "counts.",
            episode.row_index, said, episode.reward, wanted.reward,
            severity="error" if refused[0].name in _ASKED else "warning",
        )  # fmt: skip


def _written(form: Form, gold: str, frame: tuple[str, str], prompt: str) -> str | None:
    """Gold in another form, inside what all golds share or else as a whole; None where the prompt rules that out."""
    if not re.search(form.asked, prompt, re.IGNORECASE) or re.search(form.but, prompt, re.IGNORECASE):
        return None
    for before, after in (("", ""),) if form.whole else (frame, ("", "")):
        core = without_form(gold, (before, after)).strip()
        text = form.write(core, prompt)
        if text is not None and text != core:
            return f"{before}{text}{after}"
    return None


def _refused(subject: Subject, outcome: Outcome) -> bool:
    """Whether no row accepts a form, and each loses more than half of what gold earns by it."""
    low = subject.traits.reward_range[0]
    lost = [
        (episode.reward or 0.0) - low < (golds(subject)[episode.row_index].reward - low) / 2
        for episode in outcome.episodes
    ]
    return len(lost) >= FEWEST_ROWS and all(lost)
