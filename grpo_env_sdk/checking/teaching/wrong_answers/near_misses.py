"""Gold answers with small changes: shows which still count, and reports wrong ones that count."""

import re
from collections.abc import Iterator, Sequence

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.guesses import form_of_golds, without_form
from grpo_env_sdk.checking.evidence.golds import Gold, as_good_as_gold, golds, play_answers
from grpo_env_sdk.checking.evidence.playing.read_columns import is_compared_with
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.secret_words import words_of
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.evidence.variants import golds_with_text
from grpo_env_sdk.checking.findings.finding import Finding, Item, Severity
from grpo_env_sdk.checking.teaching.lazy_answers.idling import MOSTLY, OFTEN
from grpo_env_sdk.checking.teaching.wrong_answers.directions import direction_turned
from grpo_env_sdk.checking.teaching.wrong_answers.kinds_of_misses import (
    A_LITTLE_MORE,
    ANOTHER_UNIT,
    AT_THOUSANDS,
    BY_ZERO,
    FIRST_FOR_ALL,
    FIRST_WORD,
    LAST_WORD,
    MISSES,
    ONLY_DIGITS,
    OTHER_CASE,
    OTHER_DIGIT,
    OTHER_DIRECTION,
    SECOND_LETTER,
    UNIT_OF_OTHERS,
    Miss,
)
from grpo_env_sdk.checking.teaching.wrong_answers.steps_with_numbers import is_one_of_many_acts
from grpo_env_sdk.checking.teaching.wrong_answers.unit_misses import asks_for_units, unit_of_others
from grpo_env_sdk.evaluation.stats import Share
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.report.exhibits import Table
from grpo_env_sdk.types import Episode, Message

MOST_ROWS = {"quick": 12, "default": 30, "thorough": 100}
FEWEST_ALWAYS = 5
"""On how many rows a miss that is never right by chance has to be paid, if on all."""


Outcome = tuple[Miss, list[Episode], list[Episode]]
"""A near miss, its episodes, and those that score as much as gold."""
_OF_WORDS = tuple(miss.name for miss in MISSES if "letter" in miss.name or "'not'" in miss.name)
_CASE = regex(r"\b(?:exact\w*|case|base ?64|capitals?|verbatim|letter for letter)\b", re.IGNORECASE)
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
    OTHER_CASE,
    "cut to its first letter",
    "cut to its first three letters",
    ANOTHER_UNIT,
    UNIT_OF_OTHERS,
    "plus 12",
    A_LITTLE_MORE,
    *_SCALED,
)
"""Misses that are warnings even there."""
_TOLERANT = regex(
    r"\b(?:about|around|approx\w*|estimat\w*|guess\w*|roughly|nearly|nearest|within|toleran\w*|clos\w*|round\w*)\b|[%~±≈]",
    re.IGNORECASE,
)
"""What a prompt says that leaves room for other numbers."""
_MADE_UP = regex(
    r"\b(?:make|making) up\b|\b(?:invent|any (?:free |new |valid )?(?:number|code|id))\b|\bas you (?:like|wish)\b",
    re.IGNORECASE,
)
"""What a prompt says where one code is as right as another."""
_PLACES = regex(
    r"\b(?:(?:one|two|three|four|\d) (?:decimals?|digits|places)|(?:decimal|nearest|whole) \w+|the (?:cent|penny))\b",
    re.IGNORECASE,
)
"""What a prompt says of how exact a number has to be."""
_NEAR = regex(
    r"\b(?:about|approx\w*|estimat\w*|guess\w*|roughly|nearly|within|toleran\w*|clos\w*|error|off|percentage)\b|[~±≈]",
    re.IGNORECASE,
)


