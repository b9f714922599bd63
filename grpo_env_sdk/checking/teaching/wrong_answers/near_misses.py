"""Gold answers with small changes: shows which still count, and reports wrong ones that count."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.guesses import form_of, without_form
from grpo_env_sdk.checking.evidence.golds import Gold, as_good_as_gold, golds, play_answers, quoted
from grpo_env_sdk.checking.evidence.playing.read_columns import is_compared_with
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.secret_words import words_of
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.evidence.variants import golds_with_text, prompt_text
from grpo_env_sdk.checking.findings.finding import Finding, Item, Severity
from grpo_env_sdk.checking.teaching.lazy_answers.idling import MOSTLY, OFTEN
from grpo_env_sdk.checking.teaching.wrong_answers.number_misses import (
    a_little_more,
    digit_in_front,
    digits_swapped,
    first_digit,
    hundredfold,
    hundredth,
    last_digit,
    last_digits,
    other_sign,
    plus,
    plus_twelve,
    without_decimal_sign,
)
from grpo_env_sdk.checking.teaching.wrong_answers.text_misses import (
    Change,
    backwards,
    divided_by_zero,
    first_of_several,
    last_sign_missing,
    letters_changed,
    of_codes,
    of_numbers,
    of_words,
    one_word,
    other_case,
    other_currency,
    other_digit,
    other_for_dots,
    other_letter,
    other_unit,
    other_vowels,
    second_letter_missing,
    without_signs,
)
from grpo_env_sdk.evaluation.stats import Share
from grpo_env_sdk.report.exhibits import Table
from grpo_env_sdk.types import Episode, Message

MOST_ROWS = {"quick": 12, "default": 30, "thorough": 100}


@dataclass(frozen=True, slots=True)
class Miss:
    """One way to change an answer; `wrong` if the result is a wrong answer, `whole` if it changes the format too."""

    name: str
    change: Change
    wrong: bool = False
    whole: bool = True


Outcome = tuple[Miss, list[Episode], list[Episode]]
"""A near miss, its episodes, and those that score as much as gold."""


_BY_ZERO, _OTHER_CASE = "divided by zero", "with capitals for small letters"
_A_LITTLE_MORE, _FIRST_WORD, _LAST_WORD = "plus 6% of it", "cut to its first word", "cut to its last word"
_SECOND_LETTER, _ONLY_DIGITS = "with its second letter missing", "cut to its digits"
MISSES = (
    Miss("as it is", lambda text: text),
    Miss("with spaces around it", lambda text: f"  {text}  "),
    Miss("with a line break after it", lambda text: f"{text}\n"),
    Miss("with a full stop after it", lambda text: f"{text}."),
    Miss("in capitals", str.upper),
    Miss("in lower case", str.lower),
    Miss("in bold type", lambda text: f"**{text}**"),
    Miss("in quotes", lambda text: f'"{text}"'),
    Miss("after an explanation", lambda text: f"Let me think about what is asked. The answer is: {text}"),
    Miss("before an explanation", lambda text: f"{text}\n\nThat follows from what was asked."),
    Miss("after thinking in tags", lambda text: f"<think>\nLet me see.\n</think>\n\n{text}"),
    Miss("with decimals", of_numbers(lambda text: f"{text}.0" if "." not in text else f"{text}0"), whole=False),
    Miss("with a unit", of_numbers(lambda text: f"{text} units"), whole=False),
    Miss("with the last digit off by one", of_numbers(last_digit), True, False),
    Miss("with the first digit changed", of_numbers(first_digit), True, False),
    Miss("with its sign flipped", of_numbers(other_sign), True, False),
    Miss(
        "with a digit added at its end", of_numbers(lambda text: f"{text}7" if text.isdecimal() else None), True, False
    ),
    Miss("with a digit added in front", of_numbers(digit_in_front), True, False),
    Miss("with two digits swapped", of_numbers(digits_swapped), True, False),
    Miss("cut to its last digits", of_numbers(last_digits), True, False),
    Miss("plus 12", of_numbers(plus_twelve), True, False),
    Miss("plus half of it and 12", of_numbers(plus), True, False),
    Miss(_A_LITTLE_MORE, of_numbers(a_little_more), True, False),
    Miss("without its decimal sign", of_numbers(without_decimal_sign), True, False),
    Miss("times a hundred", of_numbers(hundredfold), True, False),
    Miss("divided by a hundred", of_numbers(hundredth), True, False),
    Miss("cut to its first value", first_of_several, True, False),
    Miss(_FIRST_WORD, one_word(0), True, False),
    Miss(_LAST_WORD, one_word(-1), True, False),
    Miss("with another unit", other_unit, True),
    Miss("with the sign of another currency", other_currency, True, False),
    Miss(_OTHER_CASE, other_case, True),
    Miss("cut to its first letter", of_words(lambda text: text[0]), True, False),
    Miss("with a letter missing", of_words(lambda text: text[:-1]), True, False),
    Miss("with letters added", of_words(lambda text: f"un{text}ish"), True, False),
    Miss("with letters in front", of_words(lambda text: f"un{text}"), True, False),
    Miss("with letters at its end", of_words(lambda text: f"{text}ish"), True, False),
    Miss("cut to its first three letters", of_words(lambda text: text[:3] if len(text) > 4 else None), True, False),
    Miss("with every third letter changed", of_words(letters_changed), True, False),
    Miss("with its letters in another order", of_words(backwards), True, False),
    Miss("with its first letter missing", of_words(lambda text: text[1:]), True, False),
    Miss("cut to its first sign", of_codes(lambda text: text[0]), True, False),
    Miss("with its last sign missing", of_codes(last_sign_missing), True, False),
    Miss("with another first letter", other_letter, True, False),
    Miss("with another last digit", other_digit, True, False),
    Miss("with its vowels exchanged", other_vowels, True, False),
    Miss(_SECOND_LETTER, of_codes(second_letter_missing), True),
    Miss(_ONLY_DIGITS, of_codes(lambda text: re.sub(r"[^\d.,:-]", "", text)), whole=True),
    Miss("with other signs in place of its dots", other_for_dots, True),
    Miss("without its + * ? between letters", without_signs, True, False),
    Miss(_BY_ZERO, divided_by_zero, True, False),
    Miss("with 'not' before it", of_words(lambda text: f"not {text}"), True, False),
)
_OF_WORDS = tuple(miss.name for miss in MISSES if "letter" in miss.name or "'not'" in miss.name)
_CASE = re.compile(r"\b(?:exact\w*|case|base ?64|capitals?|verbatim|letter for letter)\b", re.IGNORECASE)
"""What a prompt says where small letters are others than capitals."""
_SENTENCE = 4
"""With so many words around what differs, gold is a sentence of its author's."""
_OFF_BY_ONE = "with the last digit off by one"
_TOLERABLE = (_OFF_BY_ONE, "with a letter missing")
"""Misses that a tolerance may accept on purpose."""
_COMPARED = (
    *("with two digits swapped", "cut to its last digits", "with letters in front", "with letters at its end"),
    *("cut to its first three letters", "with every third letter changed", "with its letters in another order"),
    "with its vowels exchanged",
)
"""Misses that are reported only where the scorer has the one right answer to compare with."""
_ADDED = "with letters added"
_SCALED = ("times a hundred", "divided by a hundred")
_MEANT = (
    _OTHER_CASE,
    "cut to its first letter",
    "cut to its first three letters",
    "with another unit",
    "plus 12",
    _A_LITTLE_MORE,
    *_SCALED,
)
"""Misses that are warnings even there."""
_TOLERANT = re.compile(
    r"\b(?:about|around|approx\w*|estimat\w*|guess\w*|roughly|nearly|nearest|within|toleran\w*|clos\w*|round\w*)\b|[%~±≈]",
    re.IGNORECASE,
)
"""What a prompt says that leaves room for other numbers."""
_PLACES = re.compile(
    r"\b(?:(?:one|two|three|four|\d) (?:decimals?|digits|places)|(?:decimal|nearest|whole) \w+|the (?:cent|penny))\b",
    re.IGNORECASE,
)
"""What a prompt says of how exact a number has to be."""
_NEAR = re.compile(
    r"\b(?:about|approx\w*|estimat\w*|guess\w*|roughly|nearly|within|toleran\w*|clos\w*|error|off|percentage)\b|[~±≈]",
    re.IGNORECASE,
)


