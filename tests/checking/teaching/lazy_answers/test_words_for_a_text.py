"""Lists of words that a text has to use: as its whole text, and with the mark that is asked for at its end."""

import re

import pytest

from grpo_env_sdk.checking.teaching.forms.allowed_forms import forms_that_a_prompt_allows_are_accepted
from grpo_env_sdk.checking.teaching.forms.frames import the_form_that_decides_is_asked_for
from grpo_env_sdk.checking.teaching.lazy_answers.copying import copying_is_not_gold
from tests.checking.trying import found

NOUNS = ["fox", "kettle", "barn", "goose", "ladder", "river", "pony", "spoon", "attic", "otter", "mirror", "bridge"]


def written(ask, most_listed=1.0, end="", solved=False):
    """Texts that use some words in their order and have this end; so many of their words may be the listed ones."""

    class Written:
        def build_dataset(self, tokenizer):
            rows = [[NOUNS[(n + step * (1 + n % 5)) % 12] for step in range(4)] for n in range(30)]
            return [{"prompt": f"{n}. {ask.format(', '.join(words))}", "words": words} for n, words in enumerate(rows)]

        def score_episode(self, model, tokenizer, completion, words):
            said = re.findall(r"[a-z]+", completion.lower())
            used = [word for word in said if word in words]
            ended = completion.strip().endswith(end) and len(re.findall(r"[.!?]", completion)) == len(end)
            return float(ended and used == words and len(used) <= most_listed * len(said) <= 12 * most_listed)

    if solved:
        Written.solve = lambda self, row: f"I saw the {', then the '.join(row['words'])}{end}"
    return Written


ASKED = {
    "Write a sentence that uses these words in this order: {}. End it with a full stop.": ".",
    "Compose a short story of two lines with all of the following words, in order: {}.": "",
    "Use these words, as they stand here: {}. Write one slogan that ends with an exclamation mark.": "!",
}


@pytest.mark.parametrize("solved", [True, False])
@pytest.mark.parametrize("ask", ASKED)
def test_the_list_of_words_that_passes_as_a_text_is_found(ask, solved):
    (finding,) = found(copying_is_not_gold, written(ask, end=ASKED[ask], solved=solved))
    assert "The list of words that a text has to use scores as much as" in finding.message
    assert finding.input.endswith(ASKED[ask])


@pytest.mark.parametrize("ask", ASKED)
def test_a_scorer_that_wants_more_than_the_list_is_let_be(ask):
    assert found(copying_is_not_gold, written(ask, most_listed=0.5, end=ASKED[ask], solved=True)) == []


def test_words_that_are_to_be_listed_are_no_text():
    ask = "List these words in the order in which they stand here: {}. End it with a full stop."
    findings = found(copying_is_not_gold, written(ask, end=".", solved=True))
    assert not [one for one in findings if "has to use" in one.message]


@pytest.mark.parametrize("check", [the_form_that_decides_is_asked_for, forms_that_a_prompt_allows_are_accepted])
def test_a_full_stop_that_is_asked_for_is_no_form_of_a_list_in_json(check):
    class Framed(written(next(iter(ASKED)), end=".")):
        def solve(self, row):
            return f"The answer is [{', '.join(map(repr, row['words']))}].".replace("'", '"')

    assert found(check, Framed) == []
