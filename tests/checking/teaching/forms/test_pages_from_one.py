"""Pages that a schema counts from 1, where gold never asks for page 0."""

from typing import Any

import pytest

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward
from grpo_env_sdk.checking.teaching.forms.counting_from import positions_are_counted_as_told as counted
from tests.checking.trying import found

TREES = ["oak", "elm", "ash", "fir", "yew", "box", "bay", "fig", "sal", "teak", "pear", "plum", "lime", "palm", "date"]


class Trees(ToolEnv):
    """Where a tree stands, from a list with pages of which the first has number 0."""

    max_turns = 5
    PAGE, FIRST = "Pages go from 1 to 5.", 0

    def build_dataset(self, tokenizer: Any) -> Any:
        return [{"prompt": f"At which gate does the {tree} stand?", "place": n} for n, tree in enumerate(TREES)]

    def get_tools(self) -> Any:
        properties = {"page": {"type": "integer", "description": self.PAGE}}
        parameters = {"type": "object", "properties": properties, "required": ["page"]}
        return [
            {
                "type": "function",
                "function": {"name": "list_trees", "description": "List three trees.", "parameters": parameters},
            }
        ]

    def call_tool(self, name: str, arguments: Any) -> Any:
        return self.shown(arguments["page"])

    def shown(self, page: int) -> Any:
        first = 3 * (page - self.FIRST)
        if page < self.FIRST or first >= len(TREES):
            return "[]"
        return "\n".join(f"- {TREES[n]}: gate {n * 7 % 40}" for n in range(first, first + 3))

    @reward
    def right(self, completion: Any, place: int) -> bool:
        return answer_text(completion) == f"gate {place * 7 % 40}"

    def solve(self, row: Any) -> Any:
        yield call_message("list_trees", page=row["place"] // 3 + 1)
        yield f"gate {row['place'] * 7 % 40}"


class TreesFromOne(Trees):
    """The first page is number 1, and there is none before it."""

    FIRST = 1


class TreesTold(TreesFromOne):
    """Page 0 is refused in lines that look like those of a page."""

    def shown(self, page: int) -> Any:
        return super().shown(page) if page >= 1 else "- Pages: they start at one\n- Last: it is number five"


class TreesHeld(TreesFromOne):
    """Numbers that are too small get the first page."""

    def shown(self, page: int) -> Any:
        return f"Page {page}\n{super().shown(max(1, page))}"


class TreesWithZero(Trees):
    """The schema says that there is a page 0."""

    PAGE = "Pages go from 0 to 4."


class ManyTrees(TreesFromOne):
    """At 0, a list shows its end, which is on a page that is not looked at."""

    def shown(self, page: int) -> Any:
        place = 30 if page == 0 else page
        return "\n".join(f"- t{n}: gate {n}" for n in (f"{chr(97 + place % 26)}{place}x", f"{chr(98 + place)}{place}"))


def test_a_first_page_that_only_0_shows_is_found() -> None:
    (finding,) = found(counted, Trees)
    assert "'page'" in finding.message
    assert "oak" in finding.message


@pytest.mark.parametrize("cls", [TreesFromOne, TreesTold, TreesHeld, TreesWithZero, ManyTrees])
def test_pages_as_the_schema_says_are_let_be(cls: type) -> None:
    assert found(counted, cls) == []