@check("G508", needs=("gold",), severity="warning", share=6)
def near_misses_score_less(subject: Subject) -> Iterator[Item]:
    """A wrong answer close to gold scores less than gold; a right answer scores the same in any formatting."""
    known = golds_with_text(subject, MOST_ROWS[subject.effort])
    if not known:
        return
    form = form_of([gold.text for gold in golds(subject).values()])
    outcomes = _outcomes(subject, known, form)
    yield Table(
        "Near misses", ["the gold answer", "for example", "as good as gold", "should be"],
        [
            [miss.name, quoted(_last_text(all_[0]), 50), f"{len(won)} of {len(all_)}", "wrong" if miss.wrong else ""]
            for miss, all_, won in outcomes
        ],
        f"On {len(known)} rows. Is that what you want?",
    )  # fmt: skip
    exact = _exact(subject, known)
    added = any(miss.name == _ADDED and len(won) >= MOSTLY * len(episodes) for miss, episodes, won in outcomes)
    compared = is_compared_with(subject, {gold.row: without_form(gold.text, form) for gold in known})
    compared = compared or is_compared_with(subject, {gold.row: gold.text for gold in known})
    digits = any(miss.name == _ONLY_DIGITS and won for miss, _, won in outcomes)  # what is around them is no part of it
    any_word = (
        sum(miss.name in (_FIRST_WORD, _LAST_WORD) and len(won) == len(all_) for miss, all_, won in outcomes) == 2
    )
    for miss, episodes, won in outcomes:
        share = Share(len(won), len(episodes))
        meant = miss.name in _TOLERABLE and not (exact and miss.name == _OFF_BY_ONE)
        meant = meant or (miss.name == _SECOND_LETTER and digits)
        meant = meant or (miss.name == _A_LITTLE_MORE and not _rounded(subject, known))
        meant = meant or miss.name == _LAST_WORD or (miss.name == _FIRST_WORD and not any_word)
        meant = meant or (miss.name in _COMPARED and (not compared or (added and "letters" in miss.name)))
        if miss.wrong and not meant and share.low >= (OFTEN if len(episodes) > 8 else MOSTLY):
            counts = miss.name == _OTHER_CASE and all(_CASE.search(prompt_text(subject, gold.row)) for gold in known)
            sure = counts or ((compared or miss.name in (_BY_ZERO, _FIRST_WORD)) and miss.name not in _MEANT)
            sure = sure and share.low >= MOSTLY
            yield _accepted(miss, won[0], share, golds(subject), "error" if sure else "warning")
    rejected = {miss.name: (episodes, won) for miss, episodes, won in outcomes if not miss.wrong}
    for name in ("with a line break after it", "with spaces around it"):
        episodes, won = rejected.get(name, ([], []))
        if episodes and not won and rejected["as it is"][1]:
            yield _rejected(name, episodes[0], golds(subject))
            return


