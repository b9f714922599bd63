"""A negative number in a call, in place of an amount that has to be nearly right."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool
from grpo_env_sdk.checking.teaching.amounts.side_doors import absurd_numbers_are_not_gold
from grpo_env_sdk.checking.teaching.wrong_answers.negative_amounts import negative_amounts_in_answers_lose
from tests.checking.trying import found
from tests.gallery.broken.debts_are_close import Tanks


class TanksByDistance(Tanks):
    """Sound: the distance is compared with what is right."""

    def score_episode(self, model, tokenizer, completion, litres):
        calls = [call["function"] for message in completion for call in message.get("tool_calls") or []]
        given = calls[0]["arguments"].get("litres") if len(calls) == 1 else None
        return float(type(given) in (int, float) and abs(given - litres) <= 0.1 * litres)


class Ropes(ToolEnv):
    """The same where the tool runs, and the number is nearly right a little above and below."""

    max_turns = 3

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Loft {n}: cut about {40 + 9 * n} cm of rope.", "length": 40 + 9 * n} for n in range(12)]

    def setup(self, row):
        self.cut_off = 0

    @tool
    def cut(self, length: int) -> str:
        """Cut a rope.

        Args:
            length: How long it is in cm.
        """
        self.cut_off = length
        return "It is cut."

    @reward
    def is_close(self, length):
        return (
            self.cut_off != 0 and (length - self.cut_off) / self.measure(length) <= 0.1 and self.cut_off < length * 1.1
        )

    def measure(self, length):
        return self.cut_off

    def solve(self, row):
        return [call_message("cut", length=row["length"]), "Done."]


class RopesByLength(Ropes):
    """Sound: what was cut is compared with what is asked for."""

    def measure(self, length):
        return length


def test_a_negative_number_in_a_written_call_is_found():
    (finding,) = found(negative_amounts_in_answers_lose, Tanks, "default")
    assert "A call of report with litres=-1" in finding.message


def test_a_negative_number_in_a_call_that_runs_is_found():
    (finding,) = found(absurd_numbers_are_not_gold, Ropes, "default")
    assert "A call of cut with length=-" in finding.message


def test_written_numbers_that_are_compared_by_distance_are_sound():
    assert found(negative_amounts_in_answers_lose, TanksByDistance, "default") == []


def test_calls_that_run_and_are_compared_by_distance_are_sound():
    assert found(absurd_numbers_are_not_gold, RopesByLength, "default") == []
