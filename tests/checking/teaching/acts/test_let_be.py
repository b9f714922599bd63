"""What looks like a fault of form or of one path, and is none."""

from grpo_env_sdk import MultiTurnEnv, SingleTurnEnv, ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.episode.harness import one_more_look_is_no_failure
from grpo_env_sdk.checking.teaching.amounts.odd_values import values_that_say_nothing_are_not_gold
from grpo_env_sdk.checking.teaching.amounts.repeating import repeating_one_act_is_not_gold
from grpo_env_sdk.checking.teaching.forms.allowed_forms import forms_that_a_prompt_allows_are_accepted
from grpo_env_sdk.checking.teaching.forms.frames import (
    the_form_that_decides_is_asked_for,
    the_form_that_is_asked_for_is_accepted,
)
from grpo_env_sdk.checking.teaching.games.lost_goes_on import a_lost_game_is_over
from grpo_env_sdk.checking.teaching.lazy_answers.copying import the_answer_is_not_revealed
from grpo_env_sdk.checking.teaching.telling.shown_facts import what_gold_needs_is_shown
from grpo_env_sdk.checking.tools.mattering import every_parameter_matters
from tests.checking.trying import asking, found
from tests.gallery.broken.one_path import Boxes
from tests.gallery.broken.unmentioned_label import Sums
from tests.gallery.sound.valid_values_listed import Transfers


class Filters(SingleTurnEnv):
    """Code whose first line is alike on all rows, as all tasks are of one kind."""

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Write keep(xs), which returns those over {n}.", "n": n} for n in range(11, 41)]

    @reward
    def right(self, completion, n):
        return answer_text(completion) == self.solve({"n": n})

    def solve(self, row):
        return f"```python\ndef keep(xs):\n    wanted = [x for x in xs if x > {row['n']}]\n    return wanted\n```"


def test_the_start_of_code_is_no_form_around_an_answer():
    assert found(the_form_that_decides_is_asked_for, Filters) == []
    assert len(found(the_form_that_decides_is_asked_for, Sums)) == 1


def test_a_change_that_is_made_twice_is_no_second_look():
    assert found(one_more_look_is_no_failure, Transfers) == []
    assert len(found(one_more_look_is_no_failure, Boxes)) == 1


class Factors(SingleTurnEnv):
    """Products with a sign of their own between the factors, which the prompt may show."""

    shown = ""
    sign = " . "

    def build_dataset(self, tokenizer):
        text = "Write {} as a product of primes." + self.shown
        return [
            {"prompt": text.format(first * second), "gold": f"{first}{self.sign}{second}"}
            for first in (2, 3, 5) for second in (7, 11, 13, 17)
        ]  # fmt: skip

    @reward
    def right(self, completion, gold):
        return answer_text(completion) == gold

    def solve(self, row):
        return row["gold"]


class ShownSign(Factors):
    shown = " Such as 2 . 3 for 6."


class UsualSign(Factors):
    sign = " * "


def test_a_sign_between_items_that_decides_is_asked_for():
    (finding,) = found(the_form_that_decides_is_asked_for, Factors)
    assert (finding.severity, "A sign that no prompt shows" in finding.message) == ("warning", True)
    assert found(the_form_that_decides_is_asked_for, ShownSign) == []
    assert found(the_form_that_decides_is_asked_for, UsualSign) == []


class Dictation(MultiTurnEnv):
    """What is said while a user dictates does not matter; the label that is asked for at the end does."""

    max_turns = 4

    def build_dataset(self, tokenizer):
        said = "Say `noted` until I ask for the label. The shelf is {}."
        return [{"prompt": said.format(n), "talk": [f"The box is {2 * n}.", "The label?"]} for n in range(11, 31)]

    def setup(self, row):
        self.heard = 0

    def step(self, action):
        if self.heard < 2:
            self.heard += 1
            return self.row["talk"][self.heard - 1], 0.0, False, False, {}
        return "Thanks.", float(answer_text([action]) == self.solve(self.row)[-1]), True, False, {}

    def solve(self, row):
        shelf, box = row["prompt"].split()[-1], row["talk"][0].split()[-1]
        return ["noted", "noted", f"shelf {shelf} box {box}"]