@check("G508", needs=("gold",), severity="warning", share=6)
def near_misses_score_less(subject: Subject) -> Iterator[Item]:
    """A wrong answer close to gold scores less than gold; a right answer scores the same in any formatting."""
    known = golds_with_text(subject, MOST_ROWS[subject.effort])
    if not known:
        return
    form = form_of_golds(subject)
    outcomes = _outcomes(subject, known, form)
    yield Table(
        "Near misses", ["the gold answer", "for example", "as good as gold", "should be"],
        [
            [miss.name, quoted(_last_text(all_[0]), 50), f"{len(won)} of {len(all_)}", "wrong" if miss.wrong else ""]
            for miss, all_, won in outcomes
        ],
        f"On {len(known)} rows. Is that what you want?",
    )  # fmt: skip
    compared = is_compared_with(subject, {gold.row: without_form(gold.text, form) for gold in known})
    compared = compared or is_compared_with(subject, {gold.row: gold.text for gold in known})
    meant = _meant(subject, known, outcomes, compared)
    prompts = [prompt_text(subject, gold.row) for gold in known]
    for miss, episodes, won in outcomes:
        share = Share(len(won), len(episodes))
        always = miss.name == FIRST_FOR_ALL and len(won) == len(episodes) >= FEWEST_ALWAYS
        proven = always or share.low >= (OFTEN if len(episodes) > 8 else MOSTLY)
        if miss.wrong and miss.name not in meant and proven:
            sure = always or (share.low >= MOSTLY and _is_sure(miss.name, prompts, compared))
            yield _accepted(miss, won[0], share, golds(subject), "error" if sure else "warning")
    rejected = {miss.name: (episodes, won) for miss, episodes, won in outcomes if not miss.wrong}
    for name in ("with a line break after it", "with spaces around it"):
        episodes, won = rejected.get(name, ([], []))
        if episodes and not won and rejected["as it is"][1]:
            yield _rejected(name, episodes[0], golds(subject))
            return


def _meant(subject: Subject, known: Sequence[Gold], outcomes: Sequence[Outcome], compared: bool) -> set[str]:
    """The names of wrong answers that may count here: prompts leave room for them, or something else shows why."""
    ever = {miss.name for miss, _, won in outcomes if won}
    mostly = {miss.name for miss, episodes, won in outcomes if len(won) >= MOSTLY * len(episodes)}
    always = {miss.name for miss, episodes, won in outcomes if len(won) == len(episodes)}
    meant = {*_TOLERABLE, LAST_WORD}
    if _exact(subject, known):
        meant.discard(_OFF_BY_ONE)
    if any(_MADE_UP.search(prompt_text(subject, gold.row)) for gold in known):
        meant.add(OTHER_DIGIT)
    if is_one_of_many_acts(subject, known):
        meant |= {_OFF_BY_ONE, A_LITTLE_MORE}
    if ONLY_DIGITS in ever:
        meant.add(SECOND_LETTER)  # what is around them is no part of it
    if subject.traits.kind == "multi-turn":
        meant.add(OTHER_DIRECTION)  # a move of a game
    if not _rounded(subject, known):
        meant.add(A_LITTLE_MORE)
    if not {FIRST_WORD, LAST_WORD} <= always:
        meant.add(FIRST_WORD)
    if not compared or _ADDED in mostly:
        meant.update(name for name in _COMPARED if not compared or "letters" in name)
    if ANOTHER_UNIT in mostly or OTHER_DIRECTION in ever:
        meant.add(UNIT_OF_OTHERS)  # one of the two says it
    if any(_TOLERANT.search(prompt_text(subject, gold.row)) for gold in known):
        meant.add(AT_THOUSANDS)  # where the comma may be that of decimals
    return meant


def _is_sure(name: str, prompts: Sequence[str], compared: bool) -> bool:
    """Whether nobody wants a wrong answer of this name to count."""
    if name == OTHER_CASE:
        return all(map(_CASE.search, prompts))
    if name == UNIT_OF_OTHERS:
        return asks_for_units(prompts)
    return name in (BY_ZERO, FIRST_WORD, OTHER_DIRECTION) or (compared and name not in _MEANT)


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
    texts = [gold.text.strip() for gold in golds(subject).values()]
    of_others = unit_of_others(texts, [prompt_text(subject, gold.row) for gold in known[:1]])
    misses = (
        *MISSES,
        Miss(UNIT_OF_OTHERS, of_others, True),
        Miss(OTHER_DIRECTION, direction_turned(texts), True),
    )
    answers = [
        (miss, gold.row, changed)
        for gold in known  # a row with all its misses, so that a lack of time costs whole rows
        for miss in misses
        if (changed := _changed(subject, miss, gold, form)) is not None
    ]
    found: dict[str, Outcome] = {miss.name: (miss, [], []) for miss in misses}
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
    after = after.lstrip(".!?") if miss.name == FIRST_WORD else after  # the mark of a sentence ends its last word
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
    return str(own_turns(episode.completion)[-1].get("content"))


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
