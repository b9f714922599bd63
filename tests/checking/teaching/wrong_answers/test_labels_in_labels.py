"""G673: labels that hold another one, in last lines, in objects and in calls."""

import json

import pytest

from grpo_env_sdk import ToolEnv, call_message, reward, tool
from grpo_env_sdk.checking.teaching.wrong_answers.labels_in_labels import (
    a_label_is_distinguished_from_longer_ones as told_apart,
)
from tests.checking.trying import found

STATES = ("paid", "unpaid", "part of it is due")


def labelled(labels, score, write=str, asked=True):
    """Notes with a label each, which the prompt names; `score(answer, label)` pays."""

    class Labelled:
        def build_dataset(self, tokenizer):
            ask = f" Choose one of {', '.join(labels)}." if asked else " Choose a label."
            return [
                {"prompt": f"Note {n}, of kind {n % len(labels)}.{ask}", "label": labels[n % len(labels)]}
                for n in range(30)
            ]

        def score_episode(self, model, tokenizer, completion, label):
            return float(score(completion.strip(), label))

        def solve(self, row):
            return write(row["label"])

    return Labelled


def last_line(label):
    return f"I read the note.\nThe label is {label}"


def as_object(label):
    return json.dumps({"label": label, "note": "read"})


WRONG = {
    "at its end": labelled(STATES, lambda said, label: said.endswith(label)),
    "at its end, two labels": labelled(STATES[:2], lambda said, label: said.endswith(label), last_line),
    "at its start": labelled(("late", "late by a week", "on time"), lambda said, label: said.startswith(label)),
    "in a line": labelled(STATES, lambda said, label: label in said.splitlines()[-1], last_line),
    "in a field": labelled(STATES, lambda said, label: label in json.loads(said or "{}").get("label", ""), as_object),
    "a piece of gold": labelled(STATES, lambda said, label: len(said) > 2 and said in label),
}
SOUND = {
    "the whole": labelled(STATES, lambda said, label: said == label),
    "the whole line": labelled(STATES, lambda said, label: said.endswith(f"is {label}"), last_line),
    "labels with nothing in common": labelled(("red", "green", "blue"), lambda said, label: label in said),
    "nobody names the labels": labelled(STATES, lambda said, label: label in said, asked=False),
    "all that apply": labelled(("mint", "mint and salt", "salt"), lambda said, label: label in said),
    "any will do": labelled(STATES, lambda said, label: bool(said)),
}


@pytest.mark.parametrize("kind", WRONG)
def test_a_label_that_is_paid_for_another_one_is_found(kind):
    (finding,) = found(told_apart, WRONG[kind])
    assert "rows whose gold is" in finding.message
    assert (finding.severity, finding.output) == ("error", 1.0)


@pytest.mark.parametrize("kind", SOUND)
def test_labels_that_are_told_apart_or_cannot_be_are_let_be(kind):
    assert found(told_apart, SOUND[kind]) == []


class Tags(ToolEnv):
    """Invoices that get a tag; its end decides."""

    def build_dataset(self, tokenizer):
        ask = "Tag invoice {}, of kind {}, as paid or unpaid."
        return [{"prompt": ask.format(n, n % 2), "label": STATES[n % 2]} for n in range(20)]

    def setup(self, row):
        self.tag = ""

    @tool
    def set_tag(self, tag: str) -> str:
        """Tag the invoice.

        Args:
            tag: The tag.
        """
        self.tag = tag
        return "Noted."

    @reward
    def right(self, completion, label):
        return self.is_right(label)

    def is_right(self, label):
        return self.tag.endswith(label)

    def solve(self, row):
        return [call_message("set_tag", tag=row["label"]), "Done."]


class WholeTags(Tags):
    """Sound: the whole tag decides."""

    def is_right(self, label):
        return self.tag == label


class AnyTag(Tags):
    """Another fault: any of the two tags is paid."""

    def is_right(self, label):
        return self.tag in STATES


def test_a_tag_that_is_given_in_a_call_has_to_be_the_whole_one():
    (finding,) = found(told_apart, Tags)
    assert "The label 'unpaid', which holds gold, scores as much as gold on" in finding.message
    assert found(told_apart, WholeTags) == found(told_apart, AnyTag) == []
