"""Length that makes a wrong answer better, and length that makes a score slow."""

import re

import pytest

from grpo_env_sdk import SingleTurnEnv, answer_text, reward
from grpo_env_sdk.checking.cost.long_replies import long_replies_are_scored_in_time
from grpo_env_sdk.checking.evidence.attempts import reply_growth
from grpo_env_sdk.checking.teaching.lazy_answers.padding import length_makes_nothing_wrong_better
from tests.checking.trying import found


def sums(score, solved=True, lowest=-1):
    """Sums of which `score(right, words)` is the reward; `right` is None where no sum is given."""

    class Sums(SingleTurnEnv):
        def build_dataset(self, tokenizer):
            return [{"prompt": f"What is {n} + 7? End with the sum.", "total": n + 7} for n in range(30)]

        @reward(range=(lowest, 1))
        def right(self, completion, total):
            text = answer_text(completion)
            given = re.search(r"(\d+)$", text)
            return score(int(given[1]) == total if given else None, len(text.split()))

        if solved:

            def solve(self, row):
                return str(row["total"])

    return Sums


def discounted(right, words):
    return (1 if right else -1) * (1 - 0.9 * min(words, 400) / 400)


def only_right_discounted(right, words):
    return 1 - 0.5 * min(words, 400) / 400 if right else -1.0


def no_answer_is_less_bad(right, words):
    return {True: 1.0, False: -1.0, None: 0.0}[right]


def per_word(right, words):
    return 1.0 if right else min(0.6, words / 300)


@pytest.mark.parametrize("env", [sums(discounted), sums(discounted, solved=False), sums(per_word, lowest=0)])
def test_words_that_make_a_wrong_answer_better_are_an_error(env):
    (finding,) = found(length_makes_nothing_wrong_better, env)
    assert finding.severity == "error"


@pytest.mark.parametrize("score", [only_right_discounted, no_answer_is_less_bad])
def test_a_penalty_that_words_do_not_change_is_let_be(score):
    assert found(length_makes_nothing_wrong_better, sums(score)) == []


WANTED = "The mill above the river has stood for three hundred years, and nobody remembers who built it there. " * 3


def texts(compared):
    class Texts:
        def build_dataset(self, tokenizer):
            return [{"prompt": f"Copy text {n}.", "wanted": f"{n} {WANTED}"} for n in range(8)]

        def score_episode(self, model, tokenizer, completion, wanted):
            return compared(completion, wanted)

        def solve(self, row):
            return row["wanted"]

    return Texts


COMPARED = []
"""Each comparison of two texts since the last look."""


def alike(part, wanted):
    COMPARED.append(part)
    return float(part == wanted)


def everywhere(said, wanted):
    starts = range(max(1, len(said) - len(wanted) + 1))
    return max(alike(said[start : start + len(wanted)], wanted) for start in starts)


def at_the_end(said, wanted):
    return alike(said[-len(wanted) :], wanted)


def seconds_of(subject, row, text):
    """As if each comparison took two milliseconds."""
    COMPARED.clear()
    subject.answer(row, text)
    return len(COMPARED) * 0.002


def test_a_score_that_takes_long_for_a_long_reply_is_named(monkeypatch):
    monkeypatch.setattr(reply_growth, "_seconds", seconds_of)
    (finding,) = found(long_replies_are_scored_in_time, texts(everywhere))
    assert "characters" in finding.message
    assert found(long_replies_are_scored_in_time, texts(at_the_end)) == []