def test_an_answer_that_is_given_early_too_is_no_act_that_pays_again():
    assert found(repeating_one_act_is_not_gold, Dictation) == []


def card(n, rng):
    return f"Ask with `ask: FIELD`. End with two lines FIELD: value. The pet is {n} and Bo.", f"age: {n}\nname: Bo"


def test_a_placeholder_that_looks_like_a_label_is_not_asked_for():
    assert found(the_form_that_is_asked_for_is_accepted, asking(card)) == []


def pages(n, rng):
    ids = [f"A{100 + 3 * n + place}" for place in range(3)]
    shown = f'Reply with a JSON array, such as ["A1", "A2"]. If nothing is wrong, reply []. Night {n} {" ".join(ids)}'
    return shown, f'["{ids[0]}"]' if n % 8 == 0 else f'["{ids[1]}", "{ids[2]}"]'


def test_what_stands_behind_the_sentence_of_an_example_is_not_revealed():
    assert found(the_answer_is_not_revealed, asking(pages)) == []


def one_liner(n, rng):
    return f"Write a lambda that returns the words over {n} letters in upper case.", (
        f"lambda s: [w.upper() for w in s.split() if len(w) > {n}]"
    )


def test_code_is_not_asked_for_in_capitals():
    assert found(forms_that_a_prompt_allows_are_accepted, asking(one_liner)) == []


class Bills(ToolEnv):
    """Amounts that prompts tell as euros and cents."""

    def build_dataset(self, tokenizer):
        cents = [(n + 200) * 100 + n for n in (3, 7, 40, 90, *range(11, 40))]
        return [{"prompt": f"Pay {n // 100} euros and {n % 100} cents.", "amount": str(n / 100)} for n in cents]

    def setup(self, row):
        self.paid = []

    @tool
    def pay(self, amount: str) -> str:
        """Pay.

        Args:
            amount: How much.
        """
        self.paid.append(amount)
        return "Done."

    @reward
    def right(self, amount):
        return self.paid == [amount]

    def solve(self, row):
        return [call_message("pay", amount=row["amount"]), "Paid."]


def test_an_amount_is_shown_by_its_euros_and_cents():
    assert found(what_gold_needs_is_shown, Bills) == []


def coins(n, rng):
    paid = sorted(rng.sample([1, 2, 5, 10, 20, 50], 3), reverse=True)
    return f"Pay {sum(paid)} with three coins. Give a JSON list.", str(paid)


def test_a_list_in_json_is_not_asked_for_inside_another_one():
    (finding,) = found(forms_that_a_prompt_allows_are_accepted, asking(coins))
    assert "code fence and as JSON with other spaces is refused" in finding.message  # and no list in a list


class Inbox(ToolEnv):
    """Each row has mails of its own; ids of other rows are no mails."""

    def build_dataset(self, tokenizer):
        mails = [[f"m{10 * n + place}" for place in range(4)] for n in range(20)]
        return [{"prompt": f"Delete {', '.join(ids[:2])} of {', '.join(ids)}.", "ids": ids} for ids in mails]

    def setup(self, row):
        self.deleted = set()

    @tool
    def delete(self, ids: list[str]) -> str:
        """Delete mails.

        Args:
            ids: Which ones.
        """
        self.deleted |= set(ids) & set(self.row["ids"])
        return "Done."

    @reward
    def right(self, ids):
        return self.deleted == set(ids[:2])

    def solve(self, row):
        return [call_message("delete", ids=row["ids"][:2]), "Done."]


def test_items_that_no_other_row_has_are_no_list_of_everything():
    assert found(values_that_say_nothing_are_not_gold, Inbox) == []


