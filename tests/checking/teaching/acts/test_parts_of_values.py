"""Parts of a path, a moment, an address or a name in calls that nobody compares."""

import pytest

from grpo_env_sdk import ToolEnv, call_message, reward, tool
from grpo_env_sdk.checking.teaching.acts.named_values import each_value_that_is_asked_for_counts
from tests.checking.trying import found

CLIENTS, KINDS = ("akron", "dahlia", "cormorant", "eastgate", "fjord"), ("offers", "bills", "letters")


class Filing(ToolEnv):
    """Scans are filed by kind and client; the kind is not compared."""

    max_turns = 4
    ask = "Scan {} is one of the {} of {}. File it under /KIND/CLIENT/, and keep its name."

    def build_dataset(self, tokenizer):
        rows = [(f"s{n * 7 + 3}.txt", KINDS[n % 3], CLIENTS[n % 5]) for n in range(16)]
        return [{"prompt": self.ask.format(*one), "wanted": self.written(*one)} for one in rows]

    def written(self, scan, kind, client):
        return f"/{kind}/{client}/{scan}"

    def setup(self, row):
        self.filed = ""

    @tool
    def file_scan(self, target: str) -> str:
        """File the scan."""
        self.filed = target
        return "Filed."

    def compared(self, path):
        return path.split("/")[-2:]

    @reward
    def right(self, wanted):
        return self.compared(self.filed) == self.compared(wanted)

    def solve(self, row):
        return [call_message("file_scan", target=row["wanted"]), "Done."]


class Visits(Filing):
    """The hour of a visit is not compared."""

    def build_dataset(self, tokenizer):
        rows = [(f"2026-0{n % 7 + 2}-{n + 11}", f"{n % 9 + 10}:{n % 4}5") for n in range(16)]
        return [
            {"prompt": f"Enter the visit of client {n + 800}: on {day} at {hour}.", "wanted": f"{day} {hour}"}
            for n, (day, hour) in enumerate(rows)
        ]

    def compared(self, path):
        return path[:10]


class Codes(Filing):
    """The store of an article is not compared."""

    def written(self, scan, kind, client):
        return f"{client}-{scan[1:-4]}"

    def compared(self, path):
        return path.split("-")[-1]


class WholePaths(Filing):
    """Sound."""

    def compared(self, path):
        return path.casefold()


class AnyKind(Filing):
    """Sound: the prompt says that it may be filed anywhere."""

    ask = "Scan {} is one of the {} of {}. File it under /KIND/CLIENT/, of whatever kind, and keep its name."


class NothingCounts(Filing):
    """The whole call counts for nothing, which is another fault."""

    def compared(self, path):
        return ""


class NamesBesideAddresses(Filing):
    """Sound: a mail gets there by its address, whatever name is beside it."""

    ask = "Send {0} to the address of our client: {1} {2} <{2}@post.example>"

    def written(self, scan, kind, client):
        return f"{kind} <{client}@post.example>"

    def compared(self, path):
        return path.split("<")[-1]


class OneOfTheShown(Filing):
    """Sound: each of the folders that are shown will do."""

    ask = "File {0} of the {1} of {2} in its folder: /offers/{2}/{0}, /bills/{2}/{0} and /letters/{2}/{0} are there."


@pytest.mark.parametrize("cls", [Filing, Visits, Codes])
def test_a_part_of_a_value_that_is_not_compared_is_an_error(cls):
    (finding,) = found(each_value_that_is_asked_for_counts, cls)
    assert finding.severity == "error"
    assert "is not looked at" in finding.hint


@pytest.mark.parametrize("cls", [WholePaths, AnyKind, NothingCounts, NamesBesideAddresses, OneOfTheShown])
def test_parts_that_are_compared_or_free_are_not_reported(cls):
    assert not [one for one in found(each_value_that_is_asked_for_counts, cls) if "is not looked at" in one.hint]
