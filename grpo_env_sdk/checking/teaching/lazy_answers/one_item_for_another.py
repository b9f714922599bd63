"""Whether a list with one item twice and another left out is as good as gold where each has to be there once."""

from collections.abc import Iterator, Sequence
from itertools import islice, permutations

from grpo_env_sdk.checking.evidence.golds import Gold, golds, less_than_gold, play_scored, scores_nothing, won_of
from grpo_env_sdk.checking.evidence.prompts.asked_items import items_of_answer, wants_each_once
from grpo_env_sdk.checking.evidence.quoted_answers import answer_shown
from grpo_env_sdk.checking.evidence.secret_words import says
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import answer_text
from grpo_env_sdk.types import Episode

LOOKED_AT, FEWEST_ROWS, FEWEST_ITEMS, MOST_ITEMS, MOST_TRIED = 2, 3, 3, 10, 30
NONSENSE = "lorem"
"""How many rows are tried first, how many it takes, and how many items and pairs of them."""


def one_item_for_another(subject: Subject, rows: Sequence[int]) -> Finding | None:
    """The finding that an item may be left out, if another one is there twice."""
    known = [gold for row in rows if (gold := golds(subject).get(row)) and _may_be_doubled(subject, gold)]
    if len(known) < max(FEWEST_ROWS, len(rows) / 2) or len(_won(subject, known[:LOOKED_AT])) < LOOKED_AT:
        return None
    won = _won(subject, known)
    if 2 * len(won) < len(known) or len(won) < FEWEST_ROWS:
        return None
    first = won[0]
    said = answer_text(first.completion)
    return Finding(
        f"One item in place of another, which is left out, scores as much as gold on {len(won)} of {len(known)} rows, "
        f"although the prompt wants each of them once: {answer_shown(said)} scores {first.reward:g}.",
        "Compare the sorted items with those that have to be there before anything else; str.find gives -1 for what "
        "is missing.",
        first.row_index, said, first.reward, less_than_gold(subject, first),
        severity="error",
    )  # fmt: skip


def _may_be_doubled(subject: Subject, gold: Gold) -> bool:
    items, prompt = items_of_answer(gold.text), prompt_text(subject, gold.row)
    return (
        FEWEST_ITEMS <= len(set(items)) == len(items) <= MOST_ITEMS
        and wants_each_once(prompt)
        and all(says(prompt, item) for item in items)
    )


def _won(subject: Subject, known: Sequence[Gold]) -> list[Episode]:
    """One episode for each row with an answer as good as gold in which nonsense for the doubled item is not."""
    tried = {gold.row: list(islice(_doubled(gold.text), MOST_TRIED)) for gold in known}
    won: dict[int, Episode] = {}
    played = play_scored(subject, [(row, text) for row, texts in tried.items() for text, _ in texts])
    for episode in won_of(subject, played):
        won.setdefault(episode.row_index, episode)
    nonsense = [(row, dict(tried[row])[answer_text(one.completion)]) for row, one in won.items()]
    lost = {one.row_index for one in play_scored(subject, nonsense) if scores_nothing(subject, one)}
    return [one for row, one in won.items() if row in lost]


def _doubled(text: str) -> Iterator[tuple[str, str]]:
    """An answer with each of its items in place of each other one, and with nonsense there."""
    items = items_of_answer(text)
    for left_out, instead in permutations(items, 2):
        yield _put(text, items, left_out, instead), _put(text, items, left_out, NONSENSE)


def _put(text: str, items: Sequence[str], left_out: str, instead: str) -> str:
    """An answer with another item in one place, and everything between the items as it is."""
    parts, end = [], 0
    for item in items:
        start = text.index(item, end)
        parts += [text[end:start], instead if item == left_out else item]
        end = start + len(item)
    return "".join([*parts, text[end:]])
