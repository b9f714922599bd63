"""Whether a form that is filled in with one number everywhere counts as right, as where only its sums are compared."""

import json
from collections.abc import Iterator

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import as_good_as_gold, gold_name, golds, less_than_gold, play_answers
from grpo_env_sdk.checking.evidence.shown_objects import filled_with, with_all_numbers
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.variants import prompt_text
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.idling import MOSTLY
from grpo_env_sdk.data.messages import answer_text
from grpo_env_sdk.evaluation.stats import Share

ROWS, LOOKED_AT, FEWEST_ROWS = 12, 2, 4
NUMBERS = (0, 1, 100)


@check("G595", kinds=("single-turn",))
def numbers_of_a_form_have_to_be_right(subject: Subject) -> Iterator[Finding]:
    """A form that has the same number in every place, whatever the prompt says, does not score as much as gold."""
    rows = subject.sample(ROWS)
    for number in NUMBERS:
        texts = {row: text for row in rows for text in list(_texts(subject, row, number))[:1]}
        if len(texts) < FEWEST_ROWS:
            return
        first = play_answers(subject, list(texts.items())[:LOOKED_AT])
        if not all(as_good_as_gold(subject, episode) for episode in first):
            continue
        episodes = play_answers(subject, list(texts.items()))
        won = [episode for episode in episodes if not episode.error and as_good_as_gold(subject, episode)]
        share = Share(len(won), len(episodes))
        if len(won) >= FEWEST_ROWS and (share.mean == 1 or share.low >= MOSTLY):
            yield Finding(
                f"The form that prompts ask for scores as much as {gold_name(subject)} on {share} with {number} in "
                "place of every number.",
                "Compare the numbers with those of the row, and not only with each other: what an answer says twice "
                "may agree and be wrong.",
                won[0].row_index, answer_text(won[0].completion), won[0].reward, less_than_gold(subject, won[0]),
            )  # fmt: skip
            return


def _texts(subject: Subject, row: int, number: int) -> Iterator[str]:
    """Gold with a number in place of all of its own, or the form of the prompt with it; not what gold says."""
    gold = golds(subject).get(row)
    if gold is not None:
        changed = with_all_numbers(gold.text, number)
        if changed is not None and json.loads(changed) != json.loads(gold.text):
            yield changed
    elif not golds(subject):
        yield from filled_with(number, prompt_text(subject, row), subject.row(row))
