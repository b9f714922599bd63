"""C171: gold that is worked out from more decimals than its prompt shows, and gold that only looks so."""

import pytest

from grpo_env_sdk.checking.contract.rounded_inputs import gold_follows_from_what_is_shown
from tests.checking.trying import asking, found

RATES = [1.0873, 1.1642, 1.3538, 0.8817, 1.8561, 2.0886, 1.2739, 3.2341, 1.4472, 0.7194]


def rates(worked_out, ask="One shell buys {rate:.2f} beads. How many beads buy {many} shells, with two decimals?"):
    def write(n, rng):
        rate, many = RATES[n], 120 + 37 * n
        return ask.format(rate=rate, many=many), f"{worked_out(rate, many):.2f}"

    return asking(write, 10)


def percents(hidden):
    """Percents that prompts show as whole numbers; a column holds them as they are."""

    class Percents:
        def build_dataset(self, tokenizer):
            rows = [(n + 4.3 + n * 0.17, 240 + 35 * n) for n in range(10)]
            return [
                {"prompt": f"{percent:.0f} % of {whole} people came. How many were that, with one decimal?",
                 "percent": percent, "whole": whole} for percent, whole in rows
            ]  # fmt: skip

        def solve(self, row):
            percent = row["percent"] if hidden else round(row["percent"])
            return f"{percent * row['whole'] / 100:.1f}"

        def score_episode(self, model, tokenizer, completion, row):
            return float(completion == self.solve(row))

    return Percents


@pytest.mark.parametrize("worked_out", [lambda rate, many: rate * many, lambda rate, many: many / rate])
def test_gold_from_more_decimals_than_are_shown_is_an_error(worked_out):
    (finding,) = found(gold_follows_from_what_is_shown, rates(worked_out))
    assert (finding.severity, finding.output) == ("error", 0.0)
    assert "rounded numbers" in finding.message


def test_the_column_with_more_decimals_is_named():
    (finding,) = found(gold_follows_from_what_is_shown, percents(hidden=True))
    assert "'percent'" in finding.message


@pytest.mark.parametrize("env", [
    percents(hidden=False),
    rates(lambda rate, many: round(rate, 2) * many),
    rates(lambda rate, many: rate * many, "One shell buys {rate} beads. How many beads buy {many} shells?"),
    rates(lambda rate, many: round(rate, 2) * many * 1.002),
    rates(lambda rate, many: round(round(rate, 2) * many * 20) / 20),
    rates(lambda rate, many: round(rate, 2) * many + 0.3),
    rates(lambda rate, many: round(rate, 1) * many),
])  # fmt: skip
def test_gold_from_what_is_shown_and_by_further_rules_is_let_be(env):
    assert found(gold_follows_from_what_is_shown, env) == []


def test_gold_with_a_tolerance_is_let_be():
    class Close(rates(lambda rate, many: rate * many)):
        def score_episode(self, model, tokenizer, completion, wanted):
            return float(completion != "" and abs(float(completion) / float(wanted) - 1) < 0.02)

    assert found(gold_follows_from_what_is_shown, Close) == []
