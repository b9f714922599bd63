"""Games whose acts only the words of their prompts name: chance without a seed, and steps that are done and undone."""

import random

import pytest

from grpo_env_sdk import MultiTurnEnv, reward
from grpo_env_sdk.checking.episode.resets import the_same_seed_gives_the_same_episode
from grpo_env_sdk.checking.evidence.stand_ins.likely_acts import alternatives_of
from grpo_env_sdk.checking.evidence.tool_use.acts import some_golds
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.score.repeats import a_score_is_the_same_again
from grpo_env_sdk.checking.teaching.amounts.farming import what_was_undone_does_not_pay_again
from grpo_env_sdk.checking.teaching.games.beside_gold import acts_beside_gold_do_not_pay
from grpo_env_sdk.checking.teaching.games.to_and_fro import to_and_fro
from tests.checking.trying import found, subject_of


class Coins(MultiTurnEnv):
    """A coin falls each turn as a generator says that is not seeded; without gold.

    So many throws are never the same twice.
    """

    max_turns = 32
    throws = 30
    reward_range = (0, 1)
    asked = "Coin {}, which falls as it was thrown before. Will it be heads or tails? 30 throws; write the word."
    words = ("heads", "tails")

    def build_dataset(self, tokenizer):
        return [{"prompt": self.asked.format(number), "number": number} for number in range(12)]

    def setup(self, row):
        self.thrown = 0
        self.chance = random

    def step(self, action):
        said = action["content"].strip().lower()
        if said not in self.words:
            return f"Write {self.words[0]} or {self.words[1]}.", 0.0, False, False, {}
        self.thrown += 1
        fallen = self.chance.choice(self.words)
        return f"It was {fallen}.", (fallen == said) / self.throws, self.thrown == self.throws, False, {}


class CoinsOfARow(Coins):
    """The same, seeded by the row."""

    def setup(self, row):
        super().setup(row)
        self.chance = random.Random(row["number"])


class CoinsOfAnEpisode(Coins):
    """The same, drawn as the seed of the episode says."""

    def setup(self, row):
        super().setup(row)
        self.chance = random.Random(int(self.np_random.integers(10**6)))


class Letters(Coins):
    """The acts are in a sentence that lists nothing."""

    asked = "Coin {}. Say H if it falls on its head. Say T if it does not. 30 throws."
    words = ("h", "t")


class LettersOfARow(Letters):
    """The same, seeded by the row."""

    setup = CoinsOfARow.setup


@pytest.mark.parametrize("cls", [Coins, Letters])
def test_words_of_a_prompt_are_tried_where_chance_has_no_seed(cls):
    (one,) = found(the_same_seed_gives_the_same_episode, cls)
    assert isinstance(one, Finding)
    assert "played twice" in one.message
    assert found(a_score_is_the_same_again, cls)


@pytest.mark.parametrize("cls", [CoinsOfARow, CoinsOfAnEpisode, LettersOfARow])
def test_chance_with_a_seed_is_let_be(cls):
    assert not found(the_same_seed_gives_the_same_episode, cls)
    assert not found(a_score_is_the_same_again, cls)


@pytest.mark.parametrize(
    ("prompt", "words"),
    [
        ("Write one word: left, right or stay.", [["left", "right", "stay"]]),
        ("Say `hit`, or 'stand'.", [["hit", "stand"]]),
        ("Schreibe rot oder blau. Punkte: 1, 2 oder 3.", [["rot", "blau"], ["1", "2", "3"]]),
        ("There is one door and no choice.", []),
    ],
)
def test_the_words_between_which_a_prompt_leaves_the_choice(prompt, words):
    assert alternatives_of(prompt) == words


