"""Whether a limit of words also holds where words are parted by line breaks or tabs, and not by spaces."""

from collections.abc import Iterator
from itertools import cycle, islice

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import Gold, golds, less_than_gold
from grpo_env_sdk.checking.evidence.prompts.asked_lengths import most_words
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.variants import Variant, played
from grpo_env_sdk.checking.findings.finding import Finding

MOST_ROWS, FEWEST_ROWS, MOSTLY, MOST_WORDS = 8, 2, 0.7, 200
_MARKS = {"line breaks": "\n", "tabs": "\t"}
_FILLER = ("well", "then", "also", "here", "again", "quite", "rather", "indeed")


@check("G672", kinds=("single-turn",), needs=("gold",))
def limits_of_words_hold_however_words_are_parted(subject: Subject) -> Iterator[Finding]:
    """A text that is too long with spaces between its words is too long with line breaks between them too."""
    limits = {gold.row: most_words(prompt_text(subject, gold.row)) for gold in golds(subject).values()}
    known = [gold for gold in golds(subject).values() if 0 < limits[gold.row] <= MOST_WORDS][:MOST_ROWS]
    spaced = played(subject, [Variant("", gold, _too_long(gold, limits[gold.row], " ")) for gold in known])
    if len(known) < FEWEST_ROWS or not spaced or spaced[""].won:
        return
    for name, mark in _MARKS.items():
        tried = played(subject, [Variant(name, gold, _too_long(gold, limits[gold.row], mark)) for gold in known])
        outcome = tried.get(name)
        if outcome and len(outcome.won) >= max(FEWEST_ROWS, MOSTLY * len(outcome.episodes)):
            first = outcome.won[0]
            most = limits[first.row_index]
            yield Finding(
                f"A text of more than {3 * most} words scores as much as gold where {name} part its words, on "
                f"{len(outcome.won)} of {len(outcome.episodes)} rows; the prompt allows {most}, and spaces lose.",
                "Count words with text.split(), which parts them at spaces, tabs and line breaks alike.",
                first.row_index, _too_long(golds(subject)[first.row_index], most, mark), first.reward,
                less_than_gold(subject, first),
            )  # fmt: skip
            return


def _too_long(gold: Gold, most: int, mark: str) -> str:
    """Gold between more words than are allowed."""
    filler = list(islice(cycle(_FILLER), 3 * most // 2 + 1))
    return mark.join([*filler, gold.text, *filler])
