import pytest

from grpo_env_wordle.words import LETTERS, some_words, words_of


@pytest.mark.parametrize("letters", LETTERS)
def test_a_list_has_many_words_of_its_length_each_once_and_sorted(letters):
    words = words_of(letters)
    assert len(words) > 300
    assert list(words) == sorted(set(words))
    assert all(
        len(word) == letters and word.isascii() and word.isalpha() and word.islower() for word in words
    )


def test_some_words_are_the_same_for_one_seed():
    assert len(some_words(3, 20, 0)) == 20
    assert some_words(3, 20, 0) == some_words(3, 20, 0) != some_words(3, 20, 1)
    assert set(some_words(3, 20, 1)) < set(words_of(3))
    assert some_words(4, None, 0) == words_of(4)
