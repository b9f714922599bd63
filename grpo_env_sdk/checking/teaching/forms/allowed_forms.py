"""Whether right answers are refused in a form that the prompt asks for, allows or uses itself."""

import json
import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.guesses import form_of_golds, without_form
from grpo_env_sdk.checking.evidence.golds import NEARLY, gold_episodes, golds, loses_half
from grpo_env_sdk.checking.evidence.prompts.asked_lengths import grows_too_long
from grpo_env_sdk.checking.evidence.prompts.english import in_english
from grpo_env_sdk.checking.evidence.quoted_answers import both_quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.variants import Outcome, Variant, golds_with_text, played
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.forms.allowed_of_arguments import arguments_are_refused_in_allowed_forms
from grpo_env_sdk.checking.teaching.forms.choice_forms import CHOICE_FORMS
from grpo_env_sdk.checking.teaching.forms.clock_forms import CLOCK_FORMS
from grpo_env_sdk.checking.teaching.forms.date_forms import DATE_FORMS
from grpo_env_sdk.checking.teaching.forms.decimal_commas import decimal_commas_are_refused
from grpo_env_sdk.checking.teaching.forms.default_arguments import defaults_are_refused
from grpo_env_sdk.checking.teaching.forms.explanation_forms import EXPLANATION_FORMS, explained
from grpo_env_sdk.checking.teaching.forms.form import NEGATED, ONLY, SILENT, THINKS, Form
from grpo_env_sdk.checking.teaching.forms.fraction_forms import FRACTION_FORMS
from grpo_env_sdk.checking.teaching.forms.letter_forms import COMPOSED, LETTER_FORMS
from grpo_env_sdk.checking.teaching.forms.list_forms import LIST_FORMS, cuts_an_item, data_of, with_commas
from grpo_env_sdk.checking.teaching.forms.number_forms import NUMBER_FORMS, with_dollars, with_thousands
from grpo_env_sdk.checking.teaching.forms.optional_forms import OPTIONAL_FORMS
from grpo_env_sdk.checking.teaching.forms.order_forms import ORDER_FORMS
from grpo_env_sdk.checking.teaching.forms.tag_forms import TAG_FORMS
from grpo_env_sdk.checking.teaching.lazy_answers.idling import MOSTLY
from grpo_env_sdk.data.messages import answer_text
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.plain_text import joined
from grpo_env_sdk.types import Episode

MOST_ROWS = {"quick": 8, "default": 12, "thorough": 40}
MOST_LOOKED_AT = 60
BESIDE = "beside"
MOST_CHARS = 4_000
"""The last characters of a prompt, in which instructions are looked for."""
_OPTION = regex(r"^\s*(\(?([A-Ha-h])[).:]\s+\S.*?)\s*$", re.MULTILINE)
_CODE = regex(r"\w\(|\blambda\b|\w\[|[{}=;]")
"""Gold that is code: capitals in what it makes are not those of its own text."""


def _fenced(core: str, prompt: str) -> str | None:
    return f"```json\n{core}\n```" if data_of(core) is not None else None


def _as_shown(core: str, prompt: str) -> str | None:
    """A word in the case in which the prompt has it, where it has no other, and asks in English."""
    if not in_english(prompt) or not re.fullmatch(r"[^\W\d_]{2,}(?: [^\W\d_]+)*", core):
        return None
    shown = set(re.findall(rf"(?<!\w){re.escape(core)}(?!\w)", prompt, re.IGNORECASE))
    return shown.pop() if len(shown) == 1 and core not in shown else None


def _spaced(core: str, prompt: str) -> str | None:
    """JSON with other spaces."""
    value = data_of(core)
    close, wide = json.dumps(value, separators=(",", ":")), json.dumps(value)
    return None if value is None or close == wide else wide if core.strip() == close else close


def _reordered(core: str, prompt: str) -> str | None:
    """A JSON object with its keys in another order."""
    value = data_of(core)
    return json.dumps(dict(reversed(value.items()))) if isinstance(value, dict) and len(value) > 1 else None


def _commas(core: str, prompt: str) -> str | None:
    if data_of(core) is not None or not re.fullmatch(r"[\w.-]+(?:, ?[\w.-]+)+", core):
        return None
    return core.replace(", ", ",") if ", " in core else core.replace(",", ", ")


def _in_sentence(core: str, prompt: str) -> str | None:
    return f"The answer is {core}." if len(core.split()) < 3 else None


