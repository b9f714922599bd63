"""Rules that let more through than they should."""

import re
from fnmatch import fnmatchcase
from typing import Any

import pytest

from grpo_env_sdk import SingleTurnEnv, ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.evidence.attempts.wide_rules import wider_rules
from grpo_env_sdk.checking.teaching.wrong_answers.wide_rules_count import rules_may_not_let_more_through as wide
from tests.checking.trying import found

FILES = ["a/one.txt", "a/two.py", "b/six.py", "b/ten.md", "c/old.csv", "c/new.csv", "d/my.log", "e/it.cfg", "f/at.ini"]
GLOBS = ["a/*.txt", "b/*.py", "b/*.md", "c/o*.csv", "c/n*.csv", "d/*.log", "e/*.cfg", "f/*.ini"]


class Ignored(ToolEnv):
    """A rule of files to ignore is tried on the files that it should match alone."""

    max_turns = 3
    ASK = "Ignore the file {} and no other, by its folder and its ending."

    def build_dataset(self, tokenizer: Any) -> Any:
        named = {glob: next(one for one in FILES if fnmatchcase(one, glob)) for glob in GLOBS}
        return [{"prompt": self.ASK.format(file), "file": file, "glob": glob} for glob, file in named.items()]

    def setup(self, row: Any) -> None:
        self.rule = ""

    @tool
    def add_rule(self, pattern: str) -> str:
        """Add a rule."""
        self.rule = pattern
        return "Added."

    def spared(self, file: str) -> bool:
        return True

    @reward
    def ignored(self, file: str) -> bool:
        return fnmatchcase(file, self.rule) and self.spared(file)

    def solve(self, row: Any) -> Any:
        return [call_message("add_rule", pattern=row["glob"]), "It is ignored."]


class OnlyIgnored(Ignored):
    """The rule is tried on all files."""

    def spared(self, file: str) -> bool:
        return not any(fnmatchcase(one, self.rule) for one in FILES if one != file)


class AtLeastIgnored(Ignored):
    """More may be ignored."""

    ASK = "Ignore at least the file {}."


class Ranges(SingleTurnEnv):
    """A range counts if the number is in it, however wide it is."""

    ASK = "Give a range such as [1, 9] with the square root of {} in it, and no wider than 2."

    def build_dataset(self, tokenizer: Any) -> Any:
        return [{"prompt": self.ASK.format(n * n), "root": n} for n in range(11, 31)]

    def narrow(self, low: float, high: float) -> bool:
        return True

    @reward
    def holds(self, completion: Any, root: int) -> bool:
        said = re.fullmatch(r"\[(-?\d+), (-?\d+)\]", answer_text(completion))
        if said is None:
            return False
        low, high = int(said[1]), int(said[2])
        return low <= root <= high and self.narrow(low, high)

    def solve(self, row: Any) -> str:
        return f"[{row['root'] - 1}, {row['root'] + 1}]"


class NarrowRanges(Ranges):
    """The width is looked at."""

    def narrow(self, low: float, high: float) -> bool:
        return high - low <= 2


class Watering(SingleTurnEnv):
    """The weekday of a line of cron does not count."""

    DAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")

    def build_dataset(self, tokenizer: Any) -> Any:
        ask = "Write a line of cron with five fields for watering at {}:00 on every {}, and not on other days."
        return [
            {"prompt": ask.format(hour, day), "hour": str(hour), "day": str(n)}
            for n, day in enumerate(self.DAYS)
            for hour in (5, 6)
        ]

    def on_the_day(self, said: str, day: str) -> bool:
        return said in (day, "*")

    @reward
    def waters(self, completion: Any, hour: str, day: str) -> bool:
        fields = answer_text(completion).split()
        return len(fields) == 5 and fields[:2] == ["0", hour] and self.on_the_day(fields[4], day)

    def solve(self, row: Any) -> str:
        return f"0 {row['hour']} * * {row['day']}"


class WateringOnDays(Watering):
    """The weekday counts."""

    def on_the_day(self, said: str, day: str) -> bool:
        return said == day


@pytest.mark.parametrize(
    ("faulty", "rule"), [(Ignored, "'*'"), (Ranges, "far above"), (Watering, "'*' for the weekday")]
)
def test_a_wider_rule_is_as_good_as_gold(faulty: type, rule: str) -> None:
    (finding,) = found(wide, faulty)
    assert finding.severity == "error"
    assert rule in finding.message


@pytest.mark.parametrize("sound", [OnlyIgnored, AtLeastIgnored, NarrowRanges, WateringOnDays])
def test_a_rule_counts_as_it_is(sound: type) -> None:
    assert not found(wide, sound)


@pytest.mark.parametrize(
    ("rule", "wider"),
    [
        ("30 4 * * 1", "* * * * *"),
        ("DELETE FROM cats WHERE age > 9", "DELETE FROM cats"),
        ("SELECT a FROM b WHERE c = 1 ORDER BY a", "SELECT a FROM b ORDER BY a"),
        ("10.1.0.0/16", "0.0.0.0/0"),
        ("age > 9 and name != 'Tom'", "True"),
        (r"\d{3}-\d{4}", ".*"),
        ("src/*.py", "**"),
        ("3 to 9", "-1000000000 to 1000000000"),
    ],
)
def test_what_is_wider_is_of_the_same_kind(rule: str, wider: str) -> None:
    assert " ".join(wider.split()) in {" ".join(one.split()) for _, one in wider_rules(rule)}


@pytest.mark.parametrize("text", ["", "Paris", "42", "9 to 3", "0 0 * *", "It is over.", "[unknown", "a, b"])
def test_other_answers_are_no_rules(text: str) -> None:
    assert wider_rules(text) == []