class Lift(MultiTurnEnv):
    """Each floor towards the goal pays, also the same one again."""

    max_turns = 16
    reward_range = (0, 1)
    back = 0.0

    def build_dataset(self, tokenizer):
        asked = "A lift is at floor {}, and someone waits at floor {}. Write up, down or open, one a turn."
        rows = [(start, goal) for start in range(1, 9) for goal in range(1, 9) if abs(start - goal) > 2]
        return [{"prompt": asked.format(*row), "start": row[0], "goal": row[1]} for row in rows]

    def setup(self, row):
        self.floor, self.earned = row["start"], 0.0

    def step(self, action):
        said = action["content"].strip()
        left = abs(self.floor - self.row["goal"])
        self.floor = min(9, max(0, self.floor + {"up": 1, "down": -1}.get(said, 0)))
        nearer = left - abs(self.floor - self.row["goal"])
        opened = said == "open" and not left
        pay = 1 - self.earned if opened else self.paid(nearer)
        self.earned += pay
        return f"Floor {self.floor}.", pay, opened, False, {}

    def paid(self, nearer):
        return min(0.125 * nearer, 1 - self.earned) if nearer > 0 else self.back * nearer

    def solve(self, row):
        way = row["goal"] - row["start"]
        return [*["up" if way > 0 else "down"] * abs(way), "open"]


class LiftThatTakesBack(Lift):
    """A floor away costs what a floor towards the goal pays."""

    back = 0.125


class LiftThatPaysOnce(Lift):
    """Only what is nearer than ever before pays."""

    def setup(self, row):
        super().setup(row)
        self.nearest = abs(row["start"] - row["goal"])

    def paid(self, nearer):
        left = abs(self.floor - self.row["goal"])
        closer, self.nearest = max(0, self.nearest - left), min(left, self.nearest)
        return 0.1 * closer


def test_going_to_and_fro_with_words_that_only_the_prompt_names_is_found():
    (one,) = found(what_was_undone_does_not_pay_again, Lift)
    assert isinstance(one, Finding)
    assert one.severity == "error"
    assert "again and again" in one.message


@pytest.mark.parametrize("cls", [LiftThatTakesBack, LiftThatPaysOnce])
def test_steps_that_cancel_out_or_pay_once_are_let_be(cls):
    assert not found(what_was_undone_does_not_pay_again, cls)


class LiftWithALog(Lift):
    """The same, with a log that tells all its states apart."""

    def setup(self, row):
        super().setup(row)
        self.way = []

    def step(self, action):
        self.way.append(action["content"])
        return super().step(action)


class LiftScoredAtTheEnd(Lift):
    """The same, with all that was paid in the score, and none of it in a step."""

    def step(self, action):
        said, _, over, cut, info = super().step(action)
        return said, 0.0, over, cut, info

    @reward
    def earned_in_all(self):
        return self.earned


class Digger(MultiTurnEnv):
    """Each spade of earth pays, whatever is done between."""

    max_turns = 16
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        asked = "Dig a hole of {} spades in garden {}, then stop. Write dig, rest or stop."
        return [{"prompt": asked.format(depth, n), "depth": depth} for n in range(4) for depth in (3, 4, 5)]

    def setup(self, row):
        self.dug = 0

    def step(self, action):
        said = action["content"].strip()
        self.dug += said == "dig"
        pay = 1 / self.row["depth"] if said == "dig" and self.dug <= self.row["depth"] else 0.0
        return f"{self.dug} spades.", pay, said == "stop", False, {}

    def solve(self, row):
        return ["dig"] * row["depth"] + ["stop"]


@pytest.mark.parametrize("cls", [LiftWithALog, LiftScoredAtTheEnd])
def test_steps_by_turns_with_what_undoes_them_are_played_as_ordinary_episodes(cls):
    assert not found(what_was_undone_does_not_pay_again, LiftWithALog)
    (one,) = found(acts_beside_gold_do_not_pay, cls)
    assert isinstance(one, Finding)
    assert "by turns, without the end of gold" in one.message


@pytest.mark.parametrize("cls", [LiftThatTakesBack, LiftThatPaysOnce])
def test_steps_by_turns_that_earn_nothing_more_are_let_be(cls):
    assert not found(acts_beside_gold_do_not_pay, cls)


def test_steps_that_pay_whatever_is_done_between_are_no_steps_to_and_fro():
    subject = subject_of(Digger)
    assert not list(to_and_fro(subject, some_golds(subject), ""))
    assert list(to_and_fro(subject_of(Lift), some_golds(subject_of(Lift)), ""))
