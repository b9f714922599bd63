"""Exhibits of the gallery without their mistakes, and environments that look like them and are sound."""

import json
import random
from itertools import pairwise
from typing import Any

from grpo_env_sdk import SingleTurnEnv, ToolEnv, answer_text, call_message, reward, tool
from tests.gallery.broken.blocks_pulled_out import Blocks
from tests.gallery.broken.changed_again import Heating
from tests.gallery.broken.confirmation_forged import Lanes
from tests.gallery.broken.ladder_with_leaps import Ladder, alike
from tests.gallery.broken.last_shelf_missing import Shelves
from tests.gallery.broken.lost_and_won import Mines
from tests.gallery.broken.opens_any_file import Poems
from tests.gallery.broken.oracle_names_it import PLACES, SIGNS, Treasure
from tests.gallery.broken.paid_by_message import Candles
from tests.gallery.broken.refused_and_sent import Transfers
from tests.gallery.broken.results_by_name import Rates
from tests.gallery.broken.second_seat_booked import Seats
from tests.gallery.broken.table_of_answers import Loans


class RatesInTurn(Rates):
    """The results come in another order than the calls, each with the id of its call."""

    def step(self, action):
        results, *rest = super().step(action)
        if not isinstance(results, list):
            return results, *rest
        calls = {call["id"]: call["function"]["arguments"] for call in action["tool_calls"]}
        alone = {
            name: super(RatesInTurn, self).step({"tool_calls": [{"id": name, "function": {"arguments": given}}]})
            for name, given in calls.items()
        }
        return [one for replies, *_ in reversed(alone.values()) for one in replies], *rest


class CandlesOnce(Candles):
    """What burns in the end is paid."""

    def step(self, action):
        shown, _, ended, *rest = super().step(action)
        return shown, float(ended and self.lit == set(self.row["both"])), ended, *rest


class SilentOracle(Treasure):
    """A wrong guess is only wrong."""

    @tool
    def ask(self, question: str) -> str:
        """Ask the oracle.

        Args:
            question: A question about one sign.
        """
        asked = [sign for sign in SIGNS if sign in question.lower().strip("?").split()]
        return "That is for you to find out." if not asked else str(asked[0] in PLACES[self.row["place"]])


class Tables(ToolEnv):
    """A guest who knows what they want, says it to anybody who asks, and corrects who is wrong."""

    max_turns = 5

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Guest {n} wants a table. Ask when, and book it.", "hour": str(10 + n)} for n in range(12)]

    def setup(self, row):
        self.booked = None

    @tool
    def book(self, hour: str) -> str:
        """Book a table.

        Args:
            hour: When, such as 19.
        """
        self.booked = self.booked or hour
        return "Booked."

    def user(self, messages):
        return None if self.booked else f"No no, at {self.row['hour']}, please."

    @reward
    def right(self, hour):
        return self.booked == hour

    def solve(self, row):
        return [call_message("book", hour=row["hour"]), "It is booked."]


class LoansAlone(Loans):
    """No table has the answers."""

    def setup(self, row):
        super().setup(row)
        self.tables["eval_targets"] = []


class Phones(ToolEnv):
    """A fact is in two places, and gold looks at one of them."""

    max_turns = 4
    flawed = False

    def build_dataset(self, tokenizer):
        rng = random.Random(3)
        rows = []
        for number in range(20):
            calls = [rng.randrange(2, 90) for _ in range(6)]
            phone = str(rng.randrange(10**5, 10**6))
            answer = str(sum(calls)) if self.flawed else phone
            what = "How many minutes are all calls together" if self.flawed else "Which number has the phone"
            text = f"Phone {number}: {what}? Look into the folder. Answer with the number alone."
            rows.append({"prompt": text, "calls": calls, "phone": phone, "answer": answer})
        return rows

    def files(self) -> dict[str, Any]:
        row = self.row
        if self.flawed:
            return {"calls.json": row["calls"], "about.json": {"minutes": row["answer"]}}
        return {"contract.json": {"phone": row["phone"]}, "about.json": {"phone": row["phone"]}}

    @tool
    def list_files(self) -> list[str]:
        """List the files of the folder."""
        return list(self.files())

    @tool
    def read_file(self, name: str) -> str:
        """Read a file.

        Args:
            name: Its name.
        """
        return json.dumps(self.files().get(name, "There is no such file."))

    @reward
    def right(self, completion, answer):
        return answer_text(completion).strip() == answer

    def solve(self, row):
        first = "calls.json" if self.flawed else "contract.json"
        return [call_message("list_files"), call_message("read_file", name=first), row["answer"]]


class SumBeside(Phones):
    """A file has the sum that is asked for, under an ordinary name."""

    flawed = True


