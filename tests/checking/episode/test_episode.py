"""The episode checks find real mistakes, each with the turns that prove it."""

import os
import random
import re
import threading

import pytest

from grpo_env_sdk import MultiTurnEnv, ToolEnv, call_message, reward, tool
from grpo_env_sdk.checking.episode.endings import (
    an_episode_ends,
    closing_works,
    ends_are_reported_correctly,
    no_action_crashes,
    the_solution_fits_into_an_episode,
)
from grpo_env_sdk.checking.episode.resets import (
    a_reset_gives_the_same,
    an_episode_needs_no_dataset,
    no_state_is_left_after_a_reset,
    the_same_seed_gives_the_same_episode,
)
from grpo_env_sdk.checking.episode.surroundings import an_episode_leaves_the_process_alone
from grpo_env_sdk.checking.episode.transcripts import (
    a_replay_scores_the_same,
    gymnasium_check_env_passes,
    observations_are_plain_json,
    observations_stay_small,
)
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.runner.worker import found_by
from grpo_env_sdk.checking.score.parallel import parallel_episodes_are_safe
from tests.checking.trying import subject_of
from tests.environments import ALL

CHECKS = [
    a_reset_gives_the_same, the_same_seed_gives_the_same_episode, no_state_is_left_after_a_reset,
    parallel_episodes_are_safe, an_episode_needs_no_dataset, an_episode_ends,
    an_episode_leaves_the_process_alone, the_solution_fits_into_an_episode, ends_are_reported_correctly,
    no_action_crashes, closing_works, a_replay_scores_the_same, observations_are_plain_json,
    observations_stay_small, gymnasium_check_env_passes,
]  # fmt: skip


class Steps(MultiTurnEnv):
    """Sound: say the words one after another."""

    max_turns = 6
    reward_range = (0.0, 1.0)

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Spell {word}, a letter a turn.", "word": word} for word in ("sun", "moon", "tree", "owl")]

    def setup(self, row):
        self.said = ""

    def step(self, action):
        self.said += action["content"].strip()[:1]
        done = self.said == self.row["word"]
        return f"So far: {self.said}", float(done), done, False, {}

    def solve(self, row):
        return list(row["word"])


class RandomOpening(Steps):
    """Greets by chance."""

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed, options=options)
        return random.choice(["Hello.", "Good day.", "Welcome."]), {}


class RandomAnswer(Steps):
    """Its third answer is drawn by chance."""

    def step(self, action):
        observation, *rest = super().step(action)
        return f"{observation} {random.random()}" if self.turns == 3 else observation, *rest


class Keeps(Steps):
    """Sets its state once, in the constructor."""

    def __init__(self):
        self.said = ""

    def setup(self, row):
        pass


class OnTheClass(Steps):
    """Keeps the letters on the class; each reset empties them, so one episode alone goes well."""

    letters: list = []  # noqa: RUF012  # the mistake

    def setup(self, row):
        OnTheClass.letters.clear()

    def step(self, action):
        OnTheClass.letters.append(action["content"].strip()[:1])
        done = "".join(OnTheClass.letters) == self.row["word"]
        return "Noted.", float(done), done, False, {}


class Seeds(Steps):
    """Seeds the generator that everybody shares."""

    def setup(self, row):
        super().setup(row)
        random.seed(len(row["word"]))


class Moves(Steps):
    """Changes an environment variable."""

    def setup(self, row):
        super().setup(row)
        os.environ["GRPO_ENV_TRIED"] = "1"


class TooShort(Steps):
    """Has no room for words of four letters."""

    max_turns = 3


class GoesOn(Steps):
    """Is never over."""

    def step(self, action):
        observation, value, *_ = super().step(action)
        return observation, value, False, False, {}


class Truncates(Steps):
    """Tells a solved task as one that was cut off."""

    def step(self, action):
        observation, value, done, *_ = super().step(action)
        return observation, value, False, done, {}


class PaidForTurns(Steps):
    """Pays for turns too, so that others than gold reach the top before the turns are over; gold ends as it should."""

    def step(self, action):
        observation, _, done, *_ = super().step(action)
        return observation, 1.0 if done else 0.25, done, self.turns >= 5, {}


class ThirdTurn(Steps):
    """Takes what is said in the third turn for a letter, and raises where it is empty."""

    def step(self, action):
        if self.turns == 3:
            action["content"].strip()[0]
        return super().step(action)


class ClosesOnce(Steps):
    """Puts away what is gone already."""

    def setup(self, row):
        super().setup(row)
        self.board = [row["word"]]

    def close(self):
        self.board.pop()


