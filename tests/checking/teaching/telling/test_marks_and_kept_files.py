"""Marks at the answer in what a search returns, and files with the answer that a tool lists and gold never opens."""

import json
import random
import re

import pytest

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.teaching.telling.marked_records import records_are_not_marked
from grpo_env_sdk.checking.teaching.telling.telling import replies_do_not_tell_the_answer
from tests.checking.trying import found

DISHES = {
    "r1": ("Leek soup", "leek potato cream"),
    "r2": ("Potato cakes", "potato egg flour"),
    "r3": ("Plum dumplings", "plum flour curd"),
    "r4": ("Rice pudding", "rice milk cinnamon"),
    "r5": ("Bean stew", "bean tomato thyme"),
    "r6": ("Tomato bread", "tomato bread garlic"),
    "r7": ("Garlic beans", "bean garlic oil"),
    "r8": ("Milk rolls", "milk flour yeast"),
}


def words(text):
    return set(re.findall(r"\w+", text.lower()))


class Recipes(ToolEnv):
    """Find the recipe with some ingredients. `shown` adds a mark to each record."""

    max_turns = 4

    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"Which recipe takes {' and '.join(needs.split()[:2])}? Search, then reply with its id.",
                "query": " ".join(needs.split()[:2]),
                "wanted": name,
            }
            for name, (_, needs) in DISHES.items()
        ]

    def shown(self, name, record, found):
        return {**record, "relevant": name == self.row["wanted"]}

    def reply(self, records):
        return json.dumps(records)

    @tool
    def search(self, query: str, most: int = 5) -> str:
        """Search the recipes.

        Args:
            query: Ingredients.
            most: How many recipes to show.
        """
        order = sorted(DISHES, key=lambda name: (-len(words(query) & words(DISHES[name][1])), name))[:most]
        records = [{"id": name, "title": DISHES[name][0], "needs": DISHES[name][1]} for name in order]
        return self.reply(
            [
                self.shown(one["id"], one, len(words(query) & words(one["needs"])) + (place == 0))
                for place, one in enumerate(records)
            ]
        )

    @reward
    def is_right(self, messages, wanted):
        return answer_text(messages).strip() == wanted

    def solve(self, row):
        yield call_message("search", query=row["query"])
        yield row["wanted"]


class OnlyThere(Recipes):
    """The field is in the record of the answer alone."""

    def shown(self, name, record, found):
        return {**record, "is_answer": True} if name == self.row["wanted"] else record


class InLines(Recipes):
    """The replies are lines of text."""

    def shown(self, name, record, found):
        return f"[{name}] {record['title']} ({record['needs']}) label={int(name == self.row['wanted'])}"

    def reply(self, records):
        return "\n".join(records)


class ByTheQuery(Recipes):
    """A score by the words of the query."""

    def shown(self, name, record, found):
        return {**record, "relevance": found}


class FirstIsBest(Recipes):
    """The first hit of any query is called the best."""

    def shown(self, name, record, found):
        return {**record, "best_match": found > 1 + len(words(record["needs"])) - 2}


class OfTheRecord(Recipes):
    """A label that says what kind of dish it is."""

    def shown(self, name, record, found):
        return {**record, "label": "sweet" if words(record["needs"]) & {"milk", "plum"} else "savoury"}


@pytest.mark.parametrize("cls", [Recipes, OnlyThere, InLines])
def test_a_mark_that_stays_with_the_answer_whatever_is_asked_is_reported(cls):
    (item,) = found(records_are_not_marked, cls)
    assert "search marks the answer" in item.message
    assert item.severity == "error"


@pytest.mark.parametrize("cls", [ByTheQuery, FirstIsBest, OfTheRecord])
def test_fields_that_depend_on_the_query_or_on_the_record_are_not_reported(cls):
    assert not found(records_are_not_marked, cls)


class Ballots(ToolEnv):
    """Count the votes in some boxes. `kept` are the files beside the boxes."""

    max_turns = 8

    def build_dataset(self, tokenizer):
        rows = []
        for number in range(14):
            rng = random.Random(number)
            names = rng.sample(["hall", "school", "library", "station", "market"], 3)
            boxes = {f"boxes/{name}.csv": "\n".join(rng.choices(["yes", "no"], k=rng.randint(5, 9))) for name in names}
            total = sum(text.split().count("yes") for text in boxes.values())
            asked = f"Village {number + 1}: how many votes in all boxes together are yes? Reply with the number alone."
            rows.append({"prompt": asked, "boxes": json.dumps(boxes), "total": str(total)})
        return rows

    def kept(self, row):
        return {"check/expected_total.json": json.dumps({"total": row["total"]})}

    def setup(self, row):
        self.files = {**json.loads(row["boxes"]), "readme.txt": "The boxes of one vote.", **self.kept(row)}

    @tool
    def files_here(self) -> list[str]:
        """List all files."""
        return sorted(self.files)

    @tool
    def read(self, path: str) -> str:
        """Read a file."""
        return self.files.get(path, "There is no such file.")

    @reward
    def is_right(self, messages, total):
        return answer_text(messages).strip() == total

    def solve(self, row):
        for path in json.loads(row["boxes"]):
            yield call_message("read", path=path)
        yield row["total"]


class NoFileBeside(Ballots):
    def kept(self, row):
        return {}


class OfLastYear(Ballots):
    """A file with such a name that says how the answer looks."""

    def kept(self, row):
        return {"check/expected_format.json": json.dumps({"total": "a number"})}


def test_a_listed_file_with_the_answer_is_reported_by_its_name():
    (item,) = found(replies_do_not_tell_the_answer, Ballots, "default")
    assert "check/expected_total.json" in item.message


@pytest.mark.parametrize("cls", [NoFileBeside, OfLastYear])
def test_a_list_of_the_files_that_gold_reads_tells_nothing(cls):
    assert not found(replies_do_not_tell_the_answer, cls, "default")
