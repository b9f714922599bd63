"""Whether every part of a composite gold answer counts: each number, its decimals, and the order of the parts."""

import re
from collections.abc import Iterator, Sequence

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import Gold, golds
from grpo_env_sdk.checking.evidence.playing.read_columns import is_compared_with
from grpo_env_sdk.checking.evidence.prompts.answer_frames import answer_span
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.variants import Outcome, Variant, golds_with_text, played, still_earns
from grpo_env_sdk.checking.findings.finding import Finding, Severity
from grpo_env_sdk.checking.teaching.lazy_answers.idling import MOSTLY, OFTEN
from grpo_env_sdk.checking.teaching.wrong_answers.close_amounts import NEARLY, slightly_larger
from grpo_env_sdk.checking.teaching.wrong_answers.given_numbers import COUNT_THEM, OF_GIVEN_NUMBERS, used_otherwise
from grpo_env_sdk.checking.teaching.wrong_answers.marks_in_gold import (
    INNER_SIGN,
    LAST_SIGN,
    NO_MARKS,
    NO_SPACE,
    OTHER_BOUND,
    inner_sign_turned,
    last_sign_turned,
    other_bound,
    without_marks,
    without_space,
)
from grpo_env_sdk.checking.teaching.wrong_answers.shown_values import SHOWN, SHOWN_PLAIN, with_shown
from grpo_env_sdk.checking.teaching.wrong_answers.swapped_parts import (
    DATE,
    NUMBER,
    SMALL,
    WORD,
    corrected,
    digit_moved,
    is_framed,
    items_swapped,
    items_turned,
    places_swapped,
    swapped,
    words_swapped,
)
from grpo_env_sdk.checking.teaching.wrong_answers.twin_golds import ACCENTS, CAPITALS, SIGNS, TOLD_APART, twins
from grpo_env_sdk.checking.teaching.wrong_answers.worth_of_others import worth_of_others
from grpo_env_sdk.late_patterns import regex

MOST_ROWS = {"quick": 10, "default": 24, "thorough": 100}
MOST_CHARS, FEWEST_UNCOMPARED, MOST_UNITS = 200, 8, 2
"""Longer answers are explanations, of which only a part is the answer."""
_SHOWS_WORK = regex(r"\d\s*[-+*/^]\s*\d[^/]*=|=[^,;]*=|\d\s*=|\n\s*\n|<think|because|therefore", re.IGNORECASE)
_DECIMAL_COMMA = regex(r"(?<![(\[{<\w.,])-?\d+,\d{1,3}(?![)\]}>\w,])")
_CLOCK = regex(r"(?<!\d)(\d{1,2}):(\d\d)(?::(\d\d))?(?!\d)")
_ROOM = regex(r"\b(?:about|around|approx\w*|roughly|nearest|within|toleran\w*|estimat\w*)\b|[±≈]", re.IGNORECASE)
"""What a prompt says that leaves room for another time or day."""
_IN_TIME = ((_CLOCK, ((12, 24, 0), (30, 60, 0), (30, 60, 0))), (DATE, ((3, 10_000, 0), (5, 12, 1), (11, 28, 1))))
"""The parts of times and dates: how much is added to another one, of how many there are, and the first of them."""
_HINT = "Compare every part of the answer with the right one, in its place, and not just one of them."
_EXACT = regex(r"decimal|cents?\b|exact|precis|nearest|\d\.\d\d")


@check("G515", needs=("gold",), severity="warning", share=2)
def every_part_of_gold_counts(subject: Subject) -> Iterator[Finding]:
    """Another number in a composite answer, other decimals, swapped parts, or what gold corrects, score less."""
    known = golds_with_text(subject, MOST_ROWS[subject.effort])
    short = [gold for gold in known if len(_answer(gold)) <= MOST_CHARS and not _SHOWS_WORK.search(_answer(gold))]
    framed = is_framed([_answer(gold) for gold in short])
    variants = [variant for gold in short for variant in _variants(subject, gold, framed)]
    outcomes = played(subject, [*variants, *(_twins(subject) if known else ())])
    yield from _numbers(subject, outcomes, short)
    decimals = list(_decimals(subject, outcomes, short))
    yield from decimals
    compared = is_compared_with(subject, {gold.row: gold.text for gold in known})
    for name in _REPORTED:
        if name == NEARLY and decimals:
            continue  # it is the same fault
        meant = name not in _IF_COMPARED and (name != SWAPPED or len(known) >= FEWEST_UNCOMPARED)
        if name in outcomes and outcomes[name].proven(OFTEN) and (compared or meant):
            sure = name not in _GUESSES and (compared or name not in SHOWN) and outcomes[name].proven(MOSTLY)
            yield _finding(subject, outcomes[name], name, "error" if sure else "warning")
    yield from worth_of_others(subject)


