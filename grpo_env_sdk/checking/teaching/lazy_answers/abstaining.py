"""Whether an answer that says nothing is scored, and not left out of the mean."""

from collections.abc import Iterator

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import (
    NEARLY,
    gold_episodes,
    golds,
    play_answers,
    reward_of,
    rows_tried,
    was_scored,
)
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.lazy_answers.idling import EMPTY, FILLING, REFUSING
from grpo_env_sdk.types import Episode

MOST_ROWS, FEWEST_ROWS = 12, 3
FEWEST_SIGNS = 8
CUT = "Gold that ends in its middle"
_DODGES = EMPTY | REFUSING | FILLING


@check("G601")
def no_answer_is_scored(subject: Subject) -> Iterator[Finding]:
    """An answer without content gets a score where other answers get one."""
    rows = rows_tried(subject)[:MOST_ROWS]
    for name, texts in _dodges(subject, rows):
        dodged = {one.row_index: one for one in play_answers(subject, list(texts.items())) if _abstains(one)}
        if len(dodged) < max(min(FEWEST_ROWS, len(rows)), len(rows) / 2):
            continue
        scored = _scored(subject, list(dodged))
        low = [row for row, reward in scored.items() if reward <= max(0.0, subject.traits.reward_range[0]) + NEARLY]
        if len(scored) >= min(FEWEST_ROWS, len(rows)):
            row = (low or list(scored))[0]
            yield Finding(
                f"{name} gets no score (None) on {len(dodged)} of {len(rows)} rows, where other answers get one, "
                f"such as {scored[row]:g} in row {row}: "
                f"{'what cannot be read' if name == CUT else 'who does not answer'} is left out of the mean.",
                "Return 0 where nothing was answered, or what cannot be read. Return None only where nobody could be "
                "scored, such as in rows without a right answer.",
                row, texts[row], None, "a number", severity="warning" if name == CUT else None,
            )  # fmt: skip
            return


def _dodges(subject: Subject, rows: list[int]) -> Iterator[tuple[str, dict[int, str]]]:
    """By row, the answers without content; and gold that ends in its middle, where it is a text of several signs."""
    yield from ((name, dict.fromkeys(rows, text)) for name, text in _DODGES.items())
    known = [gold for row in rows if (gold := golds(subject).get(row)) and len(gold.turns) == 1]
    cut = {gold.row: gold.text[: len(gold.text) // 2] for gold in known if len(gold.text) >= FEWEST_SIGNS}
    if len(cut) == len(rows):
        yield CUT, cut


def _abstains(episode: Episode) -> bool:
    return episode.reward is None and not episode.error


def _scored(subject: Subject, rows: list[int]) -> dict[int, float]:
    """By row, the lowest score of answers with content: random acts, gold, and a text."""
    others = [*subject.play_many(rows, "random", 2), *(gold_episodes(subject).get(row) for row in rows)]
    others += play_answers(subject, [(row, "The answer is 17.") for row in rows])
    found: dict[int, float] = {}
    for one in others:
        if one is not None and was_scored(one):
            found[one.row_index] = min(reward_of(one), found.get(one.row_index, reward_of(one)))
    return found