def _exact(subject: Subject, known: Sequence[Gold]) -> bool:
    """Whether answers are whole numbers of two digits and more, and no prompt leaves room for another one."""
    numbers = [re.findall(r"\d+(?:[.,]\d+)*", gold.text)[-1:] for gold in known]
    return all(found and found[0].isdecimal() and len(found[0]) > 1 for found in numbers) and not any(
        _TOLERANT.search(prompt_text(subject, gold.row)) for gold in known
    )


def _rounded(subject: Subject, known: Sequence[Gold]) -> bool:
    """Whether every prompt says to how many places a number is rounded, and leaves no room for another one."""
    prompts = [prompt_text(subject, gold.row) for gold in known]
    return all(_PLACES.search(prompt) and not _NEAR.search(_PLACES.sub("", prompt)) for prompt in prompts)


def _outcomes(subject: Subject, known: Sequence[Gold], form: tuple[str, str]) -> list[Outcome]:
    """The episodes of each near miss that applies to some row, and those that score as much as gold."""
    answers = [
        (miss, gold.row, changed)
        for gold in known  # a row with all its misses, so that a lack of time costs whole rows
        for miss in MISSES
        if (changed := _changed(subject, miss, gold, form)) is not None
    ]
    found: dict[str, Outcome] = {miss.name: (miss, [], []) for miss in MISSES}
    episodes = play_answers(subject, [(row, changed) for _, row, changed in answers])
    for (miss, _, _), episode in zip(answers, episodes, strict=False):
        if not episode.error:
            found[miss.name][1].append(episode)
            if as_good_as_gold(subject, episode):
                found[miss.name][2].append(episode)
    return [outcome for outcome in found.values() if outcome[1]]