def _option_line(core: str, prompt: str) -> str | None:
    """The option as it is in the prompt, with its letter and its text."""
    lines = [line for line, letter in _OPTION.findall(prompt) if letter == core]
    return lines[0] if len(lines) == 1 else None


_DOLLARS = r"(?s)^(?!.*\$[^$\n]*[=+\\^{][^$\n]*\$).*\$\d"
_CASE = r"\b(?:case|capital\w*|lower|upper|letters?|spell\w*)\b"
_AT_ONCE = (
    rf"{SILENT}|\b(?:only|just|nothing (?:else|but)|a single|begin|start|first (?:line|word)|brief\w*|concise\w*)\b"
)
_SENTENCE = r"\b(?:in|with|as) (?:one|an?|a single|a full|a complete|full|complete) (?:short )?sentences?\b"
_OWN_SENTENCE = r"\b(?:or two|then|end|begin\w*|start\w*|such as|like|for example|for instance)\b|\be\.g\."
"""The prompt wants more than any sentence, or shows which."""
_LOWER = r"\b(?:in|all|use|as) (?:all )?lower[- ]?case\b"
_UPPER = r"\b(?:in|all|use|as) (?:all )?(?:upper[- ]?case|capitals|capital letters)\b"
_OF_SOME = r"\b(?:upper|capital(?:s|i[sz]e\w*| letters?)|first letter|letters of)\b"
_SEPARATED = r"\bseparated by (?:a |single )?commas?\b|\bcomma[- ]separated\b"
FORMS = (
    *LIST_FORMS,
    *NUMBER_FORMS,
    *CLOCK_FORMS,
    *DATE_FORMS,
    *OPTIONAL_FORMS,
    *CHOICE_FORMS,
    *LETTER_FORMS,
    *TAG_FORMS,
    Form(
        "in lower case",
        lambda core, _: None if _CODE.search(core) else core.lower(),
        _LOWER,
        _OF_SOME,
        sure=True,
        unless=NEGATED,
    ),
    Form(
        "in capitals",
        lambda core, _: None if _CODE.search(core) else core.upper(),
        _UPPER,
        r"\blower|\bfirst letter|\bletters? of",
        sure=True,
        unless=NEGATED,
    ),
    Form("separated by commas", with_commas, _SEPARATED, sure=True),
    *ORDER_FORMS,
    Form("in a sentence", _in_sentence, _SENTENCE, _OWN_SENTENCE, sure=True),
    *EXPLANATION_FORMS,
    *FRACTION_FORMS,
    Form(
        "in a code fence",
        _fenced,
        r"\bJSON\b",
        rf"{ONLY}|fence|compact|\braw\b|code|markdown|\balone\b|\bpars\w+|{SILENT}",
    ),
    Form("with its text", _option_line, r"\bletter and (?:the |its )?(?:text|word|option)", SILENT, sure=True),
    Form("in the case in which it is shown", _as_shown, "", _CASE),
    Form("with thousands separators", with_thousands, r"\b\d{1,3},\d{3}\b", r"\bcommas?\b|separator|" + ONLY),
    Form("with the sign of the currency", with_dollars, _DOLLARS, r"\bnumber\b|\bunit|\bsign|decimals|cents|" + ONLY),
    Form("as JSON with other spaces", _spaced, r"\bJSON\b", r"compact|minif|one line|spaces|exactly"),
    Form("as JSON with its keys in another order", _reordered, r"\bJSON\b", r"\border|exactly|sorted|compact"),
    Form(
        "with other spaces between its values",
        _commas,
        r"\bcommas?\b",
        r"\bspaces?\b|exactly|format|\bcents?\b|decimal|thousand",
    ),
    Form("as the whole option", _option_line, "", ONLY),
)


@check("G540", needs=("gold",), severity="warning", share=6)
def forms_that_a_prompt_allows_are_accepted(subject: Subject) -> Iterator[Finding]:
    """The right answer scores in a form that the prompt asks for, allows or uses itself."""
    outcomes = played(subject, _variants(subject))
    refused = [form for form in _tried(subject) if _refused(subject, form, outcomes)]
    refused.sort(key=lambda form: not _is_sure(subject, form, outcomes))
    if refused:
        outcome = outcomes[refused[0].name]
        episode = outcome.episodes[0]
        said, wanted = answer_text(episode.completion), golds(subject)[episode.row_index]
        shown, right = both_quoted(said, wanted.text)
        sure = _is_sure(subject, refused[0], outcomes)
        yield Finding(
            f"The right answer {joined([form.name for form in refused])} is refused, "
            f"{_why_it_counts(refused[0]) if sure else 'which the prompt does not say'}: "
            f"{shown} scores {episode.reward:g}, and {right} {wanted.reward:g}, on {len(outcome.episodes)} rows.",
            "Compare what answers mean (numbers, parsed JSON, words without case, letters in one Unicode form), or say "
            "in the prompt which form counts.",
            episode.row_index, said, episode.reward, wanted.reward,
            severity="error" if sure else "warning",
        )  # fmt: skip
    else:
        finders = (decimal_commas_are_refused, arguments_are_refused_in_allowed_forms, defaults_are_refused)
        yield from islice(chain.from_iterable(find(subject) for find in finders), 1)


