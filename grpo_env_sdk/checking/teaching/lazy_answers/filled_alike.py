"""Whether a form that is filled in with one value everywhere counts as right: one number, NaN, null, an empty text."""

import json
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.empty_values import EMPTY_VALUES, emptied_answer, emptied_forms
from grpo_env_sdk.checking.evidence.gold.gold_source import in_asked_forms
from grpo_env_sdk.checking.evidence.golds import (
    as_good_as_gold,
    gold_name,
    golds,
    less_than_gold,
    play_answers,
    says_gold,
)
from grpo_env_sdk.checking.evidence.prompts.json_data import read_json
from grpo_env_sdk.checking.evidence.prompts.shown_objects import filled_with, with_all_numbers
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.lazy_answers.idling import MOSTLY
from grpo_env_sdk.data.messages import answer_text
from grpo_env_sdk.evaluation.stats import Share
from grpo_env_sdk.types import Episode

ROWS, LOOKED_AT, FEWEST_ROWS, MOST_FORMS = 12, 2, 4, 12
NUMBERS = (0, 1, 100)
WRONG_NUMBER, WRONG_TEXT = 918_273.5, "lorem"
_AGREE = (
    "Compare the numbers with those of the row, and not only with each other: what an answer says twice may agree and "
    "be wrong."
)
_NOT_FINITE = (
    "Refuse what is no finite number (math.isfinite) before you compare: NaN is neither above nor below a tolerance, "
    "so `abs(x - y) > tolerance` never refuses it."
)
_NO_VALUE = "Refuse values that are not of the type that is asked for, and compare each with what is right in its row."
Forms = Callable[[int], Sequence[str]]
"""From a row to the answers to try, in the same order for all rows."""


@check("G595", kinds=("single-turn",))
def numbers_of_a_form_have_to_be_right(subject: Subject) -> Iterator[Finding]:
    """A form that has the same number, NaN, null or an empty text in every place does not score as much as gold."""
    rows = subject.sample(ROWS)
    for number in NUMBERS:
        if won := _scoring(subject, rows, partial(_with_number, subject, number)):
            yield _finding(subject, *won, f"{number} in place of every number", _AGREE)
            return
    for value in EMPTY_VALUES:
        if won := _scoring(subject, rows, partial(_emptied, subject, value)):
            is_number = isinstance(value, float)
            wrong = WRONG_NUMBER if is_number else WRONG_TEXT
            if golds(subject) and _scoring(subject, rows, partial(_emptied, subject, wrong)):
                return  # what stands there is no part of the answer
            what = f"{json.dumps(value)} in place of every {'number' if is_number else 'value'}"
            yield _finding(subject, *won, what, _NOT_FINITE if is_number else _NO_VALUE)
            return


def _scoring(subject: Subject, rows: Sequence[int], forms: Forms) -> tuple[list[Episode], Share] | None:
    """The episodes that score as much as gold with one form of all rows, and their share, if these are most."""
    for place in _promising(subject, rows[:LOOKED_AT], forms):
        texts = {row: found[place] for row in rows if len(found := forms(row)) > place}
        silent = play_answers(subject, [(row, "") for row in rows[:LOOKED_AT]])
        if any(as_good_as_gold(subject, episode) for episode in silent):
            return None
        episodes = play_answers(subject, list(texts.items()))
        won = [episode for episode in episodes if not episode.error and as_good_as_gold(subject, episode)]
        share = Share(len(won), len(episodes))
        if len(won) >= FEWEST_ROWS and (share.mean == 1 or share.low >= MOSTLY):
            return won, share
    return None


def _promising(subject: Subject, rows: Sequence[int], forms: Forms) -> list[int]:
    """Which of the forms score as much as gold on a few rows; those that do not on the first are tried on no other."""
    places = list(range(MOST_FORMS))
    for row in rows:
        texts = forms(row)
        places = [place for place in places if place < len(texts)]
        episodes = play_answers(subject, [(row, texts[place]) for place in places])
        places = [place for place, one in zip(places, episodes, strict=False) if as_good_as_gold(subject, one)]
    return places


def _finding(subject: Subject, won: Sequence[Episode], share: Share, what: str, hint: str) -> Finding:
    said = answer_text(won[0].completion)
    return Finding(
        f"The form that prompts ask for scores as much as {gold_name(subject)} on {share} with {what}: {said!r:.100}.",
        hint, won[0].row_index, said, won[0].reward, less_than_gold(subject, won[0]),
    )  # fmt: skip


def _with_number(subject: Subject, number: int, row: int) -> list[str]:
    """Gold with a number in place of all of its own, or the form of the prompt with it; not what gold says."""
    gold = golds(subject).get(row)
    if gold is None:
        return [] if golds(subject) else list(filled_with(number, prompt_text(subject, row), subject.row(row)))
    changed = with_all_numbers(gold.text, number)
    return [changed] if changed and read_json(changed, changed) != read_json(gold.text, gold.text) else []


def _emptied(subject: Subject, value: object, row: int) -> list[str]:
    """Gold with this value in place of its own, or the forms of the prompt and the scorer with it; not what gold says.

    The forms with one place that the scorer reads are tried with NaN and Infinity alone: others may be right there.
    """
    gold, prompt = golds(subject).get(row), prompt_text(subject, row)
    if gold is not None:
        found = list(emptied_answer(value, gold.text))
        return [one for one in dict.fromkeys(found) if not says_gold(one, gold)]
    if golds(subject):
        return []
    found = list(emptied_forms(value, prompt, subject.row(row)))
    if isinstance(value, float):
        found += [form.write(value) for form in in_asked_forms(subject, row, "7")]
    return list(dict.fromkeys(found))
