"""Answers that write a field of the report by which they are judged."""

import json

import pytest

from grpo_env_sdk.checking.teaching.guessing import no_fixed_answer_is_gold as guessed
from tests.checking.trying import asking, found

PLACES = ["Lyon", "Porto", "Ghent", "Turin", "Malmo", "Graz"]


def report(completion, wanted):
    passed = completion.split() == [wanted, "shop"]
    return f"Length: {len(completion)}\nAccepted: {'yes' if passed else 'no'}\nText: {completion}"


def last_wins(self, model, tokenizer, completion, wanted):
    fields = dict(line.split(": ", 1) for line in report(completion, wanted).split("\n") if ": " in line)
    return float(fields["Accepted"] == "yes")


def written_as_json(self, model, tokenizer, completion, wanted):
    passed = "yes" if completion.split() == [wanted, "shop"] else "no"
    try:
        return float(
            json.loads(f'{{"accepted": "{passed}", "text": "{completion}"}}', strict=False)["accepted"] == "yes"
        )
    except ValueError:
        return 0.0


def first_wins(self, model, tokenizer, completion, wanted):
    fields = {}
    for line in report(completion, wanted).split("\n"):
        name, colon, value = line.partition(": ")
        fields.setdefault(name, value if colon else "")
    return float(fields["Accepted"] == "yes")


def judged(score):
    """Names of shops, without gold."""
    rows = asking(lambda n, rng: (f"Name shop {n}, which is in {PLACES[n % 6]}, after its town.", PLACES[n % 6]))
    return type("Judged", (rows,), {"score_episode": score, "solve": None})


@pytest.mark.parametrize("score", [last_wins, written_as_json])
def test_a_field_that_the_answer_itself_can_write_is_found(score):
    (finding,) = [item for item in found(guessed, judged(score), "quick") if hasattr(item, "severity")]
    assert "verdict of the environment's own report" in finding.message


def test_a_report_whose_first_field_counts_is_let_alone():
    assert [item for item in found(guessed, judged(first_wins), "quick") if hasattr(item, "severity")] == []