class Shared(Inbox):
    """The same three mails on all rows, and only what has to go is looked at."""

    def build_dataset(self, tokenizer):
        chosen = [["a", "b"], ["b", "c"], ["a", "c"]]
        return [{"prompt": f"Case {n}: delete {chosen[n % 3]}.", "ids": chosen[n % 3]} for n in range(20)]

    @reward
    def right(self, ids):
        return self.deleted >= set(ids)


def test_a_list_of_everything_that_rows_share_is_named():
    assert len(found(values_that_say_nothing_are_not_gold, Shared)) == 1


class Dice(ToolEnv):
    """The first entry ends the game; later calls are told so, and change nothing."""

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Game {n}: look, then enter what lies there.", "face": n % 2} for n in range(20)]

    def setup(self, row):
        self.entry = None

    @tool
    def look(self) -> str:
        """See the die."""
        return "The game is over." if self.entry is not None else str(self.row["face"])

    @tool
    def enter(self, face: int) -> str:
        """Enter a face.

        Args:
            face: What lies there.
        """
        if self.entry is not None:
            return "The game is over."
        self.entry = face
        return "Entered."

    @reward
    def right(self, face):
        return self.entry == face

    def solve(self, row):
        return [call_message("look"), call_message("enter", face=row["face"]), "Done."]


def test_a_game_that_was_won_before_it_is_over_is_not_lost():
    assert found(a_lost_game_is_over, Dice) == []


class Doors(ToolEnv):
    """Names that are drawn are nobody's, and have no doors; without a login nobody hears of any."""

    def build_dataset(self, tokenizer):
        return [{"prompt": f"The PIN is {n}. Open the lab to irene.", "pin": n} for n in range(20)]

    def setup(self, row):
        self.inside = False
        self.doors = {"irene": ["roof"]}

    @tool
    def login(self, pin: int) -> str:
        """Log in.

        Args:
            pin: Today's PIN.
        """
        self.inside = pin == self.row["pin"]
        return "You are in." if self.inside else "Wrong."

    @tool
    def doors_of(self, name: str) -> list[str] | str:
        """The doors of a person.

        Args:
            name: Who.
        """
        return self.doors.get(name, []) if self.inside else "Log in first."

    @tool
    def allow(self, name: str) -> str:
        """Open the lab to somebody.

        Args:
            name: To whom.
        """
        if not self.inside or name not in self.doors:
            return "Log in first."
        self.doors[name] = [*self.doors[name], "lab"]
        return "Noted."

    @reward
    def right(self):
        return self.doors["irene"] == ["roof", "lab"]

    def solve(self, row):
        return [call_message("login", pin=row["pin"]), call_message("allow", name="irene"), "Done."]


def test_a_tool_that_found_nothing_yet_is_not_said_to_ignore_its_parameter():
    assert found(every_parameter_matters, Doors) == []


class Moves(Inbox):
    """Any part of the id that the prompt tells is taken for it, an empty text too."""

    def build_dataset(self, tokenizer):
        days = ["Monday", "Tuesday", "Friday"]
        return [{"prompt": f"Move parcel P{n + 100} to {days[n % 3]}.", "day": days[n % 3]} for n in range(20)]

    @tool
    def delete(self, parcel: str, day: str) -> str:
        """Move a parcel.

        Args:
            parcel: Its id.
            day: To which day.
        """
        if parcel in self.row["prompt"]:
            self.deleted.add(day)
        return "Done."

    @reward
    def right(self, day):
        return self.deleted == {day}

    def solve(self, row):
        return [call_message("delete", parcel=row["prompt"].split()[2], day=row["day"]), "Done."]


def test_nothing_in_place_of_what_a_prompt_tells_is_a_warning():
    (finding,) = found(values_that_say_nothing_are_not_gold, Moves)
    assert (finding.severity, "an empty text as 'parcel'" in finding.message) == ("warning", True)
