"""Calls with one more than the prompt asks for, single words of gold, and numbers that are a little off."""

import math

import pytest

from grpo_env_sdk import answer_text, reward
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.too_much.more_than_asked import a_number_of_the_prompt_is_no_bound as no_bound
from grpo_env_sdk.checking.teaching.wrong_answers.near_misses import near_misses_score_less
from tests.checking.trying import asking, found
from tests.gallery.broken.at_least_the_amount import Bank

HEROES, DEEDS, THINGS = ("Ada", "Ben", "Cleo", "Dan"), ("paints", "sells", "finds"), ("red boats", "old maps")


class Exact(Bank):
    @reward
    def moved(self, source, target, amount):
        return self.accounts[target] == 100 + amount and self.accounts[source] == 100 - amount


class Near(Bank):
    @reward
    def moved(self, source, target, amount):
        return abs(self.accounts[target] - 100 - amount) <= 2 and self.accounts[source] < 100


class AtLeast(Bank):
    def build_dataset(self, tokenizer):
        return [
            {**row, "prompt": f"{row['prompt']} More than that is fine too, at least."}
            for row in super().build_dataset(None)
        ]


def test_one_more_than_asked_for_is_found():
    (finding,) = found(no_bound, Bank)
    assert "one more" in finding.message


@pytest.mark.parametrize("cls", [Exact, Near, AtLeast])
def test_exact_amounts_tolerances_and_bounds_are_let_alone(cls):
    assert found(no_bound, cls) == []


def said(cls):
    return [item.message for item in found(near_misses_score_less, cls) if isinstance(item, Finding)]


def sentences(score):
    def write(n, rng):
        words = [HEROES[n % 4], DEEDS[n % 3], THINGS[n % 2]]
        return f"Write without the stars: {'*'.join(words)}*.", f"{' '.join(words)}."

    return type("Sentences", (asking(write),), {"score_episode": score})


def precision(self, model, tokenizer, completion, wanted):
    words = answer_text(completion).split()
    return sum(word in wanted.split() for word in words) / len(words) if words else 0.0


def recall(self, model, tokenizer, completion, wanted):
    words = answer_text(completion).split()
    return sum(word in words for word in wanted.split()) / len(wanted.split())


def test_any_word_of_gold_alone_is_found_where_it_is_as_good():
    assert any("cut to its first word" in message for message in said(sentences(precision)))
    assert not any("word" in message for message in said(sentences(recall)))


def within(share, asked):
    def score_episode(self, model, tokenizer, completion, wanted):
        try:
            return float(math.isclose(float(completion), float(wanted), rel_tol=share))
        except ValueError:
            return 0.0

    write = lambda n, rng: (f"What are {17 * n + 40} euros less 7%? {asked}", f"{(17 * n + 40) * 0.93:.1f}")  # noqa: E731
    return type("Discounts", (asking(write),), {"score_episode": score_episode})


def test_a_number_that_is_six_hundredths_off_is_found_where_places_are_asked_for():
    asked = "Round to one decimal."
    assert any("plus 6%" in message for message in said(within(0.1, asked)))
    for share, other in ((0.02, asked), (0.1, f"{asked} Within 10% is near enough."), (0.1, "About how many?")):
        assert not any("plus 6%" in message for message in said(within(share, other)))