class NewTickets(ToolEnv):
    """Draws an id that a transcript names, and nobody can draw again."""

    drawn = 0

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Buy ticket {n} and say its id.", "n": n} for n in range(5)]

    @tool
    def buy(self) -> str:
        """Buy a ticket."""
        NewTickets.drawn += 1
        self.ticket = f"T{self.row['n']}"
        return self.ticket

    @reward
    def named(self, messages, episode):
        return float(messages[-1]["content"] == getattr(self, "ticket", None)) * (0.5 if len(messages) > 4 else 1.0)

    def solve(self, row):
        return [call_message("buy"), f"T{row['n']}"]


class NeedsDataset(Steps):
    """Keeps what it needs when the dataset is built."""

    longest = 0

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        self.longest = max(len(row["word"]) for row in rows)
        return rows

    def step(self, action):
        observation, *rest = super().step(action)
        return f"{observation}, of {self.longest} at most", *rest


class Endless(Steps):
    """Waits for ever for the right word."""

    max_turns = 10**6


class Patient(Steps):
    """Waits as long as an environment may."""

    max_turns = 200


class Number(Steps):
    """Shows a number for a text."""

    def step(self, action):
        _, *rest = super().step(action)
        return [{"role": "user", "content": len(self.said)}], *rest


class Log(Steps):
    """Shows everything again, each time."""

    def step(self, action):
        observation, *rest = super().step(action)
        self.log = f"{getattr(self, 'log', '')}\n{observation}" + "-" * 1000
        return self.log, *rest


class Page(Steps):
    """Shows a whole page at once."""

    def step(self, action):
        _, *rest = super().step(action)
        return "a word " * 5_000, *rest


@pytest.mark.parametrize(("check", "cls", "told"), [
    (a_reset_gives_the_same, RandomOpening, "reset with the same row and seed returned another observation"),
    (the_same_seed_gives_the_same_episode, RandomAnswer, r"on row \d, played twice, gave a different message \d"),
    (no_state_is_left_after_a_reset, Keeps, r"After an episode of row \d and a reset, step 1 differs"),
    (parallel_episodes_are_safe, OnTheClass, r"Row \d scored 0.0 instead of 1.0 .*test_episode.py:\d+"),
    (an_episode_leaves_the_process_alone, Seeds, r"seeds the global random state of Python \(random\)"),
    (an_episode_leaves_the_process_alone, Moves, "Episodes change the environment variables"),
    (the_solution_fits_into_an_episode, TooShort, r"cut off after 3 turns \(max_turns\), incomplete"),
    (the_solution_fits_into_an_episode, GoesOn, r"continued for \d more turns"),
    (ends_are_reported_correctly, Truncates, r"solved in turn \d of 6 ends as truncated"),
    (no_action_crashes, ThirdTurn, r"step raised IndexError: .*test_episode.py:\d+\), in turn 3"),
    (an_episode_needs_no_dataset, NeedsDataset, "On an instance whose build_dataset ran, step 1 differs"),
    (an_episode_ends, Endless, "had not ended after 200 turns"),
    (closing_works, ClosesOnce, "close before a reset raised AttributeError"),
    (observations_are_plain_json, Number, "An observation has a content of type int"),
    (observations_stay_small, Log, "Each observation repeats the ones before it"),
    (observations_stay_small, Page, "One observation has 35,000 characters"),
])  # fmt: skip
def test_a_mistake_is_found_and_told(check, cls, told, monkeypatch):
    monkeypatch.delenv("GRPO_ENV_TRIED", raising=False)
    findings = [item for item in tried(check, subject_of(cls, "quick")) if isinstance(item, Finding)]
    assert len(findings) == 1
    assert re.search(told, findings[0].message), findings[0].message
    assert findings[0].hint
    assert findings[0].row is not None


def test_two_hundred_turns_are_an_end_too():
    assert list(tried(an_episode_ends, subject_of(Patient, "quick"))) == []


@pytest.mark.parametrize("cls", [*ALL, Steps, NewTickets], ids=lambda cls: cls.__name__)
def test_a_sound_environment_is_left_alone(cls):
    subject = subject_of(cls, "quick")
    for check in CHECKS:
        assert [item for item in tried(check, subject) if isinstance(item, Finding)] == [], check.id


def test_an_end_without_solving_is_right_however_much_was_paid():
    items = tried(ends_are_reported_correctly, subject_of(PaidForTurns, "quick"))
    assert not [item for item in items if "solved" in getattr(item, "message", "")]


def test_how_much_is_shown_is_told_turn_by_turn():
    (table,) = tried(observations_stay_small, subject_of(Steps, "quick"))
    assert table.title == "Characters of observations, by turn"
    assert len(table.rows) > 3


def test_gold_that_was_played_leaves_no_thread_behind():
    before = set(threading.enumerate())
    assert list(tried(the_solution_fits_into_an_episode, subject_of(Steps, "quick"))) == []
    for thread in set(threading.enumerate()) - before:
        thread.join(10)
        assert not thread.is_alive(), thread.name


def tried(check, subject):
    """What a check finds in some three seconds."""
    _ = subject.rows
    subject.begin(check.id, 3.0)
    return list(found_by(check, subject))
