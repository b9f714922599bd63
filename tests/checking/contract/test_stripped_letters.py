"""C170: code that takes the letters of a word off right answers, and code that takes off words or marks."""

import pytest

from grpo_env_sdk import SingleTurnEnv, answer_text, reward
from grpo_env_sdk.checking.contract.stripped_letters import words_are_taken_off_as_words
from tests.checking.trying import found

CAPITALS = {"Norway": "oslo", "Peru": "lima", "Japan": "tokyo", "Kenya": "nairobi", "Ghana": "accra", "Egypt": "cairo"}
PREFIX = "reply: "


def capitals(plain, values=CAPITALS):
    """Capitals, of which `plain` makes what is compared."""

    class Capitals(SingleTurnEnv):
        FRAME = "city of "

        def build_dataset(self, tokenizer):
            return [{"prompt": f"What is the capital of {land}?", "town": town} for land, town in values.items()]

        @reward
        def right(self, completion, town):
            return plain(self, answer_text(completion).strip()) == plain(self, town)

    return Capitals


class Begins(capitals(lambda env, text: text)):
    @reward
    def right(self, completion, town):
        text = answer_text(completion)
        return text.startswith(PREFIX) and text.lstrip(PREFIX) == town


class Ends(capitals(lambda env, text: text)):
    @reward
    def right(self, completion, town):
        return answer_text(completion).rstrip("! (town)") == town


class OfTheClass(capitals(lambda env, text: text)):
    @reward
    def right(self, completion, town):
        return answer_text(completion).strip(self.FRAME) == town


@pytest.mark.parametrize(("env", "example"), [(Begins, "'lima'"), (Ends, "'oslo'"), (OfTheClass, "'oslo'")])
def test_right_answers_that_lose_letters_are_an_error(env, example):
    (finding,) = found(words_are_taken_off_as_words, env)
    assert (finding.severity, example in finding.message, "remove" in finding.hint) == ("error", True, True)


@pytest.mark.parametrize("env", [
    capitals(lambda env, text: text.lstrip("reply: ")),
    capitals(lambda env, text: text.removeprefix("reply: ")),
    capitals(lambda env, text: text.strip(" .!?$%")),
    capitals(lambda env, text: text.strip("aeiou")),
    capitals(lambda env, text: text.rstrip(" km"), {"half a marathon": "21", "a mile": "1.6", "a league": "5"}),
    capitals(lambda env, text: text.rstrip("! (town)") and text),
])  # fmt: skip
def test_words_marks_and_letters_on_both_sides_are_let_be(env):
    assert found(words_are_taken_off_as_words, env) == []
