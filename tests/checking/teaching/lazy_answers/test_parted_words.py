"""Limits of words, with words that are parted in other ways."""

import pytest

from grpo_env_sdk import answer_text, reward
from grpo_env_sdk.checking.teaching.lazy_answers.parted_words import (
    limits_of_words_hold_however_words_are_parted as parted,
)
from tests.checking.trying import found
from tests.gallery.broken.words_between_spaces import Summaries


class AtAnySpace(Summaries):
    """Sound: words are counted at spaces and line breaks alike."""

    @reward
    def short_and_full(self, completion, event, where):
        text = answer_text(completion)
        return len(text.split()) <= 12 and event in text and where in text


class FirstLine(Summaries):
    """Sound: the first line is the answer."""

    @reward
    def short_and_full(self, completion, event, where):
        line = answer_text(completion).splitlines()[0]
        return len(line.split()) <= 12 and event in line and where in line


class Uncounted(Summaries):
    """Not this fault: nothing counts words, so that spaces do not lose either."""

    @reward
    def short_and_full(self, completion, event, where):
        return event in answer_text(completion) and where in answer_text(completion)


class WithoutLimit(Summaries):
    """Nothing to keep: the prompt states no limit."""

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        return [{**row, "prompt": row["prompt"].replace(" in at most 12 words", "")} for row in rows]


class Tabs(Summaries):
    """Flawed too: a text on one line."""

    @reward
    def short_and_full(self, completion, event, where):
        text = answer_text(completion)
        return "\n" not in text and len(text.split(" ")) <= 12 and event in text and where in text


@pytest.mark.parametrize(("cls", "mark", "name"), [(Summaries, "\n", "line breaks"), (Tabs, "\t", "tabs")])
def test_a_limit_that_other_marks_than_spaces_break_is_an_error(cls, mark, name):
    [finding] = found(parted, cls)
    assert f"where {name} part its words" in finding.message
    assert finding.input.count(mark) > 12


@pytest.mark.parametrize("cls", [AtAnySpace, FirstLine, Uncounted, WithoutLimit])
def test_limits_that_hold_and_texts_without_one_are_let_be(cls):
    assert found(parted, cls) == []
