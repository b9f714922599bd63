"""Words for no answer that gold ends with, after looking: an answer where the prompt offers them."""

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool
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