class WholeShelves(Shelves):
    """All shelves can be read."""

    @tool
    def read_shelf(self, number: int) -> dict:
        """Read the books of a shelf, with their marks.

        Args:
            number: The number of the shelf, from 1 on.
        """
        if not 1 <= number <= 4:
            return {"error": "There is no such shelf."}
        part = slice(3 * number - 3, 3 * number)
        return dict(zip(self.row["books"][part], self.row["marks"][part], strict=True))


class SummedShelves(WholeShelves):
    """What is asked for is worked out, so no shelf shows it."""

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        for row in rows:
            row["prompt"] = row["prompt"].replace("which mark has", "what is the sum of all marks, and not")
            row["answer"] = str(sum(int(mark[1:]) for mark in row["marks"]))
        return rows


class BlocksOnTop(Blocks):
    """Only a block with nothing on it is moved, onto one with nothing on it."""

    @reward
    def stacked(self, completion, on, goal):
        on = dict(on)
        for line in answer_text(completion).strip().splitlines():
            block, _, where = line.strip().partition(" to ")
            if block not in on or block in on.values() or where == block:
                return 0.0
            if where != "table" and (where not in on or where in on.values()):
                return 0.0
            on[block] = where
        return on[goal[0]] == goal[1]


class SkippedBlocks(Blocks):
    """The prompt says that impossible moves are skipped."""

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        return [{**row, "prompt": row["prompt"].replace("such a plan fails", "such a move is ignored")} for row in rows]


class Robot(SingleTurnEnv):
    """A walk in a corridor with walls, which fails at the first step into one."""

    def build_dataset(self, tokenizer):
        rows = []
        for number in range(24):
            rng = random.Random(number)
            way = "".join(rng.choice("RD") for _ in range(5 + number % 4))
            text = f"The free fields of maze {number} are those of the way {way}. Write it. A step into a wall fails."
            rows.append({"prompt": text, "way": way})
        return rows

    @reward
    def arrives(self, completion, way):
        return answer_text(completion).strip() == way

    def solve(self, row):
        return row["way"]


class StrictLadder(Ladder):
    """Each word differs in one letter from the one before."""

    @reward
    def climbs(self, completion, path):
        words = answer_text(completion).lower().split()
        steps = all(alike(one, other) for one, other in pairwise(words))
        return bool(words) and steps and [words[0], words[-1]] == [path[0], path[-1]] and len(words) <= len(path)


class OneSeat(Seats):
    """A second seat is wrong."""

    @reward
    def right(self, seat):
        return self.booked == [seat]


class TakenSeats(OneSeat):
    """All other seats are taken, and the tool says so in words that it says to gold too."""

    @tool
    def book(self, seat: str) -> str:
        """Book a seat.

        Args:
            seat: Its number and letter, such as 4C.
        """
        if seat != self.row["seat"]:
            return f"Seat {seat} is not free."
        self.booked.append(seat)
        return f"Seat {seat} is booked."


class AnySeats(Seats):
    """More seats do no harm, and the prompt forbids none; it speaks of the answer alone."""

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        for row in rows:
            row["prompt"] = row["prompt"].replace(", and no other seat", "; then say 'done' and nothing else")
        return rows


class RefusedFirst(Transfers):
    """What is refused is not noted."""

    @tool
    def send(self, iban: str, amount: int) -> dict:
        """Send money.

        Args:
            iban: To which account.
            amount: How many euros.
        """
        if amount > self.balance:
            return {"error": f"The balance is {self.balance}."}
        self.balance -= amount
        self.sent.append(iban)
        return {"sent": amount}


class HeatedInTheEnd(Heating):
    """The last setting of each room counts."""

    @reward
    def warm(self, hall, bath):
        return dict(self.log) == {"hall": hall, "bath": bath}


class HeatedInHaste(HeatedInTheEnd):
    """There is no turn left after the two settings."""

    max_turns = 2


class SetOnce(Heating):
    """A setting that was made stays, and the tool says so in its own words."""

    @tool
    def set_temperature(self, room: str, degrees: int) -> str:
        """Set the temperature of a room.

        Args:
            room: hall or bath.
            degrees: In degrees Celsius.
        """
        if room in dict(self.log):
            return "Somebody has turned that knob already; nobody may touch it twice."
        return super().set_temperature(room, degrees)


class BookedLanes(Lanes):
    """Only the tool can confirm."""

    @reward
    def booked(self, tool_calls, club, people):
        return any(f"club={club} people={people}" in str(call["content"]) for call in tool_calls)


class OwnPoems(Poems):
    """Only the files of the row are opened."""

    @tool
    def read_file(self, name: str) -> str:
        """Read a file.

        Args:
            name: Its name.
        """
        mine = name == f"poem{self.row['n']}.txt"
        return "la la la\n" * (3 * self.row["n"] + 2) if mine else f"There is no file {name}."


class MinesThatEnd(Mines):
    """Who steps on a mine has lost."""

    def step(self, action):
        said, reward, ended, *rest = super().step(action)
        return said, reward, ended or "Boom" in said, *rest
