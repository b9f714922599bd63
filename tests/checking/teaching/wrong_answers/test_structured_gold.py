"""Lists and objects as gold: an item or a value that does not count is named, and a full comparison is let alone."""

import json
import re
from typing import Any

import pytest

from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.wrong_answers.structured_gold import every_item_of_gold_counts
from tests.checking.trying import asking, found


def env(right: Any, gold: Any) -> type:
    """An environment that scores 1 where `right(said, wanted)`; the gold of row n is `gold(n)`."""

    class Structured:
        def build_dataset(self, tokenizer: Any) -> Any:
            return [{"prompt": f"Row {n}, as JSON.", "wanted": gold(n)} for n in range(20)]

        def score_episode(self, model: Any, tokenizer: Any, completion: str, wanted: Any) -> float:
            try:
                said = json.loads(completion)
            except ValueError:
                return 0.0
            return float(type(said) is type(wanted) and right(said, wanted))

    return Structured


def numbers(n):
    return [n + 10, 2 * n + 40, 3 * n + 90]


def some(n):
    return list(range(n + 10, n + 12 + n % 3))


def in_order(said):
    return sorted(map(str, said.values()))


def person(n):
    return {"name": f"N{n}", "age": n + 20, "town": f"T{n % 7}"}


@pytest.mark.parametrize(("named", "right", "gold"), [
    ("without its last item", lambda said, wanted: all(a == b for a, b in zip(said, wanted, strict=False)), numbers),
    ("first item", lambda said, wanted: set(said) <= set(wanted), numbers),
    ("one more item", lambda said, wanted: set(said) >= set(wanted), numbers),
    ("in place of all", lambda said, wanted: len(said) == len(wanted), some),
    ("'age'", lambda said, wanted: said.get("name") == wanted["name"], person),
    ("without 'name'", lambda said, wanted: all(wanted.get(k) == v for k, v in said.items()), person),
    ("in other places", lambda said, wanted: in_order(said) == in_order(wanted), person),
    ("empty value", lambda said, wanted: all(str(said.get(k, "-")) in str(v) for k, v in wanted.items()), person),
])  # fmt: skip
def test_what_does_not_count_is_named_without_any_solve(named, right, gold):
    findings = [item for item in found(every_item_of_gold_counts, env(right, gold)) if isinstance(item, Finding)]
    assert any(named in finding.message for finding in findings)
    assert {finding.severity for finding in findings} == {"error"}


@pytest.mark.parametrize("gold", [numbers, person])
def test_a_scorer_that_compares_all_is_let_alone(gold):
    assert found(every_item_of_gold_counts, env(lambda said, wanted: said == wanted, gold)) == []


def test_one_key_of_several_that_earns_all_is_an_error_where_gold_is_no_column():
    class Counted(asking(lambda n, rng: (f"Twice a={n}, b={n + 1}, c={n + 2} as a JSON object.", str(n)), 12)):
        def score_episode(self, model, tokenizer, completion, wanted):
            try:
                said = json.loads(completion)
            except ValueError:
                return 0.0
            right = [said[key] == 2 * (int(wanted) + "abc".index(key)) for key in said if key in "abc"]
            return sum(right) / len(right) if right else 0.0

        def solve(self, row):
            return json.dumps({key: 2 * (int(row["wanted"]) + place) for place, key in enumerate("abc")})

    finding = found(every_item_of_gold_counts, Counted)[0]
    assert "cut to its first key" in finding.message
    assert finding.severity == "error"


def test_gold_that_earns_nothing_leaves_nothing_to_change():
    class Silent(env(lambda said, wanted: True, lambda n: [n])):  # type: ignore[misc]  # a class that is made
        def solve(self, row):
            raise KeyError("answer")

    assert found(every_item_of_gold_counts, Silent) == []


