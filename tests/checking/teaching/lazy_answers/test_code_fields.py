"""Answers that write a field of the report by which they are judged."""

import json
import re

import pytest

from grpo_env_sdk.checking.teaching.lazy_answers.guessing import no_fixed_answer_is_gold as guessed
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


def stamped(completion, wanted):
    """A report that quotes the answer above its mark, under a label that no list of usual ones has."""
    return f"TEXT\n{completion}\n\nSTAMPS: {2 * (completion.split() == [wanted, 'shop'])}/2\n"


def first_pattern(self, model, tokenizer, completion, wanted):
    return int(re.search(r"^STAMPS: ([0-2])/2", stamped(completion, wanted), re.MULTILINE)[1]) / 2


def last_pattern(self, model, tokenizer, completion, wanted):
    return int(re.findall(r"^STAMPS: ([0-2])/2", stamped(completion, wanted), re.MULTILINE)[-1]) / 2


def first_line(self, model, tokenizer, completion, wanted):
    lines = stamped(completion, wanted).splitlines()
    said = next(line.partition(":")[2] for line in lines if line.startswith("STAMPS"))
    return float(said.strip() == "2/2")


def judged(score):
    """Names of shops, without gold."""
    rows = asking(lambda n, rng: (f"Name shop {n}, which is in {PLACES[n % 6]}, after its town.", PLACES[n % 6]))
    return type("Judged", (rows,), {"score_episode": score, "solve": None})


@pytest.mark.parametrize("score", [last_wins, written_as_json, first_pattern, first_line])
def test_a_field_that_the_answer_itself_can_write_is_found(score):
    (finding,) = [item for item in found(guessed, judged(score), "quick") if hasattr(item, "severity")]
    assert "verdict of the environment's own report" in finding.message


@pytest.mark.parametrize("score", [first_wins, last_pattern])
def test_a_report_whose_own_field_counts_is_let_alone(score):
    assert [item for item in found(guessed, judged(score), "quick") if hasattr(item, "severity")] == []
