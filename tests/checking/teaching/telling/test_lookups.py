"""Tools that look things up: what they mark, promise and say of answers that lie elsewhere too."""

import json
import random

import pytest

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.teaching.telling.telling import replies_do_not_tell_the_answer
from tests.checking.trying import found

BEDS = ("roses", "beans", "herbs")


class Garden(ToolEnv):
    """How many plants of a bed are dry; `extra` adds files, `asks` ends the prompt."""

    max_turns = 8
    asks = "Answer with the number alone."

    def build_dataset(self, tokenizer):
        rng, rows = random.Random(4), []
        for number in range(16):
            notes = {
                f"beds/{bed}-{side}.txt": "\n".join(rng.choices(["dry", "wet"], k=rng.randrange(4, 9)))
                for bed in BEDS
                for side in ("north", "south")
            }
            bed = rng.choice(BEDS)
            dry = sum(notes[f"beds/{bed}-{side}.txt"].count("dry") for side in ("north", "south"))
            prompt = f"Garden {number}: how many plants of the {bed} are dry, north and south together? {self.asks}"
            rows.append({"prompt": prompt, "notes": json.dumps(notes | self.extra(dry)), "bed": bed, "dry": dry})
        return rows

    def extra(self, dry):
        return {}

    @tool
    def list_notes(self) -> list[str]:
        """List the notes."""
        return sorted(json.loads(self.row["notes"]))

    @tool
    def read_note(self, name: str) -> str:
        """Read a note."""
        return json.loads(self.row["notes"]).get(name, "There is no such note.")

    @reward
    def right(self, messages, dry):
        return answer_text(messages).strip() == str(dry)

    def solve(self, row):
        count = 0
        for side in ("north", "south"):
            read = yield call_message("read_note", name=f"beds/{row['bed']}-{side}.txt")
            count += read[-1]["content"].count("dry")
        yield str(count)


class WithExpected(Garden):
    def extra(self, dry):
        return {".eval/expected.json": json.dumps({"garden": 1, "value": dry})}


class InLines(Garden):
    def extra(self, dry):
        return {"meta.yaml": f"version: 2\nsolution: {dry}\n"}


class AloneInAFile(Garden):
    def extra(self, dry):
        return {"beds/gold.txt": str(dry)}


class SentBeside(Garden):
    """A tool that gold never calls shows the field of the scorer."""

    @tool
    def show_garden(self) -> dict:
        """Show the garden."""
        return {"beds": len(BEDS), "ground_truth": self.row["dry"]}


class OfLastYear(Garden):
    """A file with such a name that says something else."""

    def extra(self, dry):
        return {"expected.json": json.dumps({"value": (dry * 7 + 3) % 11})}


class AskedFor(Garden):
    """What is expected is what the prompt asks about, and gold need not open it each time."""

    asks = "The expected counts are in a note too."

    def extra(self, dry):
        return {"expected.json": json.dumps({"value": dry})}


class OtherBeds(Garden):
    """A file of all counts; nothing says which is the answer."""

    def extra(self, dry):
        return {"label.csv": f"7\n{dry}\n3\n9\n1\n2\n4\n8"}


class OpenedByGold(WithExpected):
    def solve(self, row):
        read = yield call_message("read_note", name=".eval/expected.json")
        yield str(json.loads(read[-1]["content"])["value"])


@pytest.mark.parametrize(
    ("cls", "place"),
    [
        (WithExpected, "read_note(name='.eval/expected.json')"),
        (InLines, "read_note(name='meta.yaml')"),
        (AloneInAFile, "read_note(name='beds/gold.txt')"),
        (SentBeside, "show_garden()"),
    ],
)
def test_a_short_answer_behind_a_name_of_scorers_is_found(cls, place):
    (finding,) = found(replies_do_not_tell_the_answer, cls, "default")
    assert f"{place} holds the answer, which gold finds in another way, on 10 of 10 rows" in finding.message
    assert finding.severity == "error"


@pytest.mark.parametrize("cls", [Garden, OfLastYear, AskedFor, OtherBeds, OpenedByGold])
def test_a_file_of_data_is_no_finding(cls):
    assert found(replies_do_not_tell_the_answer, cls, "default") == []
