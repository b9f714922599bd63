"""Scorers that want thoughts in tags before an answer: what is tried has them too."""

import re

import pytest

from grpo_env_sdk import SingleTurnEnv, reward
from grpo_env_sdk.checking.evidence.golds import golds
from grpo_env_sdk.checking.evidence.quoted_answers import A_THOUGHT, quoted
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.lazy_answers.guessing import no_fixed_answer_is_gold
from grpo_env_sdk.checking.teaching.lazy_answers.hedging import one_answer_at_a_time
from grpo_env_sdk.checking.teaching.wrong_answers.near_misses import near_misses_score_less
from tests.checking.trying import found, subject_of


class Sums(SingleTurnEnv):
    """Flawed: the right number anywhere in the answer counts."""

    form = r"(?s)<think>.+?</think>\s*<answer>(.*?)</answer>\s*"

    def build_dataset(self, tokenizer):
        asked = "What is {} + {}? Think in <think></think>, then answer in <answer></answer>."
        pairs = [(n, 12 + 5 * n % 31) for n in range(10, 50)]
        return [{"prompt": asked.format(*pair), "sum": str(sum(pair)), "n": pair[0]} for pair in pairs]

    @reward
    def right(self, completion, sum):
        found = re.fullmatch(self.form, completion)
        return bool(found) and self.is_right(found[1], sum)

    def is_right(self, answer, sum):
        return sum in answer

    def solve(self, row):
        return f"<think>I add {row['n']} and the other.</think>\n<answer>{row['sum']}</answer>"


class Equal(Sums):
    """Sound: the whole answer is compared."""

    def is_right(self, answer, sum):
        return answer.strip() == sum


class Optional(Equal):
    """Sound: no thoughts are needed."""

    form = r"(?s)(?:<think>.*?</think>\s*)?<answer>(.*?)</answer>\s*"


class ReadThoughts(Equal):
    """Sound: thoughts have to speak of the first number, so that each gold keeps its own."""

    form = r"(?s)<think>I add (?:\d+) and .*?</think>\s*<answer>(.*?)</answer>\s*"


CHECKS = [no_fixed_answer_is_gold, one_answer_at_a_time, near_misses_score_less]


@pytest.mark.parametrize("check", CHECKS)
def test_checks_of_answers_find_what_thoughts_would_hide(check):
    items = [item for item in found(check, Sums) if isinstance(item, Finding) and item.severity == "error"]
    assert items
    assert all(str(item.input).startswith("<think>") for item in items)


@pytest.mark.parametrize("cls", [Equal, Optional, ReadThoughts])
@pytest.mark.parametrize("check", CHECKS)
def test_sound_scorers_are_let_be(check, cls):
    assert not [item for item in found(check, cls) if isinstance(item, Finding) and item.severity != "info"]


@pytest.mark.parametrize(("cls", "thoughts"), [
    (Sums, f"<think>{A_THOUGHT}</think>\n"), (Optional, ""), (ReadThoughts, "<think>I add 10 and the other.</think>\n"),
])  # fmt: skip
def test_gold_has_one_thought_on_all_rows_or_its_own_or_none(cls, thoughts):
    assert golds(subject_of(cls))[0].thoughts == thoughts


def test_messages_leave_out_the_thought_that_stands_for_all():
    assert quoted(f"<think>\n{A_THOUGHT}\n</think>\n<answer>7</answer>") == "'<answer>7</answer>'"
    assert quoted(f"<think>{A_THOUGHT}</think>") == f"'<think>{A_THOUGHT}</think>'"
