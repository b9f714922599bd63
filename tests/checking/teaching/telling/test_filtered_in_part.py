"""G696: tools that list in silence only a part of what a row holds for their argument, also where there is no gold."""

import json

import pytest

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.teaching.telling.listed_in_part import tools_list_all_that_a_row_holds
from tests.checking.trying import found

SHELVES = ["Ash", "Beech", "Cedar", "Elm"]
SIZES = [4, 9, 6, 8, 3, 10, 7, 12]
ALL = "How much do all boxes on shelf {shelf} weigh? Answer with the number."
ONE = "Name a box on shelf {shelf}."


def box(shelf, number):
    return {"box": f"b{number * 37 % 1000}{shelf.lower()}", "shelf": shelf, "kilos": 3 + number * 7 % 11}


class Store(ToolEnv):
    max_turns = 4

    def build_dataset(self, tokenizer):
        rows = []
        for n, size in enumerate(SIZES):
            shelf = SHELVES[n % 4]
            boxes = [box(one, place + n) for place in range(13) for one in SHELVES if one != shelf or place < size]
            kilos = sum(one["kilos"] for one in boxes if one["shelf"] == shelf)
            prompt = self.asked.format(shelf=shelf)
            rows.append({"prompt": prompt, "boxes": json.dumps(boxes), "on": shelf, "kilos": kilos})
        return rows

    def held(self, shelf):
        return sorted(
            (one for one in json.loads(self.row["boxes"]) if one["shelf"] == shelf), key=lambda one: one["box"]
        )

    @reward
    def right(self, completion, kilos):
        return answer_text(completion) == str(kilos)


class Solved(Store):
    def solve(self, row):
        yield call_message(next(iter(self.tools)), shelf=row["on"])
        yield str(row["kilos"])


def store(listed, says="List the boxes on a shelf.", asked=ALL, base=Store, name="list_boxes", more=""):
    """A store whose tool replies `listed` of the boxes on a shelf."""

    def boxes(self, shelf: str) -> str:
        return listed(self.held(shelf))

    def with_heavy(self, shelf: str, heavy: bool = False) -> str:
        return listed([one for one in self.held(shelf) if one["kilos"] > 5 or not heavy])

    method = with_heavy if more else boxes
    method.__name__, method.__doc__ = name, f"{says}\n\nArgs:\n    shelf: Its name.\n{more}"
    return type("Of", (base,), {name: tool(method), "tools": [name], "asked": asked, "__module__": __name__})


def lines(boxes):
    return "\n".join(f"- {one['box']}, {one['shelf']}, {one['kilos']} kg" for one in boxes)


class Alike(Store):
    """Boxes without names of their own, some of which are the same."""

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        return [
            row | {"boxes": json.dumps([one | {"box": "crate"} for one in json.loads(row["boxes"])])} for row in rows
        ]


class WithAll(store(lambda boxes: json.dumps(boxes[:5]))):
    @tool
    def list_all_boxes(self) -> str:
        """List the boxes of the store."""
        return self.row["boxes"]


@pytest.mark.parametrize("env", [
    store(lambda boxes: json.dumps(boxes[:5])),
    store(lambda boxes: json.dumps({"boxes": boxes[:5]}), asked="Which box on shelf {shelf} is the heaviest?"),
    store(lambda boxes: lines(boxes[:5])),
    store(lambda boxes: json.dumps(boxes[:5]), base=Solved),
])  # fmt: skip
def test_what_is_held_for_an_argument_and_cut_in_silence_is_a_warning(env):
    (finding,) = found(tools_list_all_that_a_row_holds, env)
    assert finding.severity == "warning"
    assert "lists 5 of what column 'boxes' holds for" in finding.message


@pytest.mark.parametrize("env", [
    store(json.dumps),
    store(lines),
    store(lambda boxes: json.dumps(boxes[:5]), "List up to five boxes on a shelf."),
    store(lambda boxes: json.dumps(boxes[:5]), asked=ONE),
    store(lambda boxes: json.dumps(boxes[:5]), "Find boxes whose text contains a word.", name="search_boxes"),
    store(lambda boxes: json.dumps({"of": len(boxes), "boxes": boxes[:5]})),
    store(lambda boxes: json.dumps(boxes[:5]), more="    heavy: Only the heavy ones."),
    store(lambda boxes: json.dumps(boxes[: len(boxes) // 2 + 2])),
    store(lambda boxes: json.dumps(list({one["kilos"]: one for one in boxes}.values())), base=Alike),
    WithAll,
])  # fmt: skip
def test_all_of_it_and_what_is_said_to_be_a_part_are_let_be(env):
    assert found(tools_list_all_that_a_row_holds, env) == []
