"""Whether the answers that every prompt offers, such as yes and no, or 1 to 5, score: on any row, and on each row."""

import re
from collections.abc import Iterator, Sequence

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.answer_pairs import as_a_part
from grpo_env_sdk.checking.evidence.attempts.guesses import form_of_golds, without_form
from grpo_env_sdk.checking.evidence.golds import Gold, golds, loses_half, reward_of
from grpo_env_sdk.checking.evidence.prompts.answer_templates import ANSWER_TEMPLATES
from grpo_env_sdk.checking.evidence.prompts.bare_text import bare
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.variants import Variant, golds_with_text, played
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import answer_text
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.plain_text import joined
from grpo_env_sdk.types import Episode

MOST_ROWS = {"quick": 8, "default": 12, "thorough": 40}
FEWEST_ROWS, MOST_OPTIONS, MOST_NUMBERS, FEWEST_UNOFFERED = 8, 8, 13, 2
_WORD = r"[`\"'“]?[\w+-]+[`\"'”]?"
_VERB = (
    r"\b(?:answer|reply|respond|say|return|output|write|choose|state|label|classify|tag|categori[sz]e|rate|judge|mark|"
    r"decide|pick|select|call)\w*\b"
)
_OFFER = regex(
    rf"{_VERB}[^.!?:;\n]{{0,40}}?(?::|\bwith\b|\bby\b|\bas\b|\bonly\b|\b)"
    rf" ?(?:either |exactly |just |one of )?((?:{_WORD}(?:, | / ))*{_WORD},? or {_WORD})(?= ?[.!?,;)\n]|$)",
    re.IGNORECASE,
)
_BETWEEN = r"\(?(?:from |between |of )?(-?\d{1,3}) ?(?:to|and|-|–|through|\.\.) ?(\d{1,3})\b(?! ?[*(/^+×])"  # noqa: RUF001
_RANGE = regex(
    r"(?:\b(?:answer|reply|respond|return|output|give|choose|pick|enter|guess|state|say|rate|score|grade)\b[^.!?;\n]{0,40}?"
    r"|\b(?:rating|score|grade|scale|level|stars?|points?|option|month|rank|class)\b ?)"
    rf"{_BETWEEN}",
    re.IGNORECASE,
)
_OF_DATA = regex(
    r"\b(?:each|every|both|all|numbers|integers|dice|sum|total|product|count|pages|lines|rows|range|interval)\b", re.I
)
"""What the sentence of a range says where it is about what is given."""
_LETTER = regex(r"\b(?:the|a|one|single|its|option|only the|just the) letters?\b", re.IGNORECASE)
_NUMBERED = regex(
    r"\b(?:number of the (?:right |correct |best )?(?:option|answer|choice|statement|word|one)|its number)\b", re.I
)
_OPTION = regex(r"^\s*\(?([A-Ha-h])[).:]\s+\S", re.MULTILINE)
_OF_NUMBERS = regex(r"(?:^|\s)\(?([1-9])[).:]\s+\S", re.MULTILINE)
_ABOUT = regex(r"\b(?:and|then|followed by|because|explain|why|reason\w*)\b", re.IGNORECASE)
_HINT = "Compare with the answers that the prompt asks for, or ask for what is compared: look for counting from 0."


@check("G541", needs=("gold",), kinds=("single-turn",))
def an_answer_that_is_offered_scores(subject: Subject) -> Iterator[Finding]:
    """Some answer of those that all prompts offer scores on some row, and on each row whose gold is not among them."""
    known = golds_with_text(subject, MOST_ROWS[subject.effort])
    offers = {gold.row: offered(prompt_text(subject, gold.row)) for gold in golds(subject).values()}
    if len(known) < FEWEST_ROWS or not all(offers.values()) or len(set(offers.values())) > 1:
        return
    options, texts = next(iter(offers.values())), {gold.text for gold in golds(subject).values()}
    if (len(options[0]) > 1 or options[0].isdigit()) and len(texts) > 2 * len(options):
        return  # words or numbers that say something else, such as "a word or two"
    best = _best(subject, known, options)
    if best and all(loses_half(subject, episode) for episode in best.values()):
        yield _none_scores(subject, list(best.values()), options, f"on any of {len(known)} rows")
        return
    form = form_of_golds(subject)
    named = {option.casefold() for option in options}
    cores = {gold.row: bare(without_form(gold.text, form)) for gold in golds(subject).values()}
    prompts = [prompt_text(subject, gold.row) for gold in known]
    unoffered = [
        gold for gold in golds(subject).values()
        if cores[gold.row] not in named and not all(_says(prompt, cores[gold.row]) for prompt in prompts)
    ]  # fmt: skip
    fewest = 1 if _counted_from_one_less(options, texts) else FEWEST_UNOFFERED
    if len(unoffered) < fewest:
        return
    best = _best(subject, unoffered[: MOST_ROWS[subject.effort]], options)
    lost = [episode for episode in best.values() if loses_half(subject, episode)]
    if len(lost) >= fewest and len(lost) == len(best):
        yield _none_scores(subject, lost, options, f"on {len(unoffered)} of {len(golds(subject))} rows")


