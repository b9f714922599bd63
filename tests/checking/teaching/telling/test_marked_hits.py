"""Searches that find two records or three, of which a field that was left over marks the right one."""

import re

import pytest

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.teaching.telling.marked_records import records_are_not_marked
from tests.checking.trying import found

PLANTS = ["basil", "cress", "dill", "endive", "fennel", "garlic", "hyssop", "iris"]


class Gardening(ToolEnv):
    """Each question finds two notes on a plant: when it is sown, and where it grows."""

    def build_dataset(self, tokenizer):
        asked = ("On which day is {} sown in a garden? ", "On which soil does {} grow well? ")
        tail = "Search the notes and answer with the id of the note that says it, and nothing else."
        return [
            {"prompt": question + tail, "asked": question, "wanted": f"N{37 * n % 80 + n % 2}"}
            for n, question in enumerate(asked[n % 2].format(plant) for n, plant in enumerate(PLANTS))
        ]

    def notes(self):
        for n, plant in enumerate(PLANTS):
            texts = (f"The day on which {plant} is sown: {n + 3} March.", f"The soil on which {plant} grows: sand {n}.")
            yield from ((f"N{37 * n % 80 + kind}", text) for kind, text in enumerate(texts))

    def marked(self, hit, hits):
        return {"label": int(hit["id"] == self.row["wanted"])}

    @tool
    def search(self, query: str) -> list[dict]:
        """Search the notes on plants.

        Args:
            query: Words to look for.
        """
        words = set(re.findall(r"\w{4,}", query.lower()))
        plants = [plant for plant in PLANTS if plant in query.lower()]
        hits = [
            {"id": id, "text": text, "found": len(words & set(re.findall(r"\w{4,}", text.lower())))}
            for id, text in self.notes()
            if any(plant in text for plant in plants)
        ]
        return [{**hit, **self.marked(hit, hits)} for hit in sorted(hits, key=lambda one: (-one["found"], one["id"]))]

    @reward
    def is_right(self, completion, wanted):
        return answer_text(completion).strip() == wanted

    def solve(self, row):
        yield call_message("search", query=row["asked"])
        yield row["wanted"]


class BestOfQuery(Gardening):
    """Sound: 1 is the hit that has most words of what was asked."""

    def marked(self, hit, hits):
        return {"label": int(hit == max(hits, key=lambda one: one["found"]))}


class Departments(Gardening):
    """Sound: the label is what a note is about."""

    def marked(self, hit, hits):
        return {"label": int("soil" in hit["text"])}


class OnlyFound(Gardening):
    """Sound: nothing but the number of words that were found."""

    def marked(self, hit, hits):
        return {}


def test_a_field_that_marks_one_of_two_hits_is_an_error():
    finding = found(records_are_not_marked, Gardening, "default")[0]
    assert "'label' is 1 in the record of what gold says" in finding.message
    assert "also where something else is asked" in finding.message


@pytest.mark.parametrize("sound", [BestOfQuery, Departments, OnlyFound])
def test_fields_that_follow_the_query_or_the_record_are_sound(sound):
    assert found(records_are_not_marked, sound, "default") == []