SWAPPED, SWAPPED_ITEMS = "with two of its numbers swapped", "with two of its items swapped"
TURNED_ITEMS = "with its items the other way round"
SWAPPED_PLACES, SWAPPED_WORDS = "with two of its numbers in each other's place", "with two of its words swapped"
UNCHANGED = "replaced by the text of the prompt that it corrects"
DIGIT_MOVED = "with a digit moved from one of its numbers to the next"
_REPORTED = (
    *(SWAPPED, SWAPPED_PLACES, SWAPPED_ITEMS, TURNED_ITEMS, SWAPPED_WORDS, UNCHANGED, DIGIT_MOVED),
    *OF_GIVEN_NUMBERS,
    *(LAST_SIGN, INNER_SIGN),
    *(OTHER_BOUND, NO_MARKS, NO_SPACE, NEARLY, *SHOWN, *SHOWN_PLAIN, TOLD_APART, CAPITALS, ACCENTS, SIGNS),
)
_IF_COMPARED = (SWAPPED_PLACES, SWAPPED_WORDS, INNER_SIGN, *SHOWN_PLAIN)
"""These are reported only where the scorer has the one right answer to compare with."""
_GUESSES = (CAPITALS, ACCENTS)
"""These are warnings at most: a text in another writing may be the same answer."""
_LOST = {
    "which are cut off before comparing,": ("with other decimals", "with decimals just beyond the next whole number"),
    "which are rounded before comparing,": ("with other cents", "with decimals just beyond the next half"),
}
"""How decimals may be lost: the name of a change that is lost with them, and of a smaller one that is not."""


def _variants(subject: Subject, gold: Gold, framed: bool) -> Iterator[Variant]:
    """What may be changed in one gold answer; whether all of them have a word in the same place."""
    begins, ends = answer_span(gold.text)
    for name, changed in _changes(prompt_text(subject, gold.row), gold.text[begins:ends], framed):
        yield Variant(name, gold, gold.text[:begins] + changed + gold.text[ends:])


def _answer(gold: Gold) -> str:
    return gold.text[slice(*answer_span(gold.text))]


def _changes(prompt: str, text: str, framed: bool) -> Iterator[tuple[str, str]]:
    """Each change of an answer by its name."""
    places = list(NUMBER.finditer(text))
    given = {found.group() for found in NUMBER.finditer(prompt)}
    for number, found in enumerate(places, 1):
        if _DECIMAL_COMMA.search(text) and len(places) == 2 and number == 2:
            continue  # it may be the decimals of the first, within a tolerance
        if len(places) > 1 and (found.group() not in given or not WORD.search(text)):
            in_time = _other_in_time(text, found)
            if in_time and _ROOM.search(prompt):
                continue
            other = in_time or _other(found.group())
            yield f"with another number {number} of {len(places)}", _replaced(text, found, other)
    for name, change in (_decimal_changes(places[-1].group()) if len(places) == 1 else {}).items():
        yield name, _replaced(text, places[-1], change)
    if len(places) == 1 and (larger := slightly_larger(places[0].group(), prompt)):
        yield NEARLY, _replaced(text, places[0], larger)
    for name, changed in (
        (SWAPPED, swapped(text)),
        (SWAPPED_PLACES, places_swapped(text)),
        (SWAPPED_ITEMS, items_swapped(text, prompt, framed)),
        (TURNED_ITEMS, items_turned(text, prompt, framed)),
        (SWAPPED_WORDS, words_swapped(text)),
        (DIGIT_MOVED, digit_moved(places, text)),
        (LAST_SIGN, last_sign_turned(text)),
        (INNER_SIGN, inner_sign_turned(text)),
        (OTHER_BOUND, other_bound(text)),
        (NO_MARKS, without_marks(text, prompt)),
        (NO_SPACE, without_space(text)),
        *with_shown(text, prompt),
        *used_otherwise(text, prompt),
    ):
        if changed is not None:
            yield name, changed
    if (span := corrected(text, prompt)) is not None:
        yield UNCHANGED, span


