from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grpo_env_wordle.marks import marks_of
from grpo_env_wordle.wording import in_words, read_marks

SIGNS = {"H": "here", "e": "elsewhere", ".": "no"}

words_of_few_letters = st.integers(3, 6).flatmap(
    lambda letters: st.tuples(*[st.text("abc", min_size=letters, max_size=letters)] * 2)
)


@pytest.mark.parametrize(
    ("guess", "secret", "signs"),
    [
        ("crane", "crane", "HHHHH"),
        ("crane", "silly", "....."),
        ("trace", "crate", "eHHeH"),
        ("speed", "abide", "..e.e"),  # one e in the word: the second is not once more there
        ("speed", "erase", "e.ee."),
        ("speed", "steal", "H.H.."),  # the one e is in its place, so the other is no
        ("geese", "eagle", "ee..H"),  # the e in its place counts first, the one left goes to the first other
        ("allee", "label", "eee.e"[:3] + "H."),
        ("llama", "small", "ee" + "H" + "e."),
        ("abbey", "babes", "eeHH."),
        ("add", "dad", "ee" + "H"),
        ("eel", "lee", "eHe"),
    ],
)
def test_the_letters_of_a_guess_are_marked(guess, secret, signs):
    assert marks_of(guess, secret) == tuple(SIGNS[sign] for sign in signs)


@settings(deadline=None)
@given(words_of_few_letters)
def test_a_letter_is_found_as_often_as_both_words_have_it_and_in_its_place_first(words):
    guess, secret = words
    marks = marks_of(guess, secret)
    assert [mark == "here" for mark in marks] == [a == b for a, b in zip(guess, secret, strict=True)]
    found = Counter(letter for letter, mark in zip(guess, marks, strict=True) if mark != "no")
    assert found == Counter(guess) & Counter(secret)
    for letter in set(guess):
        others = [mark for said, mark in zip(guess, marks, strict=True) if said == letter and mark != "here"]
        assert others == sorted(others)  # 'elsewhere' before 'no'


@settings(deadline=None)
@given(words_of_few_letters)
def test_what_is_told_can_be_read_again(words):
    marks = marks_of(*words)
    assert read_marks(f"{in_words(words[0], marks)} 3 guesses left.") == marks


def test_marks_are_told_letter_by_letter():
    assert in_words("geese", marks_of("geese", "eagle")) == (
        "GEESE: G elsewhere, E elsewhere, E no, S no, E here."
    )
