"""Words that are to cost something, and pay."""

import re

import pytest

from grpo_env_sdk import answer_text
from grpo_env_sdk.checking.teaching.acts.penalties import penalties_lower_the_score as penalties
from tests.checking.trying import found

PRAISE = {"amazing", "stunning", "incredible", "awesome"}


class Acting:
    """Its class cannot be read, and no check has to: it is only held beside the others."""

    @property
    def __class__(self):
        raise RuntimeError("acts")


ACTING = Acting()


class Reviews:
    """The price of a thing, without words of praise; an own rubric adds up the parts."""

    told = "Words of praise, such as amazing, cost half of the points."
    weight = 0.5
    gold_praises = False

    def build_dataset(self, tokenizer):
        asked = "Lamp {} costs {} euros and {} cents. {} Write the price last, as 1.50."
        return [{"prompt": asked.format(n, n + 2, 10 + n, self.told), "price": f"{n + 2}.{10 + n}"} for n in range(14)]

    def score_episode(self, model, tokenizer, completion, price):
        said = answer_text(completion)
        penalty = -float(any(word in PRAISE for word in re.findall(r"[a-z]+", said.lower())))
        return min(1.0, max(0.0, float(said.split()[-1:] == [price]) + self.weight * penalty))

    def solve(self, row):
        return f"The price is {row['price']}"


class PaidReviews(Reviews):
    weight = -0.5


class PaidReviewsUnnamed(PaidReviews):
    told = "Do not use words such as stunning."


class AskedFor(PaidReviews):
    """Sound: the words are asked for."""

    told = "Leaving out words of praise, such as amazing, costs half of the points."


class NothingSaid(Reviews):
    """Sound: longer answers earn more, whatever they say."""

    def score_episode(self, model, tokenizer, completion, price):
        said = answer_text(completion).split()
        return 0.5 * (said[-1:] == [price]) + 0.5 * min(1.0, len(said) / 4)


@pytest.mark.parametrize("cls", [PaidReviews, PaidReviewsUnnamed])
def test_words_that_are_to_cost_something_and_pay_are_found(cls):
    [finding] = found(penalties, cls)
    assert finding.severity == "error"
    assert "scores 0.5, without it 0" in finding.message


@pytest.mark.parametrize("cls", [Reviews, AskedFor, NothingSaid])
def test_words_that_cost_something_or_are_asked_for_are_let_be(cls):
    assert found(penalties, cls) == []