def _says(prompt: str, core: str) -> bool:
    """Whether a prompt names an answer beside those that it offers, such as 0 for none."""
    return bool(core) and re.search(as_a_part(core), prompt, re.IGNORECASE) is not None


def _counted_from_one_less(options: Sequence[str], texts: set[str]) -> bool:
    """Whether golds are the numbers of a range that begins one below the one that is offered, and ends below it."""
    numbers = {int(text) for text in texts if re.fullmatch(r"-?\d{1,3}", text)}
    first = int(options[0]) - 1 if options[0].isdigit() else None
    return (
        first is not None and len(numbers) == len(texts) and min(numbers) == first and int(options[-1]) not in numbers
    )


def _best(subject: Subject, known: Sequence[Gold], options: Sequence[str]) -> dict[int, Episode]:
    """The best episode of each row with one of the options, in the usual frames; empty where some were not played."""
    before, after = form_of_golds(subject)
    frames = dict.fromkeys([*ANSWER_TEMPLATES[:3], f"{before}\0{after}".replace("{", "{{").replace("}", "}}")])
    variants = [
        Variant("offered", gold, frame.replace("\0", "{}").format(option))
        for gold in known
        for frame in frames
        for option in options
    ]
    outcome = played(subject, variants).get("offered")
    best: dict[int, Episode] = {}
    for episode in outcome.episodes if outcome and len(outcome.episodes) == len(variants) else ():
        first = best.setdefault(episode.row_index, episode)
        if reward_of(episode) > reward_of(first):
            best[episode.row_index] = episode
    return best


def _none_scores(subject: Subject, lost: Sequence[Episode], options: Sequence[str], where: str) -> Finding:
    best = max(lost, key=reward_of)
    gold = golds(subject)[best.row_index]
    return Finding(
        f"The prompt offers {joined([quoted(option) for option in options])}, and none of them scores as gold {where}: "
        f"gold is {quoted(gold.text)} in row {gold.row}.",
        _HINT, row=gold.row, input=answer_text(best.completion), output=best.reward, expected=gold.reward,
    )  # fmt: skip


def offered(prompt: str) -> tuple[str, ...]:
    """The few words, numbers, or letters of options, that a prompt tells to choose from; empty where it offers none."""
    for mark, asked in ((_OPTION, _LETTER), (_OF_NUMBERS, _NUMBERED)):
        marks = mark.findall(prompt)
        if len(marks) > 1 and len(set(marks)) == len(marks) and asked.search(mark.sub("", prompt)):
            return tuple(marks)
    if numbers := _in_range(prompt):
        return numbers
    found = _OFFER.findall(prompt)
    if not found or _ABOUT.search(prompt[prompt.rfind(found[-1]) + len(found[-1]) :].partition("\n")[0]):
        return ()
    words = re.split(r",? or |, | / ", found[-1], flags=re.IGNORECASE)
    options = tuple(word.strip("`\"'“”") for word in words)
    if not all(re.fullmatch(r"[^\W\d_][\w+-]+|[A-H]", option) for option in options):
        return ()
    return options if 2 <= len(set(options)) <= MOST_OPTIONS else ()


def _in_range(prompt: str) -> tuple[str, ...]:
    """The numbers of the one range that a prompt asks for; empty where it asks for none, or for many numbers."""
    found = list(_RANGE.finditer(prompt))
    if len(found) != 1:
        return ()
    start, end = prompt.rfind("\n", 0, found[0].start()) + 1, found[0].end()
    start = max(start, prompt.rfind(". ", 0, found[0].start()) + 1)
    low, high = int(found[0][1]), int(found[0][2])
    if _OF_DATA.search(prompt[start:end]) or not 0 < high - low < MOST_NUMBERS:
        return ()
    return tuple(map(str, range(low, high + 1)))
