"""Shapes that other people's environments have, which checks took for faults or failed on."""

import string
from math import factorial

import pytest

from grpo_env_sdk import MultiTurnEnv, answer_text
from grpo_env_sdk.checking.contract.damaged_texts import texts_are_not_cut_off
from grpo_env_sdk.checking.contract.like_prompts import like_prompts_have_one_gold
from grpo_env_sdk.checking.contract.second_opinion import gold_is_what_the_prompt_asks_for
from grpo_env_sdk.checking.evidence.attempts.guesses import text_guesses
from grpo_env_sdk.checking.findings.finding import Undecided
from grpo_env_sdk.checking.teaching.amounts.odd_values import values_that_say_nothing_are_not_gold
from grpo_env_sdk.checking.teaching.forms.allowed_forms import forms_that_a_prompt_allows_are_accepted
from grpo_env_sdk.checking.teaching.forms.asked_forms import gold_has_the_form_that_is_asked_for
from tests.checking.trying import asking, found

LETTERS = string.ascii_lowercase
PARAGRAPHS = "\n\n".join(f"Rule {number} of this game says that nobody may leave the table." for number in range(5))


def drawn(n):
    return "\n".join(" ".join("#" if (n >> bit) & 1 else " " for bit in range(row, row + 6)) + "#" for row in range(4))


def power(n):
    return f"Compute {'-' * (n % 2)}{n + 2}^2.", str((-1 if n % 3 == 0 and n % 2 else 1) * (n + 2) ** 2)


@pytest.mark.parametrize(("check", "write"), [
    (like_prompts_have_one_gold, lambda n, rng: (f"What does this show?\n{drawn(n)}\n{drawn(n + 7)}", f"shape {n}")),
    (like_prompts_have_one_gold, lambda n, rng: (
        f"What is {n // 2 + 2} {('MW', 'mW')[n % 2]} as a power in W?", f"{(n // 2 + 2) * (10**6, 0.001)[n % 2]:g}")),
    (like_prompts_have_one_gold, lambda n, rng: (
        f"How many atoms do {n // 2 + 2} units of {('Co', 'CO')[n % 2]} have?", str((n // 2 + 2) * (1 + n % 2)))),
    (like_prompts_have_one_gold, lambda n, rng: (
        f"Work out the next sum and give nothing but the result: {n // 2 + 3}{'!' * (n % 2)} + {n // 2}",
        str((factorial(n // 2 + 3) if n % 2 else n // 2 + 3) + n // 2))),
    (like_prompts_have_one_gold, lambda n, rng: (
        "Work out what this gives, and say nothing but the result, which is a whole number: "
        f"{('{} + 3 * 5', '({} + 3) * 5')[n % 2].format(n // 2)}", str((n // 2 + 3) * 5 if n % 2 else n // 2 + 15))),
    (like_prompts_have_one_gold, lambda n, rng: (
        f"A function f is the square of what it is given, for all numbers. What is f{chr(39) * (n % 2)}({n // 2 + 3})?",
        str(2 * (n // 2 + 3) if n % 2 else (n // 2 + 3) ** 2))),
    (texts_are_not_cut_off, lambda n, rng: (
        f"{PARAGRAPHS}\n\nForm a palindrome of {', '.join(LETTERS[n] * (58 + n % 8))}\n\nNothing else.", str(n))),
    (gold_is_what_the_prompt_asks_for, lambda n, rng: power(n)),
    (forms_that_a_prompt_allows_are_accepted, lambda n, rng: (
        f"Pass on {n} twice. Each step should be placed on a single line, as 'take {n}'.", f"take {n}\ngive {n}")),
    (forms_that_a_prompt_allows_are_accepted, lambda n, rng: (
        f"Turn {LETTERS[n]}, b: a comma-separated list of words with a space after the comma.", f"b, {LETTERS[n]}")),
    (forms_that_a_prompt_allows_are_accepted, lambda n, rng: (
        f"Ada has $1,200.55 and gets $2,00{n % 9}.00: the total? Do not include units.", f"{3200.55 + n % 9:.2f}")),
])  # fmt: skip
def test_what_is_no_fault_is_let_alone(check, write):
    assert found(check, asking(write, 24)) == []


@pytest.mark.parametrize(("check", "write"), [
    (forms_that_a_prompt_allows_are_accepted, lambda n, rng: (f"Compute {n + 2}^30.", f"{float((n + 2) ** 30):.14f}")),
    (forms_that_a_prompt_allows_are_accepted, lambda n, rng: (
        f"Which of 5, 7, 31, 88 and 204 are not {n}?", f"5, 7, 31, 88 and 204 are not {n}")),
    (gold_has_the_form_that_is_asked_for, lambda n, rng: (
        f"Give what is left of {n} as a number between <answer> and </answer>.",
        f"<answer>{n if n % 4 else ''}</answer>")),
])  # fmt: skip
def test_no_gold_makes_a_check_fail(check, write):
    assert not [item for item in found(check, asking(write, 24)) if isinstance(item, Undecided)]


class Pushes(MultiTurnEnv):
    """A cart that many pushes bring to its goal, of which the last one hardly counts."""

    max_turns = 6
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Cart {n}: push 1 or 0, six times.", "n": n} for n in range(12)]

    def setup(self, row):
        self.goal, self.pushes = [(row["n"] >> bit) & 1 for bit in range(4)], []

    def step(self, action):
        self.pushes.append(answer_text(action["content"] or "").strip())
        done = len(self.pushes) == self.max_turns
        right = self.pushes[:4] == [str(one) for one in self.goal] and self.pushes[-1] in ("1", "0")
        return "", float(right) if done else 0.0, done, False, {}

    def solve(self, row):
        return [*(str((row["n"] >> bit) & 1) for bit in range(4)), "1", "1"]


def test_a_number_that_gold_says_elsewhere_is_not_absurd():
    assert found(values_that_say_nothing_are_not_gold, Pushes) == []


def test_common_answers_of_each_kind_come_soon():
    common = [guess.answer for guess in text_guesses([], []) if guess.name == "a common answer"]
    assert {"0", "yes", "A"} == {*common[:3]}
