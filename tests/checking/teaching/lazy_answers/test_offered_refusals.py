"""Words for no answer that gold ends with, after looking: an answer where the prompt offers them."""

from grpo_env_sdk import SingleTurnEnv, ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.teaching.lazy_answers.idling import idling_is_not_gold as idling
from tests.checking.trying import found

TOWNS = ["Delft", "Siena", "Bruges", "Toledo", None]


class Births(ToolEnv):
    """Sound: cards that do not always say a town."""

    offer = "Answer with the town, or 'Unknown' if the card does not say it."

    def build_dataset(self, tokenizer):
        rows = [(f"Painter {n}", TOWNS[n % 5]) for n in range(30)]
        return [{"prompt": f"Where was {name} born? {self.offer}", "name": name, "town": town} for name, town in rows]

    @tool
    def card(self, name: str) -> str:
        """Read the card of a painter.

        Args:
            name: The name.
        """
        return f"Born in {self.row['town']}." if self.row["town"] else "Born in a village."

    @reward
    def right(self, completion, town):
        return answer_text(completion).strip().casefold() == (town or "unknown").casefold()

    def solve(self, row):
        return [call_message("card", name=row["name"]), row["town"] or "unknown"]


class NotOffered(Births):
    """No prompt says what to answer where the card is silent."""

    offer = "Answer with the town."


class PaidEverywhere(Births):
    """The offered word is paid on all rows."""

    @reward
    def right(self, completion, town):
        return answer_text(completion).strip().casefold() in ("unknown", str(town).casefold())


def test_an_offered_word_is_an_answer_where_gold_ends_with_it():
    assert found(idling, Births, "default") == []


def test_it_is_no_answer_where_the_prompt_does_not_offer_it():
    (finding,) = found(idling, NotOffered, "default")
    assert "'unknown' scores 1" in finding.message


def test_an_offered_word_that_is_paid_beside_gold_is_an_error():
    (finding,) = found(idling, PaidEverywhere, "default")
    assert "'unknown' scores 1, as much as gold" in finding.message


class Dice(SingleTurnEnv):
    """Sound: on some rows nothing can be won, as they say."""

    reward_range = (-1, 1)

    def build_dataset(self, tokenizer):
        told = (
            "The next throw of die {} is {}. Bet on 'more' than 3 or on 'less', or say 'none' at 3. A lost bet costs 1."
        )
        return [
            {"prompt": told.format(n, thrown), "thrown": thrown, "best_possible": float(thrown != 3)}
            for n in range(30)
            for thrown in [n % 6 + 1]
        ]

    @reward(range=(-1, 1))
    def won(self, completion, thrown):
        said = answer_text(completion).strip()
        if thrown == 3 or said not in ("more", "less"):
            return -1.0 if said in ("more", "less") else 0.0
        return 1.0 if (said == "more") == (thrown > 3) else -1.0

    def solve(self, row):
        return "none" if row["thrown"] == 3 else "more" if row["thrown"] > 3 else "less"


def test_rows_on_which_nothing_can_be_won_are_left_out():
    assert found(idling, Dice, "default") == []


class Vowels(SingleTurnEnv):
    """Sound: on some rows the right answer is an empty text, which is what remains of a thought alone."""

    def build_dataset(self, tokenizer):
        words = ("rhythm", "sky", "table", "dry", "house", "lynx", "ocean", "myth", "apple", "fly")
        asked = "Write the letters a, e, i, o and u of {!r} in their order, or nothing if it has none."
        return [
            {"prompt": asked.format(word), "vowels": "".join(one for one in word if one in "aeiou")} for word in words
        ]

    @reward
    def right(self, completion, vowels):
        return answer_text(completion).strip() == vowels

    def solve(self, row):
        return row["vowels"]


def test_a_thought_alone_says_the_right_answer_where_that_is_empty():
    assert found(idling, Vowels, "default") == []


def test_they_are_not_where_they_do_not_say_so():
    class Silent(Dice):
        def build_dataset(self, tokenizer):
            return [{**row, "best_possible": None} for row in super().build_dataset(tokenizer)]

    assert [one.check for one in found(idling, Silent, "default")] == ["G503"]
