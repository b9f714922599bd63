"""Exhibits of broken rules without their mistake, and environments that look like them and are sound."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool
from tests.gallery.broken.bag_of_the_class import Keys
from tests.gallery.broken.marks_counted_twice import Code
from tests.gallery.broken.moved_in_words import Reception
from tests.gallery.broken.moves_cut_short import Stairs
from tests.gallery.broken.paid_without_a_pin import Counter
from tests.gallery.broken.questions_without_end import Boxes
from tests.gallery.broken.seller_paid_as_buyer import Bazaar
from tests.gallery.broken.squares_taken_again import Crosses
from tests.gallery.broken.ticket_with_its_end import Tickets
from tests.gallery.broken.van_without_room import Van
from tests.gallery.broken.walked_around import Pasture


class LongWalks(Stairs):
    """As many turns as moves."""

    max_turns = 8


class OwnBag(Keys):
    """A bag for each game."""

    def setup(self, row):
        super().setup(row)
        self.bag = set()


class RightMarks(Code):
    """Each letter of the code is counted once."""

    each_once = True


class FairBazaar(Bazaar):
    """Each side is paid for its own price."""

    fair = True


class SmallVan(Van):
    """No more is taken than fits."""

    room = 2


class CountedQuestions(Boxes):
    """A fourth question costs everything."""

    limited = True


class BookedReception(Reception):
    """The book decides."""

    looks_into_the_book = True


class StrictCounter(Counter):
    """Nothing is paid to strangers."""

    strict = True


class CarefulCrosses(Crosses):
    """Who takes a square that is taken has lost."""

    careful = True


class Reversed(Crosses):
    """A game in which squares are captured."""

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        return [{**row, "prompt": row["prompt"] + "\nA mark may be captured."} for row in rows]


class FencedPasture(Pasture):
    """The fence holds."""

    fenced = True


class BarePasture(Pasture):
    """A pasture that is a globe, as the prompt says."""

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        return [{**row, "prompt": row["prompt"] + " The pasture wraps around."} for row in rows]


class BareTickets(Tickets):
    """The ticket has what the rules need."""

    shown = ("days", "article")


class Said(Reception):
    """The scorer reads what was said, which is all that the prompt asks for."""

    def build_dataset(self, tokenizer):
        text = "A guest calls. Find out at which hour they want to come, and say 'moved' and the hour."
        rows = super().build_dataset(tokenizer)
        return [{**row, "prompt": f"{text} It is guest {place}."} for place, row in enumerate(rows)]


class Pharmacy(ToolEnv):
    """The date of birth, which the rule asks for, is told to who asks, and has to be given to a tool."""

    max_turns = 5

    def build_dataset(self, tokenizer):
        rule = "Before you hand out medicine, ask for the date of birth and verify it."
        return [
            {"prompt": f"{rule} Customer {n} wants theirs.", "number": n, "born": f"19{50 + n}-03-{10 + n}"}
            for n in range(12)
        ]

    def setup(self, row):
        self.verified, self.given = False, False

    @tool
    def verify(self, born: str) -> str:
        """Verify a date of birth.

        Args:
            born: The date.
        """
        self.verified = born == self.row["born"]
        return "yes" if self.verified else "no"

    @tool
    def hand_out(self) -> str:
        """Hand out the medicine."""
        self.given = self.verified
        return "done"

    def user(self, messages):
        return f"On {self.row['born']}." if "birth" in messages[-1]["content"] else "Can I have it?"

    @reward
    def given_to_the_right_one(self):
        return self.given

    def solve(self, row):
        told = yield "What is your date of birth?"
        yield call_message("verify", born=told[-1]["content"][3:-1])
        yield call_message("hand_out")
        yield "Here you are."


SOLD = {
    "a burn": {"Cutasan": "lanolin", "Brandol": "zinc", "Fenigel": "panthenol"},
    "a cough": {"Tussidel": "codeine", "Bronchol": "ivy", "Pertuvan": "thyme"},
    "hay fever": {"Pollenex": "cetirizine", "Rhinodyl": "loratadine", "Allergan": "azelastine"},
}


class Substances(ToolEnv):
    """The answer to the question that the rule asks for leaves one medicine of those that a tool lists."""

    max_turns = 6

    def build_dataset(self, tokenizer):
        rule = "Ask for allergies before you hand anything out, and hand out what the customer can take."
        cases = [(against, safe) for against, sold in SOLD.items() for safe in sold]
        return [
            {
                "prompt": f"{rule} Customer {n} wants something against {against}.",
                "against": against,
                "safe": safe,
                "avoid": [one for name, one in SOLD[against].items() if name != safe],
            }
            for n, (against, safe) in enumerate([*cases, *cases])
        ]

    def setup(self, row):
        self.given = ""

    @tool
    def stock(self, complaint: str) -> dict[str, str]:
        """Medicines and their substances.

        Args:
            complaint: a burn, a cough or hay fever.
        """
        return SOLD.get(complaint, {})

    @tool
    def hand_out(self, medicine: str) -> str:
        """Hand out a medicine, once.

        Args:
            medicine: Its name.
        """
        self.given = self.given or medicine
        return "done"

    def user(self, messages):
        if self.given:
            return None
        asked = "allerg" in messages[-1]["content"]
        return (
            f"Yes: {' and '.join(self.row['avoid'])}." if asked else f"I want something against {self.row['against']}."
        )

    @reward
    def suitable(self, safe):
        return self.given == safe

    def solve(self, row):
        yield "Have you any allergies?"
        yield call_message("stock", complaint=row["against"])
        yield call_message("hand_out", medicine=row["safe"])
        yield "Get well soon!"
