"""Prompts that show a part of what gold is worked out from, gold without its accents, and what only looks so."""

import random
import unicodedata

import pytest

from grpo_env_sdk.checking.contract.accents_of_gold import gold_keeps_its_accents
from grpo_env_sdk.checking.contract.shown_in_part import prompts_show_what_gold_is_worked_out_from as shown_in_part
from grpo_env_sdk.checking.contract.told_by_form import form_does_not_tell_the_answer
from grpo_env_sdk.checking.teaching.forms.allowed_forms import forms_that_a_prompt_allows_are_accepted
from tests.checking.trying import asking, found


def numbers_of(n, most=14):
    rng = random.Random(n)
    return [rng.randint(1, 90) for _ in range(rng.randint(5, most))]


@pytest.mark.parametrize(("write", "named"), [
    (lambda n, rng: ("Add up: " + ", ".join(map(str, numbers_of(n)[:9])), str(sum(numbers_of(n)))), "the sum"),
    (lambda n, rng: ("\n".join(f"item {k}; {k} EUR" for k in numbers_of(n)[:9]), f"Max: {max(numbers_of(n))}"),
     "the largest"),
    (lambda n, rng: ("\n".join(f"- {k} kg" for k in numbers_of(n)[:9]) + "\nHow many?", str(len(numbers_of(n)))),
     "the number"),
])  # fmt: skip
def test_long_lists_that_are_cut_off_are_named(write, named):
    (finding,) = found(shown_in_part, asking(write, 60))
    assert f"{named} of what is shown is gold" in finding.message


@pytest.mark.parametrize("write", [
    lambda n, rng: ("Add up: " + ", ".join(map(str, numbers_of(n))), str(sum(numbers_of(n)))),
    lambda n, rng: ("Add up what is above 40: " + ", ".join(map(str, numbers_of(n))),
                    str(sum(k for k in numbers_of(n) if k > 40))),
    lambda n, rng: ("Add up the first 9: " + ", ".join(map(str, numbers_of(n))), str(sum(numbers_of(n)[:9]))),
])  # fmt: skip
def test_lists_that_are_whole_or_chosen_from_are_let_be(write):
    assert found(shown_in_part, asking(write, 60)) == []


WORDS = [f"{start}{end}é" for start in ("cant", "habl", "compr", "mir", "nad") for end in ("", "ar", "er", "on")]


def plain(text):
    return "".join(char for char in unicodedata.normalize("NFD", text) if not unicodedata.combining(char))


def spelled(loses, answer, ask="¿Cómo se escribe el pretérito"):
    class Spelled:
        def build_dataset(self, tokenizer):
            return [{"prompt": f"{ask} {n}?", "form": plain(word) if loses else word} for n, word in enumerate(WORDS)]

        def score_episode(self, model, tokenizer, completion, form):
            return float(answer(completion.strip()) == form)

        def solve(self, row):
            return row["form"]

    return Spelled


def test_gold_that_lost_its_accents_is_named():
    (finding,) = found(gold_keeps_its_accents, spelled(True, str.lower))
    assert "plain takes them off" in finding.message


@pytest.mark.parametrize(("loses", "answer", "ask"), [
    (True, plain, "¿Cómo se escribe el pretérito"), (False, str, "¿Cómo se escribe el pretérito"),
    (True, str, "¿Cómo se escribe sin acentos el pretérito"), (True, str, "Write number"),
])  # fmt: skip
def test_accents_that_count_on_both_sides_or_none_are_let_be(loses, answer, ask):
    assert found(gold_keeps_its_accents, spelled(loses, answer, ask)) == []


def numbered(n, rng, step):
    team = ("billing", "sales", "support")[n // 40]
    number = 4_000 + (n if step else rng.randrange(4_000))
    words = rng.choice(["It broke", "I paid", "How much", "Hello"]) + rng.choice([" today", " again", "", " twice"])
    return f"Ticket #{number}: {words}. Which team? billing, sales or support", team


def test_ranges_of_a_number_in_an_id_are_a_rule():
    (finding,) = found(form_does_not_tell_the_answer, asking(lambda n, rng: numbered(n, rng, True), 120))
    assert "The size of number 1 in the id" in finding.message
    assert found(form_does_not_tell_the_answer, asking(lambda n, rng: numbered(n, rng, False), 120)) == []


@pytest.mark.parametrize(("ask", "said"), [
    ("with a comma between thousands, as in 12,345", "'1,317'"), ("mit Punkten zwischen den Tausendern", "'1.317'"),
    ("using spaces as thousands separators", "'1 317'"),
])  # fmt: skip
def test_separators_of_thousands_that_are_asked_for_and_refused_are_an_error(ask, said):
    env = asking(lambda n, rng: (f"What is {n} * 317 + 1317? Write it {ask}.", str(n * 317 + 1317)), 12)
    findings = found(forms_that_a_prompt_allows_are_accepted, env)
    assert [(one.severity, said in one.message) for one in findings] == [("error", True)]


def test_separators_of_thousands_that_are_ruled_out_are_let_be():
    ask = "Write it without commas between thousands."
    env = asking(lambda n, rng: (f"What is {n} * 317 + 1317? {ask}", str(n * 317 + 1317)), 12)
    assert found(forms_that_a_prompt_allows_are_accepted, env) == []
