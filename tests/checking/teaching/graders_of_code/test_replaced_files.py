"""Files that a task leaves as they are, and that decide the score when they are emptied, deleted or replaced."""

import json

import pytest

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.teaching.graders_of_code.replaced_files import (
    files_that_decide_are_not_replaced as not_replaced,
)
from tests.checking.trying import found
from tests.gallery.broken.checks_emptied import Menus


class InAnObject(Menus):
    """The checks are a list inside an object."""

    def written(self, checks):
        return json.dumps({"version": 2, "prices": checks})

    @tool
    def run_checks(self) -> list[str]:
        """Show what is wrong with the menu."""
        menu, checks = json.loads(self.files["menu.json"]), json.loads(self.files["checks.json"])
        return [
            f"{dish} costs {price}" for dish, price in checks["prices"] if menu[dish] != price and checks["version"]
        ]


class Deleted(Menus):
    """What is not there is not checked."""

    @tool
    def write_file(self, name: str, text: str) -> str:
        """Write the menu, menu.json alone."""
        if name == "menu.json":
            self.files[name] = text
        return "Written."

    @tool
    def delete_file(self, name: str) -> str:
        """Delete a file."""
        return "Deleted." if self.files.pop(name, None) else "There is no such file."

    @reward
    def passes(self):
        return "checks.json" not in self.files or not self.run_checks()


class ByTheRow(Menus):
    """Sound: the prices of the row decide."""

    @reward
    def passes(self, prices):
        try:
            return json.loads(self.files["menu.json"]) == json.loads(prices)
        except ValueError:
            return False


class Refused(Menus):
    """Sound: only the menu can be written."""

    @tool
    def write_file(self, name: str, text: str) -> str:
        """Write a file."""
        if name != "menu.json":
            return "That cannot be written."
        self.files[name] = text
        return "Written."


class MayBeChanged(Menus):
    """Sound: the prompt leaves open which file is wrong."""

    def build_dataset(self, tokenizer):
        more = " You may also change checks.json instead."
        return [row | {"prompt": row["prompt"] + more} for row in super().build_dataset(tokenizer)]


class Untouched(Menus):
    """Sound: the checks have to be what they were."""

    @reward
    def passes(self, files):
        kept = self.files["checks.json"] == json.loads(files)["checks.json"]
        return kept and not self.run_checks()


class Notes(ToolEnv):
    """A number is found in a note and said; it is compared with a file."""

    max_turns = 5

    def build_dataset(self, tokenizer):
        said = "How many birds does note.txt count? Read it, and write the number alone."
        return [{"prompt": f"Note {n}. {said}", "birds": 20 + 3 * n} for n in range(12)]

    def setup(self, row):
        self.files = {"note.txt": f"There were {row['birds']} birds.", "expected.txt": str(row["birds"])}

    @tool
    def list_files(self) -> list[str]:
        """List the files."""
        return list(self.files)

    @tool
    def read_file(self, path: str) -> str:
        """Read a file."""
        return self.files.get(path, "There is no such file.")

    @tool
    def write_file(self, path: str, content: str) -> str:
        """Write a file."""
        self.files[path] = content
        return "Written."

    @reward
    def right(self, completion):
        return answer_text(completion).strip() == self.wanted()

    def wanted(self):
        return self.files["expected.txt"]

    def solve(self, row):
        yield call_message("read_file", path="note.txt")
        yield str(row["birds"])


class NotesByTheRow(Notes):
    def wanted(self):
        return str(self.row["birds"])


@pytest.mark.parametrize("cls", [Menus, InAnObject, Deleted, Notes])
def test_files_that_decide_and_may_be_replaced_are_found(cls):
    (finding,) = found(not_replaced, cls)
    assert "which replaces a file that gold leaves as it is" in finding.message
    assert finding.severity == "error"


@pytest.mark.parametrize("cls", [ByTheRow, Refused, MayBeChanged, Untouched, NotesByTheRow])
def test_nothing_is_said_where_the_row_decides_or_files_are_kept(cls):
    assert found(not_replaced, cls) == []
