"""Examples that hold the word or number which is asked for, in several layouts, and lists that are there to be read."""

import random

import pytest

from grpo_env_sdk.checking.contract.shown_examples import examples_leave_out_what_is_asked as right
from tests.checking.trying import asking, found

SYLLABLES = ("ba", "ko", "mi", "tu", "re", "sol", "na")
WORDS = [one + two for one in SYLLABLES for two in SYLLABLES][:40]
MEANS = {word: str(3 * n + 11) for n, word in enumerate(WORDS)}
LAYOUTS = {
    "equals": ("Examples:", "{} = {}", "{} = ?"),
    "two lines": ("Answer with the number.", "Q: {}\nA: {}", "Q: {}\nA:"),
    "an arrow": ("Words as numbers.", "{} -> {}", "{} ->"),
    "a verb": ("Beispiele:", "Übersetze {}: {}", "Übersetze {}:"),
    "another form": ("Ejemplos:", "{} → {}", "¿Qué número es {}?"),
    "labels on one line": ("Solved before.", "Input: {} | Output: {}", "Input: {} | Output:"),
}


def shown(layout, own=True, means=None, table=""):
    """Five examples near in the list of words, with or without the one that is asked for."""
    head, example, ask = LAYOUTS[layout]

    def write(n, rng):
        near = [WORDS[(n + step) % len(WORDS)] for step in (-2, -1, 1, 2)] + ([WORDS[n]] if own else [])
        rng.shuffle(near)
        values = means(rng) if means else MEANS.__getitem__
        lines = [example.format(word, values(word)) for word in near]
        answer = values(WORDS[n])
        return "\n".join([table or head, *lines, "", ask.format(WORDS[n])]), answer

    return asking(write)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_case_of_one_word_among_its_own_examples_is_named(layout):
    (finding,) = found(right, shown(layout))
    assert "40 of 40 prompts have their own case among the examples" in finding.message
    assert finding.severity == "error"


@pytest.mark.parametrize("layout", LAYOUTS)
def test_examples_of_other_words_are_let_be(layout):
    assert found(right, shown(layout, own=False)) == []


def drawn_anew(rng):
    values = {word: str(rng.randint(10, 99)) for word in WORDS}
    return values.__getitem__


def test_pairs_that_only_the_prompt_knows_are_there_to_be_recalled():
    assert found(right, shown("equals", means=drawn_anew)) == []


def test_an_excerpt_of_a_glossary_is_there_to_be_looked_up():
    assert found(right, shown("an arrow", table="Glossary, to look words up in:")) == []


def test_a_list_that_all_prompts_share_is_what_the_task_is_about():
    rng = random.Random(1)
    lines = "\n".join(f"{word} = {MEANS[word]}" for word in rng.sample(WORDS, len(WORDS)))
    assert found(right, asking(lambda n, rng: (f"Examples:\n{lines}\n\n{WORDS[n]} = ?", MEANS[WORDS[n]]))) == []
