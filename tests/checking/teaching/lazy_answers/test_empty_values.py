"""Forms with NaN, null or an empty text in every place, and scorers that refuse them."""

import json
import math
import re

import pytest

from grpo_env_sdk.checking.evidence.attempts.empty_values import emptied_answer, emptied_forms
from grpo_env_sdk.checking.teaching.lazy_answers.filled_alike import numbers_of_a_form_have_to_be_right as right
from tests.checking.trying import found

NAMES = (("x", "y"), ("p", "q"), ("u", "v"))


def lines(ask, read, near, gold=None):
    """Two unknown numbers a row: `ask(names)` is the form, `read(answer, names)` the values, `near(a, b)` compares."""

    class Lines:
        def build_dataset(self, tokenizer):
            rows = []
            for n in range(24):
                one, two = NAMES[n % 3]
                ask_for = f"{one} + {two} = {3 * n + 5}, {one} - {two} = {n + 1}. {ask(one, two)}"
                rows.append({"prompt": ask_for, "names": [one, two], "sides": [3 * n + 5, n + 1]})
            return rows

        def score_episode(self, model, tokenizer, completion, names, sides):
            try:
                one, two = read(completion, names)
                return float(near(one + two, sides[0]) and near(one - two, sides[1]))
            except (ValueError, TypeError, KeyError):
                return 0.0

    if gold:
        Lines.solve = lambda self, row: gold(
            *row["names"], sum(row["sides"]) / 2, (row["sides"][0] - row["sides"][1]) / 2
        )
    return Lines


def loose(left, right):
    return not abs(left - right) > 1e-6


def strict(left, right):
    return abs(left - right) <= 1e-6


def of_json(said, names):
    values = json.loads(said)
    return (values[name] for name in names)


def of_pairs(said, names):
    return (float(re.search(rf"{name} ?= ?(\S+?)(?:,|$)", said)[1]) for name in names)


def of_list(said, names):
    return (float(one) for one in said.strip("()[] ").split(","))


FORMS = {
    "an object": (lambda one, two: f'Answer as JSON like {{"{one}": 1.5, "{two}": -2}}.', of_json),
    "an object with places": (lambda one, two: f'Reply with {{"{one}": <number>, "{two}": <number>}}.', of_json),
    "pairs": (lambda one, two: f"Answer in the form {one} = 1.5, {two} = -2", of_pairs),
    "a list": (lambda one, two: "Give both, such as [1.5, -2].", of_list),
    "a pair": (lambda one, two: "Give both as a point, such as (1.5, -2).", of_list),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_a_form_of_nan_that_passes_is_named_without_gold(form):
    (finding,) = found(right, lines(*FORMS[form], loose))
    assert "NaN in place of every number" in finding.message
    assert "nan" in finding.input.casefold()


@pytest.mark.parametrize("form", FORMS)
def test_a_scorer_that_wants_less_than_a_tolerance_refuses_it(form):
    assert found(right, lines(*FORMS[form], strict)) == []


def test_it_is_found_in_the_form_of_gold_where_no_prompt_shows_one():
    def gold(one, two, first, second):
        return f"{one} = {first:g}, {two} = {second:g}"

    (finding,) = found(right, lines(lambda one, two: "Find both.", of_pairs, loose, gold))
    assert re.fullmatch(r"\w = nan, \w = nan", finding.input)


class Roots:
    """One number alone, in tags that only the scorer's pattern shows."""

    near = staticmethod(loose)

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Solve x**3 = {n + 2} to three decimals.", "cube": n + 2} for n in range(20)]

    def score_episode(self, model, tokenizer, completion, cube):
        said = re.search(r"Root: (\S+)", completion)
        try:
            return float(bool(said) and self.near(float(said[1]) ** 3, cube))
        except (ValueError, OverflowError):
            return 0.0


def test_one_number_is_tried_in_the_form_that_the_scorer_reads():
    (finding,) = found(right, Roots)
    assert finding.input == "Root: nan"


def test_one_number_that_is_compared_well_is_let_be():
    assert found(right, type("Sound", (Roots,), {"near": staticmethod(strict)})) == []


def record(missing_passes):
    """Two fields of a record are compared, where they are given."""

    class Record:
        def build_dataset(self, tokenizer):
            return [
                {
                    "prompt": f'Room {n} holds {n % 4 + 2}. Answer like {{"room": "7b", "beds": 3}}.',
                    "of": f"{n}",
                    "beds": n % 4 + 2,
                }
                for n in range(20)
            ]

        def score_episode(self, model, tokenizer, completion, of, beds):
            try:
                said = json.loads(completion)
                given = [said["room"], said["beds"]]
            except (ValueError, TypeError, KeyError):
                return 0.0
            return float(
                all(
                    one == wanted or (missing_passes and not one) for one, wanted in zip(given, (of, beds), strict=True)
                )
            )

    return Record


def test_null_that_counts_as_right_is_named():
    (finding,) = found(right, record(missing_passes=True))
    assert "null in place of every value" in finding.message


def test_null_that_is_refused_is_let_be():
    assert found(right, record(missing_passes=False)) == []


def test_gold_keeps_its_words_beside_what_is_no_number():
    assert list(emptied_answer(math.nan, '{"unit": "kg", "mass": 3}')) == [
        '{"unit": "kg", "mass": NaN}', '{"unit": NaN, "mass": NaN}',
    ]  # fmt: skip
    assert list(emptied_answer(None, "no number")) == []
    assert list(emptied_forms(True, "Sums without a form", {})) == []


def test_numbers_beside_the_answer_are_let_be():
    class Names:
        def build_dataset(self, tokenizer):
            names = ("Ada Lovelace", "Emmy Noether", "Sofia Kovalevskaya")
            return [{"prompt": f"Who is number {n} of the list?", "name": names[n % 3], "n": n} for n in range(20)]

        def score_episode(self, model, tokenizer, completion, name, n):
            return float(completion.split(",")[0].strip() == name)

        def solve(self, row):
            return f"{row['name']}, number {row['n']}"

    assert found(right, Names) == []


class Shares:
    """How many coins two people get; only their difference counts, or their sum too."""

    whole = False

    def build_dataset(self, tokenizer):
        ask = "Ada and Ben get as many of the {} coins each. Write both numbers, with a space between."
        return [{"prompt": ask.format(2 * n + 6), "coins": 2 * n + 6} for n in range(20)]

    def score_episode(self, model, tokenizer, completion, coins):
        said = [int(one) for one in re.findall(r"\d+", completion)]
        return float(len(said) == 2 and said[0] == said[1] and (sum(said) == coins or not self.whole))

    def solve(self, row):
        return f"{row['coins'] // 2} {row['coins'] // 2}"


def test_zero_in_place_of_all_numbers_of_a_text_is_named():
    (finding,) = found(right, Shares)
    assert finding.input == "0 0"


def test_numbers_of_a_text_that_have_to_be_right_are_let_be():
    assert found(right, type("Whole", (Shares,), {"whole": True})) == []