def _why_it_counts(form: Form) -> str:
    return "although it reads the same" if form in LETTER_FORMS else "although the prompt asks for that"


def _tried(subject: Subject) -> Sequence[Form]:
    """All forms where the prompt is all that is read; else those that it allows, and the one that looks the same."""
    return FORMS if subject.traits.kind == "single-turn" else (*DATE_FORMS, *OPTIONAL_FORMS, *CHOICE_FORMS, COMPOSED)


def _variants(subject: Subject) -> Iterator[Variant]:
    """The golds of some rows in each form that their prompts leave open, and in the form beside it."""
    most = MOST_ROWS[subject.effort]
    known = golds_with_text(subject, most)
    first = {gold.row for gold in known}
    known += [gold for gold in golds(subject).values() if gold.row not in first][: MOST_LOOKED_AT if known else 0]
    frame = form_of_golds(subject)
    prompts = {gold.row: prompt_text(subject, gold.row)[-MOST_CHARS:] for gold in known}
    for form in _tried(subject):
        texts = ((gold, _written(form, gold.text, frame, prompts[gold.row])) for gold in known)
        for gold, text in islice(((gold, text) for gold, text in texts if text is not None), most):
            yield Variant(form.name, gold, text)
            if form.beside is not None:
                yield Variant(f"{BESIDE} {form.name}", gold, form.beside(gold.text, prompts[gold.row]) or gold.text)


def _written(form: Form, gold: str, frame: tuple[str, str], prompt: str) -> str | None:
    """Gold in another form, inside what all golds share or else as a whole; None where the prompt rules that out."""
    cut = re.search(
        r"\d[-:./]\0|\0[-:./]\d|(?<!\[)\[\s*['\"]?\0", "\0".join(frame)
    )  # in a date, a time or a list of JSON
    for before, after in (("", ""),) if form.whole or cut else (frame, ("", "")):
        core = without_form(gold, (before, after)).strip()
        if cuts_an_item(core, before, after):
            continue
        text = form.write(core, prompt)
        if text is not None and text != core:  # the prompt is searched last, as that takes longest
            whole = f"{before}{text}{after}"
            return whole if form.applies(prompt, core) and not grows_too_long(prompt, whole, gold) else None
    return None


def _refused(subject: Subject, form: Form, outcomes: dict[str, Outcome]) -> bool:
    """Whether no row accepts a form, and each loses more than half of what gold earns by it."""
    outcome, beside = outcomes.get(form.name), outcomes.get(f"{BESIDE} {form.name}")
    if outcome is None or (form.beside is not None and (beside is None or not beside.proven(MOSTLY))):
        return False
    lost = [
        loses_half(subject, episode) or (form in TAG_FORMS and _loses_a_reward(subject, episode))
        for episode in outcome.episodes
    ]
    return len(lost) >= form.fewest and all(lost)


def _loses_a_reward(subject: Subject, episode: Episode) -> bool:
    """Whether a named reward of gold is lost: tags that the prompt shows are what it scores."""
    of_gold = gold_episodes(subject)[episode.row_index].rewards
    return any(
        value is not None and (wanted := of_gold.get(name)) is not None and value < wanted / 2 - NEARLY
        for name, value in episode.rewards.items()
    )


def _is_sure(subject: Subject, form: Form, outcomes: dict[str, Outcome]) -> bool:
    """Whether refusing a form is an error; an explanation is one where the prompt asks for it."""
    prompt = prompt_text(subject, outcomes[form.name].episodes[0].row_index)
    asked = re.search(THINKS, prompt, re.IGNORECASE) is not None
    invited = form.write is explained and asked and not re.search(_AT_ONCE, prompt, re.IGNORECASE)
    return form.sure or invited or (form.beside is not None and asked)
