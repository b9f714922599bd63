"""Lists and objects as gold: an item or a value that does not count is named, and a full comparison is let alone."""

import json
import re
from typing import Any

import pytest

from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.structured_gold import every_item_of_gold_counts
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
