"""Tools that count pages and lines from 0, where their schema counts from 1."""

import pytest

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.teaching.forms.counting_from import positions_are_counted_as_told
from tests.checking.trying import found

DIARIES = {
    "Ada": ["Oslo", "Rome", "Bonn", "Lima"], "Ben": ["Bern", "Kyiv", "Oslo", "Riga"], "Cleo": ["Nice", "Lyon", "Metz"],
    "Dora": ["Graz", "Linz", "Wien", "Oslo"], "Emil": ["Ulm", "Kiel", "Jena", "Gera"], "Fred": ["York", "Bath", "Hull"],
}  # fmt: skip


class Diary(ToolEnv):
    """How many entries of a diary name a town whose name ends with n or a."""

    max_turns = 12
    first = 0

    def build_dataset(self, tokenizer):
        ask = "In how many entries of {}'s diary was it Oslo, Wien or Lima? Read all of it and reply with the number."
        return [{"prompt": ask.format(who), "who": who, "count": self.count(who)} for who in DIARIES]

    def count(self, who):
        return str(sum(town in ("Oslo", "Wien", "Lima") for town in DIARIES[who]))

    @tool
    def entry(self, who: str, number: int) -> str:
        """Read an entry of a diary.

        Args:
            who: Whose diary it is.
            number: Which entry; entries are numbered from 1.
        """
        return self.read(DIARIES.get(who, []), number)

    def read(self, towns, number):
        place = number - self.first
        return f"We went to {towns[place]}." if 0 <= place < len(towns) else "no such entry"

    @reward
    def right(self, completion, count):
        return float(answer_text(completion).strip() == count)

    def solve(self, row):
        for place in range(len(DIARIES[row["who"]])):
            yield call_message("entry", who=row["who"], number=place + self.first)
        yield row["count"]


class FromOne(Diary):
    """Sound: the first entry is number 1."""

    first = 1


class Lenient(FromOne):
    """Sound: an entry 0 is the first one too, and gold begins there."""

    def read(self, towns, number):
        return super().read(towns, max(number, 1))

    def solve(self, row):
        yield call_message("entry", who=row["who"], number=0)
        yield from super().solve(row)


class Told(Diary):
    """Sound: the prompt says that there is an entry 0."""

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        return [{**row, "prompt": f"{row['prompt']} Here the diary begins with entry 0."} for row in rows]


def test_a_first_entry_at_zero_is_found_where_the_schema_counts_from_one():
    (finding,) = found(positions_are_counted_as_told, Diary)
    assert "at 0 it shows what no call with 1 to" in finding.message


@pytest.mark.parametrize("cls", [FromOne, Lenient, Told])
def test_entries_that_are_counted_as_told_are_let_be(cls):
    assert found(positions_are_counted_as_told, cls) == []
