"""Parts of an answer that may be left out, although they lose where they are wrong."""

import re

import pytest

from grpo_env_sdk import SingleTurnEnv, answer_text, reward
from grpo_env_sdk.checking.teaching.wrong_answers.left_out import what_is_left_out_is_not_right
from tests.checking.trying import found


class Quoted(SingleTurnEnv):
    """An answer with a quote: where there is none, the part for it abstains."""

    ask = "Answer: the number\nQuote: the words that say so"
    abstains = True

    def build_dataset(self, tokenizer):
        return [{"prompt": f"The hall cost {n} pounds in {n + 900}. How much?\n{self.ask}", "n": n} for n in range(20)]

    @reward
    def right(self, completion, n):
        return f"Answer: {n}" in answer_text(completion).split("\n")

    @reward
    def quoted(self, completion, n):
        quote = re.search(r"^Quote: (.+)$", answer_text(completion), re.MULTILINE)
        if quote is None:
            return None if self.abstains else 0.0
        return quote[1] == f"The hall cost {n} pounds"

    def solve(self, row):
        return f"Answer: {row['n']}\nQuote: The hall cost {row['n']} pounds"


class Strict(Quoted):
    abstains = False


class Optional(Quoted):
    ask = "Answer: the number\nQuote: the words that say so, optional"


class Thought(Quoted):
    """Thoughts that are asked for, and that nobody reads, are no part of the answer."""

    ask = "<thoughts>what you think</thoughts>\nAnswer: the number"

    @reward
    def quoted(self, completion, n):
        return True

    def solve(self, row):
        return f"<thoughts>It says {row['n']}.</thoughts>\nAnswer: {row['n']}"


def test_a_part_that_may_be_left_out_and_may_not_be_wrong_is_named():
    (finding,) = found(what_is_left_out_is_not_right, Quoted)
    assert "without its 'Quote:', where another text in its place loses" in finding.message
    assert finding.input == "Answer: 0"


@pytest.mark.parametrize("cls", [Strict, Optional, Thought])
def test_a_part_that_counts_is_optional_or_never_read_is_let_alone(cls):
    assert found(what_is_left_out_is_not_right, cls) == []
