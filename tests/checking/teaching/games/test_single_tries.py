"""Prompts that allow one try, and games and tools in which a wrong one costs nothing."""

import random

import pytest

from grpo_env_sdk import MultiTurnEnv, ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.teaching.games.single_tries import a_single_try_is_one_try as single_tries
from tests.checking.trying import found
from tests.gallery.broken.tries_without_end import Sounds


class OnlyOnce(Sounds):
    rule = "Each sound may be guessed only once."
    max_turns = 3


class FirstCounts(Sounds):
    rule = "Only your first answer counts."


class GoesOn(Sounds):
    """Sound: a wrong try uses the sound up."""

    def missed(self):
        return self.goes_on("No.", 0.0)


class Ends(Sounds):
    """Sound: a wrong try ends it."""

    def missed(self):
        return "No.", 0.0, True, False, {}


class Costs(Sounds):
    """Sound: a wrong try costs a part."""

    def missed(self):
        return "No.", -0.1, False, False, {}


class TriesAreFree(Sounds):
    rule = "Try as often as you like."


class OneTryATurn(Sounds):
    rule = "One guess each turn."


class MoreThanOne(Sounds):
    rule = "You have more than one try for each sound."


class OthersDoNotCount(Sounds):
    """Sound: what is no possible try is asked for again."""

    def missed(self):
        return "That sound is not one of the round; it does not count.", 0.0, False, False, {}


class Locks(ToolEnv):
    """The code of a lock is on a label, and try_code counts whatever came before."""

    max_turns = 6
    counted = slice(None)

    def build_dataset(self, tokenizer):
        said = "Open lock {}: read its label and try its code. There is no second try."
        return [{"prompt": said.format(n), "number": n, "code": 100 + 37 * n % 800} for n in range(12)]

    def setup(self, row):
        self.codes = []

    @tool
    def read_label(self, lock: int) -> str:
        """Read the label of a lock."""
        return f"Its code is {self.row['code']}." if lock == self.row["number"] else "There is no such lock."

    @tool
    def try_code(self, code: int) -> str:
        """Try a code at the lock."""
        self.codes.append(code)
        return "It opens." if code == self.row["code"] else "It does not open."

    @reward
    def opened(self, code):
        return code in self.codes[self.counted]

    def solve(self, row):
        yield call_message("read_label", lock=row["number"])
        yield call_message("try_code", code=row["code"])
        yield "It is open."


class FirstCodeCounts(Locks):
    counted = slice(1)


class Ballots(ToolEnv):
    """A vote for what a member wants, of which the last one counts and whose reply says nothing."""

    max_turns = 5
    counted = -1

    def build_dataset(self, tokenizer):
        said = (
            "Ms {} wants the {} club. Vote for her with cast, and say 'Done.' Only the first vote that you cast counts."
        )
        return [{"prompt": said.format(n, CLUBS[n % 4]), "club": CLUBS[n % 4]} for n in range(12)]

    def setup(self, row):
        self.votes = []

    @tool
    def cast(self, club: str) -> str:
        """Put in a ballot. The first one decides."""
        self.votes.append(club)
        return "Received."

    @reward
    def as_wished(self, club):
        return bool(self.votes) and self.votes[self.counted] == club

    def solve(self, row):
        return [call_message("cast", club=row["club"]), "Done."]


CLUBS = ("chess", "choir", "hiking", "film")


class FirstVoteCounts(Ballots):
    """Sound: as it says."""

    counted = 0


class OtherClubsAreRefused(Ballots):
    """Sound: a vote that is refused is no vote."""

    @tool
    def cast(self, club: str) -> str:
        """Put in a ballot. The first one decides."""
        if club != self.row["club"]:
            return "There is no club with this name in her town."
        return super().cast(club)


class LastVoteCounts(Ballots):
    """Sound: it says that votes may be changed."""

    def build_dataset(self, tokenizer):
        return [
            {**row, "prompt": row["prompt"].replace("first vote", "last vote")} for row in super().build_dataset(None)
        ]

    @tool
    def cast(self, club: str) -> str:
        """Put in a ballot."""
        return super().cast(club)


class Envelopes(MultiTurnEnv):
    """The ticket is in the envelope with the largest number; no solve says so."""

    max_turns = 4
    reward_range = (0, 1)
    rule = "You may open one envelope only."

    def build_dataset(self, tokenizer):
        said = "Envelopes {}. The ticket is in the one whose number has the most divisors; write that number. "
        rows = [random.Random(n).sample(range(20, 90), 4) for n in range(10)]
        return [{"prompt": said.format(some) + self.rule, "most": max(some, key=divisors)} for some in rows]

    def step(self, action):
        if not answer_text(action).strip().isdecimal():
            return "Write a number.", 0.0, False, False, {}
        right = answer_text(action).strip() == str(self.row["most"])
        return ("The ticket!", 1.0, True, False, {}) if right else self.missed()

    def missed(self):
        return "This envelope is empty.", 0.0, False, False, {}


def divisors(number):
    return sum(number % one == 0 for one in range(1, number + 1)), number


class OnlyOneMayBeOpened(Envelopes):
    rule = "Only one envelope may be opened."


class OneEnvelopeATurn(Envelopes):
    rule = "In each turn you may open only one envelope."


class OneLetterOnly(Envelopes):
    rule = "You may write one number only."


class TheEmptyOneEndsIt(Envelopes):
    def missed(self):
        return "This envelope is empty.", 0.0, True, False, {}


class EnvelopesByCalls(ToolEnv):
    """The same with a tool."""

    max_turns = 5

    def build_dataset(self, tokenizer):
        said = "Which of {} has the most divisors? You can only unseal one envelope; open it."
        rows = [random.Random(n).sample(range(20, 90), 4) for n in range(10)]
        return [{"prompt": said.format(some), "most": max(some, key=divisors)} for some in rows]

    def setup(self, row):
        self.found = False

    @tool
    def open_envelope(self, number: int) -> str:
        """Open an envelope."""
        self.found = self.found or number == self.row["most"]
        return "The ticket!" if number == self.row["most"] else "Nothing in it."

    @reward
    def has_it(self):
        return self.found

    def solve(self, row):
        yield call_message("open_envelope", number=row["most"])
        yield "Done."


class OpensOneByCalls(EnvelopesByCalls):
    def build_dataset(self, tokenizer):
        return [{**row, "prompt": row["prompt"].replace("unseal", "open")} for row in super().build_dataset(tokenizer)]


@pytest.mark.parametrize(
    "cls", [Envelopes, OnlyOneMayBeOpened, OpensOneByCalls, Sounds, OnlyOnce, FirstCounts, Locks, Ballots]
)
def test_wrong_tries_that_cost_nothing_are_found(cls):
    (finding,) = found(single_tries, cls)
    assert "A wrong try before each right one" in finding.message
    assert finding.severity == "error"


@pytest.mark.parametrize(
    "cls",
    [
        OneEnvelopeATurn,
        OneLetterOnly,
        TheEmptyOneEndsIt,
        EnvelopesByCalls,
        GoesOn,
        Ends,
        Costs,
        TriesAreFree,
        OneTryATurn,
        MoreThanOne,
        OthersDoNotCount,
        FirstCodeCounts,
        FirstVoteCounts,
        OtherClubsAreRefused,
        LastVoteCounts,
    ],
)
def test_tries_that_are_lost_or_free_are_no_finding(cls):
    assert found(single_tries, cls) == []
