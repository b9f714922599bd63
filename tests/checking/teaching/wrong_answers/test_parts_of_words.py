"""Pieces of words that count, and games that take whole words, their beginnings, or pieces by design."""

import pytest

from grpo_env_sdk import answer_text
from grpo_env_sdk.checking.teaching.wrong_answers.parts_of_words import pieces_of_words_are_no_words as check
from tests.checking.trying import found
from tests.gallery.broken.pieces_of_spices import Shelf


class WholeWords(Shelf):
    def step(self, action):
        said = answer_text([action]).strip().lower()
        right = said in self.row["spices"].split(", ")
        return super().step({"role": "assistant", "content": said if right else "?"})


class Beginnings(Shelf):
    """A word may be cut short."""

    def step(self, action):
        said = answer_text([action]).strip().lower()
        begun = any(one.startswith(said) for one in self.row["spices"].split(", "))
        return super().step({"role": "assistant", "content": said if begun else "?"})


class Anything(Shelf):
    """Any word counts, which other checks report."""

    def step(self, action):
        return "Here it is.", 1 / 3, self.turns == 3, False, {}


class PiecesAreAskedFor(Shelf):
    def build_dataset(self, tokenizer):
        return [{**row, "prompt": f"{row['prompt']} Fragments count."} for row in super().build_dataset(tokenizer)]


class Searched(Shelf):
    def build_dataset(self, tokenizer):
        return [{**row, "prompt": f"Search for words. {row['prompt']}"} for row in super().build_dataset(tokenizer)]


@pytest.mark.parametrize("cls", [WholeWords, Beginnings, Anything, PiecesAreAskedFor, Searched])
def test_whole_words_beginnings_and_pieces_that_are_asked_for_are_not_reported(cls):
    assert found(check, cls) == []
