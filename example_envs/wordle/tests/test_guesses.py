import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grpo_env_wordle import WordleEnv
from grpo_env_wordle.board import Board
from grpo_env_wordle.words import words_of

ROW = {"prompt": "Guess.", "secret": "eagle", "choices": [], "par": 3}
CHOICES = [*words_of(5)[:40], "eagle", "geese"]


@pytest.fixture
def game():
    """Gives the answer to a guess, and what it was paid, in one running game."""

    def start(difficulty="normal", **row):
        env = WordleEnv(difficulty=difficulty, max_guesses=6)
        env.reset(options=ROW | row)

        def guess(said):
            observation, reward, terminated, truncated, info = env.step(said)
            return observation, round(reward, 6), terminated or truncated, info["metrics"]

        return guess

    return start


def test_a_guess_is_answered_letter_by_letter(game):
    answer, reward, ended, metrics = game()("geese")
    assert answer == "GEESE: G elsewhere, E elsewhere, E no, S no, E here. 5 guesses left."
    assert reward == round(0.4 * (1 + 3) / 10, 6)  # a place, and three letters
    assert not ended
    assert metrics == {"found": 0.0, "guesses": 1.0, "refused": 0.0}


def test_finding_the_word_ends_the_game(game):
    guess = game()
    guess("geese")
    answer, reward, ended, metrics = guess("eagle")
    assert answer == "EAGLE: E here, A here, G here, L here, E here. You found it."
    assert reward == round(0.4 * 6 / 10 + 0.6, 6)
    assert ended
    assert metrics["found"] == 1.0


def test_more_guesses_than_the_solver_takes_earn_less(game):
    guess = game(par=1)
    first = guess("geese")[1]
    assert first + guess("eagle")[1] == pytest.approx(0.4 + 0.6 / 2)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("", "That was no word."),
        ("  \n", "That was no word."),
        ("My guess is eagle", "Answer with one word and nothing else."),
        ("eagle eagle", "Answer with one word and nothing else."),
        ("eagle.", "'EAGLE.' is not made of the letters a to z alone."),
        ("**eagle**", "'**EAGLE**' is not made of the letters a to z alone."),
        ("eag1e", "'EAG1E' is not made of the letters a to z alone."),
        ("éagle", "'ÉAGLE' is not made of the letters a to z alone."),
        ("egg", "'EGG' has 3 letters, not 5."),
        ("e" * 5000, "'EEEEEEEEEEEEEEEEEEEE' has 5000 letters, not 5."),
        ("xyzzy", "'XYZZY' is not one of the words."),
    ],
)
def test_what_is_no_guess_is_answered_with_why_and_costs_a_turn(game, said, told):
    assert game()(said) == (
        f"{told} 5 guesses left.",
        0.0,
        False,
        {"found": 0.0, "guesses": 1.0, "refused": 1.0},
    )


@pytest.mark.parametrize("said", ["EAGLE", " eagle\n", "<think>Perhaps an animal?</think>\n\nEagle"])
def test_capitals_spaces_and_thoughts_do_not_matter(game, said):
    assert game()(said)[1:3] == (1.0, True)


def test_a_message_that_calls_a_tool_is_no_guess(game):
    calls = [{"function": {"name": "guess", "arguments": {"word": "eagle"}}}]
    assert game()({"role": "assistant", "tool_calls": calls})[0] == "That was no word. 5 guesses left."


def test_the_same_guess_again_is_paid_nothing(game):
    guess = game()
    guess("geese")
    assert guess("geese")[1] == 0.0


def test_the_last_guess_is_followed_by_the_word(game):
    guess = game()
    assert [guess("geese")[2] for _ in range(5)] == [False] * 5
    assert guess("geese")[::2] == (
        "GEESE: G elsewhere, E elsewhere, E no, S no, E here. No guesses left. The word was EAGLE.",
        True,
    )


def test_a_hard_game_refuses_what_cannot_be_right(game):
    guess = game("hard")
    guess("geese")
    answer, reward, ended, metrics = guess("apple")
    assert answer == "'APPLE' does not fit what you were told about 'GEESE'. 4 guesses left."
    assert (reward, ended, metrics["refused"]) == (0.0, False, 1.0)
    assert guess("eagle")[2]


def test_an_easy_game_takes_only_the_words_that_it_names(game):
    guess = game("easy", choices=["eagle", "geese"])
    assert guess("apple")[0] == "'APPLE' is not one of the words. 5 guesses left."
    assert guess("geese")[1] > 0


@settings(deadline=None)
@given(st.lists(st.sampled_from(CHOICES), min_size=1, max_size=8))
def test_guesses_never_make_less_of_the_word_known(guesses):
    board = Board("eagle", frozenset(CHOICES))
    known = [0.0]
    for word in guesses:
        board.guess(word)
        known.append(board.known)
    assert known == sorted(known)
    assert known[-1] <= 1.0
    board.guess("eagle")
    assert board.known == 1.0
