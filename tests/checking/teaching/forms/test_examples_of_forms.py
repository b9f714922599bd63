"""Forms that a prompt does not ask for: lines of several words, and other forms than that of an example."""

import re
from fractions import Fraction

import pytest

from grpo_env_sdk import SingleTurnEnv, answer_text, reward
from grpo_env_sdk.checking.evidence.quoted_answers import both_quoted
from grpo_env_sdk.checking.teaching.forms.allowed_forms import forms_that_a_prompt_allows_are_accepted as forms
from tests.checking.trying import found


class Exact(SingleTurnEnv):
    """Gold word for word."""

    asked = ""

    def build_dataset(self, tokenizer):
        return [{"prompt": self.asked.format(n), "wanted": self.wanted(n)} for n in range(3, 23)]

    def wanted(self, n):
        raise NotImplementedError

    @reward
    def right(self, completion, wanted):
        return answer_text(completion) == wanted

    def solve(self, row):
        return row["wanted"]


class Seats(Exact):
    """Lines of several names."""

    asked = "Seat the guests of table {}: two rows of three names each, separated by spaces. Write the rows alone."

    def wanted(self, n):
        names = [f"{first}{'abcdefghijklmnopqrstuvwxyz'[n]}" for first in ("Mi", "Lu", "Ka", "Jo", "Re", "Su")]
        return f"{' '.join(names[:3])}\n{' '.join(names[3:])}"


class HyphenatedNames(Exact):
    asked = "Name the three guests of table {}, separated by hyphens where a name has two parts. Write one per line."

    def wanted(self, n):
        return f"Anna-Li\nBo-{'abcdefghijklmnopqrstuvwxyz'[n]}\nCarl"


class Commas(Exact):
    """One name per line, although spaces are asked for: only gold's own form counts."""

    asked = "Name the three guests of table {}, separated by spaces. Write the names alone."

    def wanted(self, n):
        return f"Anna\nBo{'abcdefghijklmnopqrstuvwxyz'[n]}\nCarl"


@pytest.mark.parametrize("cls", [Seats, HyphenatedNames])
def test_lines_of_several_words_are_not_joined(cls):
    assert not found(forms, cls)


def test_one_word_per_line_is_still_joined_and_shown_with_its_line_ends():
    (finding,) = found(forms, Commas)
    assert finding.severity == "error"
    assert "'Anna Bod Carl' scores 0" in finding.message
    assert r"'Anna\nBod\nCarl' 1" in finding.message


class Shares(Exact):
    """Every exact form of a fraction but LaTeX."""

    form = ""

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"A cake has {n} pieces, and {n - 1} are left. {self.form}", "wanted": f"{n - 1}/{n}"}
            for n in range(3, 23)
        ]

    @reward
    def right(self, completion, wanted):
        said = re.fullmatch(r"(\d{1,4} )?(\d{1,4})/(\d{1,4})", answer_text(completion))
        value = said and int(said[3]) and int(said[1] or 0) + Fraction(int(said[2]), int(said[3]))
        return value == Fraction(wanted)


class NoForm(Shares):
    form = "Which fraction of the cake is that?"


class MixedExample(Shares):
    form = "Which share is that? Write a fraction, in lowest terms or not, or a mixed number such as 1 5/6."


class NamedExample(Shares):
    form = "Which fraction is that? Write it out, e.g. a value like 7/9."


class ExampleInParentheses(Shares):
    form = "Which fraction is that? A fraction (7/4) or a mixed number (1 3/4) will do."


class LikeExample(Shares):
    form = "Which fraction is that? For instance 7/9."


def test_a_fraction_in_latex_is_owed_without_an_example():
    (finding,) = found(forms, NoForm)
    assert finding.severity == "warning"
    assert "LaTeX" in finding.message


@pytest.mark.parametrize("cls", [MixedExample, NamedExample, ExampleInParentheses, LikeExample])
def test_an_example_shows_which_form_of_a_fraction_counts(cls):
    assert not found(forms, cls)


class Prices(Exact):
    asked = "A pen costs $3.50 and a pad ${}.25. What do both cost together?"

    def wanted(self, n):
        return f"{n + 3}.75"


class PricesLike(Prices):
    asked = "A pen costs $3.50 and a pad ${}.25. What do both cost together? Answer as in 12.40."


class PricesLikeOthers(Prices):
    """The example is of something else than the answer."""

    asked = "In a shop like no. 7 a pen costs $3.50 and a pad ${}.25. What do both cost together?"


@pytest.mark.parametrize(("cls", "count"), [(Prices, 1), (PricesLike, 0), (PricesLikeOthers, 1)])
def test_an_example_with_the_signs_of_gold_shows_that_no_others_are_owed(cls, count):
    assert len(found(forms, cls)) == count


def test_texts_are_told_apart_where_they_look_alike():
    assert both_quoted("a b", "a\nb") == ("'a b'", r"'a\nb'")
    assert both_quoted("a b", "a c") == ("'a b'", "'a c'")
    assert both_quoted("a", "a") == ("'a'", "'a'")
    long = "word " * 40
    one, other = both_quoted(f"{long}end", f"{long}fin")
    assert one.endswith("end'")
    assert other.endswith("fin'")