def primes(number):
    found, factor = [], 2
    while number > 1:
        found += [factor] * (number % factor == 0)
        number, factor = (number // factor, factor) if number % factor == 0 else (number, factor + 1)
    return found


def test_what_is_between_the_ends_of_a_path_counts():
    paths = [[start, *middle, end] for start in "ABC" for end in "XYZ" for middle in ("DE", "FG", "HI")]

    class Paths(env(None, lambda n: paths[n])):
        inside = False

        def score_episode(self, model, tokenizer, completion, wanted):
            said = completion.split("-")
            right = [said[0] == wanted[0], said[-1] == wanted[-1], len(said) > 2]
            return float(all(right) and (said == wanted or not self.inside))

        def solve(self, row):
            return "-".join(row["wanted"])

    class Whole(Paths):
        inside = True

    (finding,) = [item for item in found(every_item_of_gold_counts, Paths) if isinstance(item, Finding)]
    assert "with other items between its ends" in finding.message
    assert finding.severity == "error"
    assert found(every_item_of_gold_counts, Whole) == []


def test_how_often_an_item_is_there_counts():
    factors = [primes(number) for number in range(12, 80) if len(primes(number)) > 2]

    class Products(env(None, lambda n: factors[n])):
        compare = set

        def score_episode(self, model, tokenizer, completion, wanted):
            said = completion.split("*")
            return float(all(map(str.isdigit, said)) and self.compare(map(int, said)) == self.compare(wanted))

        def solve(self, row):
            return "*".join(map(str, row["wanted"]))

    class Sorted(Products):
        compare = sorted

    findings = [item for item in found(every_item_of_gold_counts, Products) if isinstance(item, Finding)]
    assert [finding.severity for finding in findings if "once that it has twice" in finding.message] == ["error"]
    assert found(every_item_of_gold_counts, Sorted) == []


def test_lines_that_may_all_be_the_same_are_named_where_different_ones_are_asked_for():
    ways = [f"{n}+{n}\n{2 * n}\n{n}+{n - 1}+1" for n in range(11, 31)]
    rows = iter([f"Write 3 different sums that make {2 * n}, one on a line." for n in range(11, 31)])

    class Sums(env(None, lambda n: ways[n])):
        def build_dataset(self, tokenizer):
            return [{"prompt": next(rows), "total": 2 * n} for n in range(11, 31)]

        def score_episode(self, model, tokenizer, completion, total):
            lines = completion.split("\n")
            right = [re.fullmatch(r"[\d+]+", line) and sum(map(int, line.split("+"))) == total for line in lines]
            return float(len(lines) == 3 and all(right))

        def solve(self, row):
            return ways[row["total"] // 2 - 11]

    (finding,) = [item for item in found(every_item_of_gold_counts, Sums) if isinstance(item, Finding)]
    assert "first item in place of all" in finding.message
    assert finding.severity == "error"


def labelled(form, counted):
    """An environment whose answers are three values behind labels, of which some count."""
    towns, birds = ["Ulm", "Bonn", "Kiel", "Jena"], ["rook", "wren", "tern"]

    class Labelled:
        def build_dataset(self, tokenizer):
            rows = [(towns[n % 4], birds[n % 3], str(3 * n + 11)) for n in range(24)]
            text = "Note {}: {}. Fill in town, bird and count."
            return [{"prompt": text.format(n, noted), "noted": list(noted)} for n, noted in enumerate(rows)]

        def score_episode(self, model, tokenizer, completion, noted):
            said = re.findall(r"(?:: |>)([^\n;<]+)(?=\n|; |<|$)", completion)
            return float(len(said) == 3 and all(said[place] == noted[place] for place in counted))

        def solve(self, row):
            return form.format(*row["noted"])

    return Labelled


@pytest.mark.parametrize("form", [
    "town: {}\nbird: {}\ncount: {}",
    "town: {}; bird: {}; count: {}",
    "<town>{}</town>\n<bird>{}</bird>\n<count>{}</count>",
])  # fmt: skip
def test_values_behind_labels_are_looked_at_one_by_one(form):
    findings = [item for item in found(every_item_of_gold_counts, labelled(form, (0, 2))) if isinstance(item, Finding)]
    assert "with another value of 'bird'" in findings[0].message
    assert findings[0].severity == "error"
    assert found(every_item_of_gold_counts, labelled(form, (0, 1, 2))) == []


def test_what_says_how_an_answer_was_found_need_not_count():
    form = "town: {}\nreason: {}\ncount: {}"
    assert found(every_item_of_gold_counts, labelled(form, (0, 2))) == []


def cited(count):
    """Answers of yes or no with rules in brackets, scored by `count` of the cited and the right ones."""

    def write(n, rng):
        rules = "".join(f" [r{rule}]" for rule in range(n % 9 + 1, n % 9 + 2 + n % 2))
        return f"Case {n}: yes or no, and cite exactly the rules that decide it.", f"{('no', 'yes')[n % 2]}{rules}"

    class Cited(asking(write, 20)):
        def score_episode(self, model, tokenizer, completion, wanted):
            said, right = (set(re.findall(r"\[(r\d+)\]", text)) for text in (completion, wanted))
            return float(completion[:2] == wanted[:2]) * count(said, right)

    return found(every_item_of_gold_counts, Cited)


def test_citations_that_are_too_many_are_named():
    (finding,) = cited(lambda said, right: len(said & right) / len(right))
    assert "one more item" in finding.message
    assert finding.severity == "error"


def test_citations_that_are_compared_in_both_directions_are_let_alone():
    assert cited(lambda said, right: len(said & right) / max(1, len(said | right))) == []