def _twins(subject: Subject) -> Iterator[Variant]:
    """The golds of other rows that are nearly the same text, where gold's last text is all that it does."""
    texts = {row: gold for row, gold in golds(subject).items() if not gold.turns[-1].get("tool_calls")}
    known = {row: gold for row, gold in texts.items() if 0 < len(gold.text) <= MOST_CHARS}
    return twins(known, {row: prompt_text(subject, row) for row in known}, MOST_ROWS[subject.effort])


def _other(number: str) -> str:
    """A number that no tolerance relative to its size accepts, with as many decimals."""
    whole, point, decimals = number.replace(",", "").partition(".")
    other = str(int(whole) + max(3, int(whole) * 3 // 5))
    return f"{other.zfill(len(whole))}{point}{decimals}"


def _other_in_time(text: str, found: re.Match[str]) -> str | None:
    """Another number that can stand there, where it is a part of a time or a date; None elsewhere."""
    number, width = int(found.group().replace(",", "").partition(".")[0]), len(found.group())
    for pattern, others in _IN_TIME:
        for whole in pattern.finditer(text):
            places = [whole.span(place) for place in (1, 2, 3)]
            if found.span() in places:
                more, of, first = others[places.index(found.span())]
                return str((number - first + more) % of + first).zfill(width)
    return None


def _decimal_changes(number: str) -> dict[str, str]:
    """Decimals changed, and a smaller change that cutting off or rounding shows: a tolerance accepts both or none."""
    whole, _, decimals = number.partition(".")
    if not decimals or len(decimals) > 6 or "," in whole or int(whole) < 1:
        return {}
    part = float(f"0.{decimals}")
    cut, rounded = _LOST.values()
    found: dict[str, float] = {}
    if 0.01 <= part <= 0.38 or 0.62 <= part <= 0.98:
        found |= zip(cut, (part + 0.4, -0.01) if part < 0.5 else (part - 0.4, 1.01), strict=True)
    if 0.28 <= part <= 0.72 and part != 0.5:
        found |= zip(rounded, (0.02, 0.52) if part < 0.5 else (0.98, 0.48), strict=True)
    digits = max(2, len(decimals))
    return {name: f"{int(whole) + value:.{digits}f}" for name, value in found.items()}


def _replaced(text: str, found: re.Match[str], other: str) -> str:
    return text[: found.start()] + other + text[found.end() :]


def _numbers(subject: Subject, outcomes: dict[str, Outcome], known: Sequence[Gold]) -> Iterator[Finding]:
    """Numbers of gold that may be any other number; all of them only where the scorer has gold to compare with."""
    of_places = [outcome for name, outcome in outcomes.items() if name.startswith("with another number")]
    ignored = [outcome for outcome in of_places if outcome.proven(OFTEN)]
    if not ignored or (
        len(ignored) == len(of_places) > 1 and not is_compared_with(subject, {gold.row: gold.text for gold in known})
    ):
        return
    words = len(WORD.findall(_answer(known[0])))
    sentence = words > MOST_UNITS or SMALL.search(_answer(known[0]))  # it may say more than was asked for
    sure = subject.traits.kind == "single-turn" and not words
    yield _finding(subject, ignored[0], ignored[0].name, "info" if sentence else "error" if sure else "warning")


def _decimals(subject: Subject, outcomes: dict[str, Outcome], known: Sequence[Gold]) -> Iterator[Finding]:
    asked = all(_EXACT.search(prompt_text(subject, gold.row).casefold()) for gold in known[:3])
    for how, (within, beyond) in _LOST.items():
        lost, kept = outcomes.get(within), outcomes.get(beyond)
        if lost and kept and lost.proven(OFTEN) and not kept.won:
            yield _finding(subject, lost, f"with other decimals, {how}", "error" if asked else "warning")
            return


def _finding(subject: Subject, outcome: Outcome, name: str, severity: Severity) -> Finding:
    return still_earns(subject, outcome, name, COUNT_THEM if name in OF_GIVEN_NUMBERS else _HINT, severity)
