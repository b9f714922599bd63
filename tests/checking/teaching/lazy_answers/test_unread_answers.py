"""Answers that cannot be read and are left unscored, and the calls that a prompt shows with an open object."""

import json
import re

import pytest

from grpo_env_sdk import SingleTurnEnv, answer_text, reward
from grpo_env_sdk.checking.evidence.prompts.objects_in_texts import objects_for
from grpo_env_sdk.checking.teaching.lazy_answers.abstaining import no_answer_is_scored
from tests.checking.trying import found

COLOURS = ("red", "blue", "green", "white")


class Painter:
    """A call in tags; what is no call is not scored. There is no gold."""

    unread = None

    def build_dataset(self, tokenizer):
        form = 'Answer in the form <call>{"function": "...", "values": {...}}</call>.'
        return [
            {"prompt": f"Functions: paint(colour, wall). Paint wall {n} {self.colour(n)}. {form}", "case_idx": n}
            for n in range(12)
        ]

    def colour(self, n):
        return COLOURS[n % 4]

    def score_episode(self, model, tokenizer, completion, case_idx):
        found = re.search(r"<call>(.*)</call>", answer_text(completion), re.DOTALL)
        try:
            call = json.loads(found[1])
            given, values = call["function"], call["values"]
        except (TypeError, ValueError, KeyError):
            return self.unread
        if given != "paint":
            return 0.0
        return float(values == {"colour": self.colour(case_idx), "wall": case_idx})


class FairPainter(Painter):
    unread = 0.0


class Labels(SingleTurnEnv):
    """An empty answer is wrong, and JSON that cannot be read has no score."""

    unread = None

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Label box {n} as JSON with the key 'box'.", "box": n} for n in range(20, 40)]

    @reward
    def right(self, completion, box):
        text = answer_text(completion).strip()
        if not text.startswith("{"):
            return 0.0
        try:
            return json.loads(text) == {"box": box}
        except ValueError:
            return self.unread

    def solve(self, row):
        return json.dumps({"box": row["box"]})


class FairLabels(Labels):
    unread = 0.0


class NoJudge(Labels):
    """Some rows cannot be scored, whatever is said."""

    unread = 0.0

    @reward
    def right(self, completion, box):
        return None if box % 2 else answer_text(completion) == json.dumps({"box": box})


@pytest.mark.parametrize(
    ("cls", "severity", "said"),
    [(Painter, "error", "An empty answer"), (Labels, "warning", "Gold that ends in its middle")],
)
def test_unread_answers_without_a_score_are_found(cls, severity, said):
    (finding,) = found(no_answer_is_scored, cls)
    assert finding.severity == severity
    assert said in finding.message


@pytest.mark.parametrize("cls", [FairPainter, FairLabels, NoJudge])
def test_unread_answers_that_score_nothing_are_not_reported(cls):
    assert not found(no_answer_is_scored, cls)


def test_an_open_object_or_list_of_a_form_is_left_empty():
    shown = objects_for('Write <call>{"name": "...", "with": { ... }, "and": [...], "n": ...}</call>.', [])
    assert list(shown) == ['<call>{"name": "...", "with": {}, "and": [], "n": "x"}</call>']
