"""Environments that read well and whose rewards teach nothing, to see that a training tells."""

import random

from grpo_env_hotel import HotelEnv
from grpo_env_hotel.gold import best_hotel
from grpo_env_sdk import MultiTurnEnv, SingleTurnEnv, answer_text, reward
from tests.gallery.sound.partial_credit import SortWords
from tests.gallery.sound.reading import Reading

WORTH = [0.0]


class ConstantFloor(Reading):
    """A default that hides every verdict."""

    @reward
    def right(self, completion, answer):
        return max(0.5, 0.5 * (answer_text(completion) == answer))


class CoinFlips(Reading):
    """A judge that nobody asked twice."""

    @reward
    def right(self, completion, answer):
        return float(random.random() < 0.5)


class UpsideDown(Reading):
    """A distance that was meant to be a reward."""

    @reward
    def right(self, completion, answer):
        return float(answer_text(completion) != answer)


class ReadsTheFirstWord(Reading):
    """A parser that splits too much: all answers begin with the same word."""

    @reward
    def right(self, completion, answer):
        return answer_text(completion).split()[:1] == answer.split()[:1]


class ReadsAnotherForm(Reading):
    """A parser of a form that neither the prompt nor gold has."""

    @reward
    def right(self, completion, answer):
        return answer_text(completion).partition("####")[2].strip() == answer


class AllOrNothing(SortWords):
    """Nothing for a list that is nearly sorted."""

    def score_episode(self, model, tokenizer, completion, answer):
        return float(completion.lower().split() == answer)


class HalfForTrying(Reading):
    """Half of the reward for any answer."""

    @reward
    def right(self, completion, answer):
        return 0.5 + 0.5 * (answer_text(completion) == answer)


class MisreadByTheJudge(Reading):
    """A judge that takes right for wrong on every fifth row."""

    def build_dataset(self, tokenizer):
        return [{**row, "misread": n % 5 == 0} for n, row in enumerate(super().build_dataset(tokenizer))]

    @reward
    def right(self, completion, answer, misread):
        return float((answer_text(completion) == answer) != misread)


class OtherRows(Reading):
    """Answers that were sorted apart from their prompts."""

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        answers = [row["answer"] for row in rows]
        random.Random(1).shuffle(answers)
        return [{**row, "wanted": answer} for row, answer in zip(rows, answers, strict=True)]

    @reward
    def right(self, completion, wanted):
        return answer_text(completion) == wanted


class NeverMet(Reading):
    """The line break of a file that was never stripped from the answers."""

    @reward
    def right(self, completion, answer):
        return answer_text(completion).strip() == f"{answer}\n"


class OneTooLate(Reading):
    """Every answer is paid what the one before it was worth."""

    def __init__(self):
        self.worth = [0.0]

    @reward
    def right(self, completion, answer):
        self.worth.append(float(answer_text(completion) == answer))
        return self.worth.pop(0)


class OneBookingTooLate(HotelEnv):
    """The same, in several turns with tools."""

    constraints_met = best_choice = nights_right = answer_names_booking = efficiency = None

    @reward
    def booked(self):
        best = best_hotel(self.desk.world, self.request)
        WORTH.append(float([one.hotel for one in self.desk.bookings] == [best]))
        return WORTH.pop(0)


class HiddenCode(SingleTurnEnv):
    """What the answer depends on stands nowhere."""

    def build_dataset(self, tokenizer):
        rng = random.Random(0)
        return [{"prompt": f"What is the code of box {n}?", "answer": str(rng.randint(1, 8))} for n in range(400)]

    @reward
    def right(self, completion, answer):
        return completion == answer

    def solve(self, row):
        return row["answer"]


class SecretAtEveryReset(MultiTurnEnv):
    """A number that is drawn anew, whatever the row says; who solves it knows the row's."""

    max_turns = 1
    reward_range = (0.0, 1.0)

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Case {n}: heads or tails?", "side": ("heads", "tails")[n % 2]} for n in range(300)]

    def step(self, action):
        right = action["content"] == random.choice(("heads", "tails"))
        return "So it is." if right else "No.", float(right), True, False, {}

    def solve(self, row):
        return row["side"]
