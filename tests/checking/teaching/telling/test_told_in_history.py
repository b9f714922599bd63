"""Histories that go beyond the time of the task."""

from typing import Any

import pytest

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.teaching.telling.told_by_status import told_by_status
from grpo_env_sdk.checking.teaching.telling.told_in_history import histories_end_before_the_task as history
from tests.checking.trying import found, subject_of

KILNS = [
    (f"kiln {name}", 40 + 13 * n) for n, name in enumerate(("Ash", "Bay", "Cob", "Dow", "Elm", "Fir", "Gum", "Ivy"))
]


class Kilns(ToolEnv):
    """The ticket of a kiln already has its resolution."""

    max_turns = 5
    ASK = "The {} burns too hot. Work out its right temperature from the manual, and set it."
    END = "Day 9, closed. Resolution: set to {} degrees."

    def build_dataset(self, tokenizer: Any) -> Any:
        return [{"prompt": self.ASK.format(kiln), "kiln": kiln, "clay": clay} for kiln, clay in KILNS]

    def setup(self, row: Any) -> None:
        self.degrees = 999

    @tool
    def get_manual(self) -> str:
        """Read the manual of the kiln."""
        return f"Set the kiln to twice its clay number, which is {self.row['clay']}, and 500 more."

    @tool
    def list_ticket_comments(self) -> str:
        """List the comments of the ticket."""
        return "Day 1. It burns too hot.\n\n" + self.END.format(2 * self.row["clay"] + 500)

    @tool
    def set_degrees(self, kiln: str, degrees: int) -> str:
        """Set the temperature of a kiln."""
        self.degrees = degrees
        return "Set."

    @reward
    def is_right(self, clay: int) -> bool:
        return self.degrees == 2 * clay + 500

    def solve(self, row: Any) -> Any:
        right = call_message("set_degrees", kiln=row["kiln"], degrees=2 * row["clay"] + 500)
        return [call_message("get_manual"), right, "It is set."]


class OpenTickets(Kilns):
    """The ticket is still open."""

    END = "Day 2. Who looks at it?"


class PastTickets(Kilns):
    """The prompt says to look at what was done before."""

    ASK = "The {} burns too hot, as it did last time. Set it to what was right then."


class PlainTickets(Kilns):
    """What the ticket shows is how it was, and nobody calls it the fix."""

    END = "Day 2. On Monday it was at {} degrees."


class TicketsOfGold(Kilns):
    """Gold reads the ticket too."""

    def solve(self, row: Any) -> Any:
        right = call_message("set_degrees", kiln=row["kiln"], degrees=2 * row["clay"] + 500)
        return [call_message("list_ticket_comments"), right, "It is set."]


class Lines(ToolEnv):
    """A commit on another branch shows the line that was wrong."""

    max_turns = 5
    LISTED = "d4e5f6a (main) Fix the reported leak"

    def build_dataset(self, tokenizer: Any) -> Any:
        return [
            {
                "prompt": f"Pump {'ABCDEFGHIJ'[n]} leaks. Read the plan and answer with its faulty part alone.",
                "part": n,
            }
            for n in range(2, 10)
        ]

    @tool
    def read_plan(self) -> str:
        """Read the plan."""
        return "\n".join(f"part: {'crack' if n == self.row['part'] else 'whole'}" for n in range(1, 12))

    @tool
    def list_commits(self, all_branches: bool = False) -> list[str]:
        """List the commits."""
        return [*([self.LISTED] if all_branches else []), "a1b2c3d (HEAD) Draw the plan"]

    @tool
    def show_commit(self, commit: str) -> str:
        """Show a commit."""
        return f"- part {self.row['part']}: crack" if commit == "d4e5f6a" else "+ plan"

    @reward
    def is_right(self, completion: Any, part: int) -> bool:
        return answer_text(completion) == str(part)

    def solve(self, row: Any) -> Any:
        return [call_message("read_plan"), str(row["part"])]


class LinesOfToday(Lines):
    """There is no later commit."""

    LISTED = "b2c3d4e (draft) Try another colour"


class Settings(ToolEnv):
    """A tool that lists the settings names the one that gold looks up."""

    max_turns = 5

    def build_dataset(self, tokenizer: Any) -> Any:
        keys = ("pool", "cache", "queue", "retry", "buffer", "window", "batch", "shard")
        return [
            {"prompt": f"Service {n} is down. Set it right by the handbook.", "key": f"{key}_size", "good": 7 * n + 31}
            for n, key in enumerate(keys)
        ]

    def setup(self, row: Any) -> None:
        self.config = {"port": 80, row["key"]: 999}

    @tool
    def read_config(self) -> dict[str, int]:
        """Read the settings."""
        return self.config

    @tool
    def handbook(self, key: str) -> str:
        """Look up a setting."""
        return f"It is {self.row['good'] - 1} and one more." if key == self.row["key"] else "Nothing."

    @tool
    def set_value(self, key: str, value: int) -> str:
        """Set it."""
        self.config[key] = value
        return "Set."

    @reward
    def is_right(self, key: str, good: int) -> bool:
        return self.config[key] == good

    def solve(self, row: Any) -> Any:
        return [
            call_message("handbook", key=row["key"]),
            call_message("set_value", key=row["key"], value=row["good"]),
            "",
        ]


@pytest.mark.parametrize(("faulty", "shown"), [(Kilns, "list_ticket_comments()"), (Lines, "d4e5f6a")])
def test_a_history_that_has_the_fix_is_found(faulty: type, shown: str) -> None:
    (finding,) = found(history, faulty)
    assert finding.severity == "warning"
    assert shown in finding.message


@pytest.mark.parametrize("sound", [OpenTickets, PastTickets, PlainTickets, TicketsOfGold, LinesOfToday, Settings])
def test_a_history_without_the_fix_is_let_be(sound: type) -> None:
    assert not found(history, sound)


def test_settings_may_name_what_gold_looks_up() -> None:
    assert not list(told_by_status(subject_of(Settings)))
