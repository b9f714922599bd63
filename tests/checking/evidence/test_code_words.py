"""The words of an environment's own code, as guesses of what it looks for."""

import re
from functools import partial

import pytest

from grpo_env_sdk import SingleTurnEnv, reward
from grpo_env_sdk.checking.evidence.attempts.code_guesses import word_calls, word_guesses
from grpo_env_sdk.checking.evidence.author_code.code_words import CodeWords, code_words
from grpo_env_sdk.checking.evidence.author_code.pattern_texts import text_matching

PHRASES = {"tone": ["kindly", "please note"]}
MARK = re.compile(r"verdict\s*:\s*(accept|ok)")


def _pays(text, least):
    """Never a word of a docstring."""
    return any(phrase in text for phrases in PHRASES.values() for phrase in phrases) or len(text) > least


def nobody_calls_it():
    return "unreachable words"


class Coded(SingleTurnEnv):
    marks = ("first mark",)

    def build_dataset(self, tokenizer):
        return [{"prompt": "words of the rows", "answer": "gold"}]

    def score_episode(self, model, tokenizer, completion, answer):
        paid = partial(_pays, least=350)
        return float(
            paid(completion) or bool(MARK.search(completion)) or any(mark in completion for mark in self.marks)
        )

    @property
    def held(self):
        return [word for word in ("within a comprehension",) if word]

    @reward(weight=0.0)
    def other(self, completion, answer):
        return "answer" in completion or len(completion) > 777

    def solve(self, row):
        return "words of gold"


def test_words_of_what_an_episode_may_call():
    words = code_words(Coded(), ["prompt", "answer"])
    assert set(words.texts) >= {
        "kindly",
        "please note",
        "first mark",
        "tone",
        "verdict : accept",
        "within a comprehension",
    }
    assert not {"answer", "words of the rows", "words of gold", "unreachable words"} & set(words.texts)
    assert not any("docstring" in text for text in words.texts)
    assert 777 in words.numbers


def test_an_environment_of_the_sdk_has_no_words():
    assert code_words(SingleTurnEnv()) == CodeWords((), ())


@pytest.mark.parametrize(
    "pattern",
    [
        r"verdict\s*[:=]\s*(?:pass|ok)\b", r"^\d{3}-[A-F]+$", r"[^\w\s]x", r"(?i)score:\s*(\d+)/10", r"a{2,}?[^a-z]",
        r"(?P<name>\S+)@\w+\.com", r"\[\[\d+\]\]", "[[1]]", r".+\D\W", r"(?>ab|cd)e",
    ],
)  # fmt: skip
def test_a_text_that_a_pattern_matches(pattern):
    text = text_matching(pattern)
    assert text is not None
    assert re.search(pattern, text)


@pytest.mark.parametrize("pattern", ["(", r"(\w)\1\b(?!.)(?=z)", "*", r"[^\w\W]", "a{900000000}"])
def test_no_text_for_what_is_no_pattern_or_too_hard(pattern):
    assert text_matching(pattern) is None


def test_guesses_from_words():
    answers = [guess.answer for guess in word_guesses(CodeWords(("accept", "ok so"), (8,)), [])]
    assert answers == [
        "accept",
        "ok so",
        "accept\nok so",
        "accept ok so",
        '{"accept": true}',
        '{"accept": 10}',
        *answers[6:],
    ]
    assert " ".join(["lorem"] * 9) in answers
    assert word_guesses(CodeWords((), ()), []) == []


def test_calls_with_words_where_a_tool_takes_a_free_text():
    tool = {
        "type": "function",
        "function": {"name": "redeem", "parameters": {"properties": {"code": {"type": "string"}}}},
    }
    closed = {"type": "function", "function": {"name": "go", "parameters": {"properties": {"to": {"enum": ["up"]}}}}}
    (guess,) = word_calls(CodeWords(("FREE",), ()), [tool, closed], [])
    (call,) = guess.answer[0]["tool_calls"]
    assert (call["function"]["name"], call["function"]["arguments"]) == ("redeem", {"code": "FREE"})
