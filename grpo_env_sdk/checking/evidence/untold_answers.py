"""Answers that may be right where no gold is known: what can be worked out from prompts, and short common ones."""

from collections.abc import Iterator, Sequence
from itertools import islice

from grpo_env_sdk.checking.evidence.gold.gold_source import in_asked_forms
from grpo_env_sdk.checking.evidence.gold.spellings import AS_IT_IS, Spelling, usual_spellings
from grpo_env_sdk.checking.evidence.gold.worked_gold import ways_to_work
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject

MOST_WAYS, MOST_FORMS, MOST_ROWS, MOST_COMMON = 2, 3, 12, 6
COMMON = ("yes", "no", "true", "false", "A", "B", "C", "D", "E", *map(str, range(13)))


def worked_answers(subject: Subject, rows: Sequence[int]) -> Iterator[dict[int, str]]:
    """What may be right on each of some rows, by each way to work it out and each form to write it."""
    prompts = {row: prompt_text(subject, row) for row in rows[:MOST_ROWS]}
    for way in islice(ways_to_work(list(prompts.values())), MOST_WAYS):
        texts = {row: text for row, prompt in prompts.items() if (text := way.answer(prompt)) is not None}
        first = next(iter(texts))
        for form in _forms(subject, first, texts[first]):
            yield {row: form.write(text) for row, text in texts.items()}


def common_answers(subject: Subject, rows: Sequence[int]) -> Iterator[tuple[int, str]]:
    """Short answers that are right on some rows of many tasks, each on several rows and in the form of the task."""
    form = _forms(subject, rows[0], COMMON[-1])[0]
    yield from ((row, form.write(text)) for row in rows[:MOST_COMMON] for text in COMMON)


def _forms(subject: Subject, row: int, value: str) -> list[Spelling]:
    """The forms that prompts and patterns show, and the plain one."""
    usual = set(usual_spellings(value))
    return [*(one for one in in_asked_forms(subject, row, value) if one not in usual), AS_IT_IS][:MOST_FORMS]
