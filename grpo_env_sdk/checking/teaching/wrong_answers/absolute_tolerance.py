"""Whether a tolerance takes any number for the right one where that is small, or below zero."""

from collections.abc import Iterator, Sequence
from math import isfinite

from grpo_env_sdk.checking.evidence.attempts.guesses import form_of_golds, without_form
from grpo_env_sdk.checking.evidence.golds import Gold, as_good_as_gold, less_than_gold, play_answers
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.variants import golds_with_text
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import answer_text
from grpo_env_sdk.types import Episode

MOST_ROWS, FEWEST_ROWS, FAR = 40, 3, 10
"""How many rows are looked at, on how many any small number has to count, and how many times gold another number is."""


def small_numbers_all_count(subject: Subject) -> Iterator[Finding]:
    """The finding that any number counts on the rows with the smallest numbers, or with those below zero."""
    form = form_of_golds(subject)
    sized = [(value, gold) for gold in golds_with_text(subject, MOST_ROWS) if (value := _value(gold, form))]
    sized.sort(key=lambda pair: abs(pair[0]))
    below = {gold.row for value, gold in sized if value < 0}
    if len(sized) < 2 * FEWEST_ROWS or (abs(sized[0][0]) * FAR > abs(sized[-1][0]) and not below):
        return
    won = _taken(subject, [gold for _, gold in sized], form)
    count = len(won)
    if not FEWEST_ROWS <= count < len(sized):
        return
    if won.keys() == below:
        yield _finding(subject, sized, won, "below zero", "Divide by the size of the right number, as `abs(right)`.")
    elif won.keys() == {gold.row for _, gold in sized[:count]} and abs(sized[count - 1][0]) < abs(sized[count][0]):
        hint = "Compare relative to the size of the right number, such as `math.isclose(said, right, rel_tol=0.01)`."
        yield _finding(subject, sized, won, "the smallest", hint)


def _finding(
    subject: Subject, sized: Sequence[tuple[float, Gold]], won: dict[int, Episode], which: str, hint: str
) -> Finding:
    gold = next(gold for _, gold in sized if gold.row in won)
    episode = won[gold.row]
    said = answer_text(episode.completion)
    return Finding(
        f"Any number counts on the {len(won)} of {len(sized)} rows whose answers are {which}: "
        f"{said} scores as much as {gold.text} in row {gold.row}, and so does 0.",
        hint, gold.row, said, episode.reward, less_than_gold(subject, episode), severity="error",
    )  # fmt: skip


def _value(gold: Gold, form: tuple[str, str]) -> float:
    """The number that a gold answer is; 0 where it is none."""
    try:
        value = float(without_form(gold.text, form).strip().replace(",", ""))
    except ValueError:
        return 0.0
    return value if isfinite(value) else 0.0


def _taken(subject: Subject, known: Sequence[Gold], form: tuple[str, str]) -> dict[int, Episode]:
    """Ten times gold, on the rows where that and zero score as much as gold."""
    before, after = form
    episodes = play_answers(
        subject,
        [
            (gold.row, [*gold.turns[:-1], f"{before}{number:g}{after}"])
            for gold in known
            for number in (FAR * _value(gold, form), 0.0)
        ],
    )
    right = [not one.error and as_good_as_gold(subject, one) for one in episodes]
    pairs = zip(known, episodes[::2], right[::2], right[1::2], strict=False)
    return {gold.row: episode for gold, episode, tenfold, nothing in pairs if tenfold and nothing}