def _changed(subject: Subject, miss: Miss, gold: Gold, form: tuple[str, str]) -> list[str | Message] | None:
    """The turns of gold with the last text changed; None if the change does not apply."""
    before, after = ("", "") if miss.whole else form
    after = after.lstrip(".!?") if miss.name == _FIRST_WORD else after  # the mark of a sentence ends its last word
    core = without_form(gold.text, ("", "") if miss.whole else form).strip()
    text = None if miss.name in _OF_WORDS and _in_a_sentence(subject, gold, form, core) else miss.change(core)
    unchanged = text is None or (text in (core, gold.text) and miss.name != "as it is")
    return None if unchanged else [*gold.turns[:-1], f"{before}{text}{after}"]


def _in_a_sentence(subject: Subject, gold: Gold, form: tuple[str, str], core: str) -> bool:
    """Whether gold is a sentence around words that the prompt gives: then what else it says is free."""
    given = words_of(prompt_text(subject, gold.row))
    return len(words_of(" ".join(form))) >= _SENTENCE and words_of(core) <= given


def _act(episode: Episode) -> Completion:
    """What was said in the episode: its text, or all of its turns."""
    turns = own_turns(episode.completion)
    return _last_text(episode) if len(turns) == 1 else turns


def _last_text(episode: Episode) -> str:
    """The assistant's last text."""
    return next(str(item.get("content")) for item in reversed(episode.completion) if item["role"] == "assistant")


def _accepted(miss: Miss, episode: Episode, share: Share, known: dict[int, Gold], severity: Severity) -> Finding:
    answer, gold = _last_text(episode), known[episode.row_index]
    return Finding(
        f"The gold answer {miss.name} still earns full reward on {share}, "
        f"e.g. {quoted(answer)} for {quoted(gold.text)}.",
        "If this answer is wrong, compare whole values, not parts of them or their start.",
        row=episode.row_index, input=_act(episode), output=episode.reward, expected=f"less than {gold.reward:g}",
        severity=severity,
    )  # fmt: skip


def _rejected(name: str, episode: Episode, known: dict[int, Gold]) -> Finding:
    gold = known[episode.row_index]
    return Finding(
        f"The gold answer {name} scores {episode.reward or 0:g}, and without it {gold.reward:g}.",
        "Strip the answer before comparing it, unless spaces are part of the task.",
        row=episode.row_index, input=_act(episode), output=episode.reward, expected=gold.reward, severity="info",
    )  # fmt: skip
