"""What checks are given, and what becomes of what they say or raise."""

import asyncio
import time

import pytest

from grpo_env_sdk.checking import Finding, Undecided, check
from grpo_env_sdk.checking.evidence.golds import UNSTEADY, episodes_seen, play_answers
from grpo_env_sdk.checking.evidence.playing.failures import FailedHereError
from grpo_env_sdk.checking.evidence.subject import Settings, Subject
from grpo_env_sdk.checking.runner.worker import Order, found_by, work
from grpo_env_sdk.types import EnvSpec
from tests.checking.trying import found, subject_of
from tests.environments import Countdown, Guess, Phonebook, PlainWithTools


class Fussy:
    def build_dataset(self, tokenizer):
        return [{"prompt": f"Say {i}.", "reference": str(i)} for i in range(30)]

    async def score_episode(self, model, tokenizer, completion, reference):
        await asyncio.sleep(0)
        if completion == "hang":
            await asyncio.sleep(60)
        if not completion.isascii():
            raise ValueError("no ascii")
        return float(completion == f"<answer>{reference}</answer>")


class NeedsModel(Countdown):
    uses_model = True


@check("S991", needs=("gold",))
def wants_gold(subject):
    """It wants gold."""
    yield Finding(f"Gold is worth {subject.gold(0).reward:g}, by {subject.gold_source}.")


@check("S992", kinds=("multi-turn",), needs=("solve",))
def wants_turns(subject):
    """It wants turns."""
    yield Finding("It ran.")


@check("S993")
def trips(subject):
    """It meets an error of the environment."""
    yield Finding("First.")
    subject.score(2, "é")


@check("S995")
def never_stops(subject):
    """It finds and finds."""
    while True:
        yield Finding("Again.")


def test_gold_comes_from_a_column_where_there_is_no_solve():
    (finding,) = found(wants_gold, Fussy)
    assert finding.message == "Gold is worth 1, by the column 'reference', written '<answer>{}</answer>'."
    assert (finding.check, finding.severity) == ("S991", "error")


@pytest.mark.parametrize("cls", [Countdown, Guess, Phonebook, PlainWithTools])
def test_gold_comes_from_solve_where_there_is_one(cls):
    assert found(wants_gold, cls)[0].message == "Gold is worth 1, by solve."


def test_a_check_for_another_kind_is_passed_over():
    assert found(wants_turns, Countdown) == []
    assert found(wants_turns, Guess)[0].message == "It ran."


def test_what_a_check_needs_and_is_not_there_is_undecided():
    class Bare(Fussy):
        def build_dataset(self, tokenizer):
            return [{"prompt": "Say anything.", "reference": "none"}]

        async def score_episode(self, model, tokenizer, completion, reference):
            return 0.5

    (gap,) = found(wants_gold, Bare)
    assert gap.why == "There is no gold answer."
    assert "solve(row)" in gap.would_help


def test_a_scorer_that_needs_the_model_is_undecided():
    (gap,) = found(trips, NeedsModel)
    assert isinstance(gap, Undecided)
    assert "live model" in gap.why


def test_an_error_of_the_environment_is_a_finding_with_its_place():
    first, failed = found(trips, Fussy)
    assert first.message == "First."
    assert "Scoring raised ValueError: no ascii (tests/checking/evidence/test_working.py:" in failed.message
    assert (failed.row, failed.input, failed.severity) == (2, "é", "error")
    assert failed.cause.startswith("ValueError (tests/checking/evidence/test_working.py:")


def test_a_check_that_finds_without_end_is_stopped():
    assert len(found(never_stops, Fussy)) == 5


def test_after_an_answer_that_hangs_no_other_is_begun():
    subject = subject_of(Fussy, call_seconds=2.0)
    episodes = subject.answers([(row, "hang") for row in range(30)])
    assert {episode.stop_reason for episode in episodes} == {"timeout"}
    assert len(episodes) <= 8
    with pytest.raises(FailedHereError, match="hangs"):
        subject.score(0, "hang")


def test_rows_are_chosen_equally_for_every_check():
    subject = subject_of(Countdown)
    assert subject.chosen == subject_of(Countdown).chosen
    assert subject.chosen[0] == 0
    assert len(subject.sample(5)) == 5
    assert subject_of(Countdown, seed=1).sample(5) != subject.sample(5)


def test_time_that_is_up_leaves_the_rest_undone():
    subject = subject_of(Countdown)
    subject.begin("S999", 0.0)
    assert subject.time_left == 0
    assert len(subject.play_many([0, 1, 2], "random")) == 1


def test_what_one_check_made_the_next_ones_share():
    subject = subject_of(Phonebook)
    assert subject.gold(3) is subject.gold(3)
    made = []
    assert [subject.once("key", lambda: made.append(1) or len(made)) for _ in range(2)] == [1, 1]


def test_transcripts_are_played_again_turn_by_turn():
    subject = subject_of(Phonebook)
    gold = subject.gold(4)
    again = subject.answer(4, gold.completion)
    assert (again.reward, again.messages) == (gold.reward, gold.messages)


def test_an_author_s_own_function_is_called_under_a_deadline():
    subject = subject_of(Countdown, call_seconds=2.0)
    assert subject.call("solve", subject.loaded.env.solve, subject.row(0)) == "2 1"
    with pytest.raises(FailedHereError, match="did not come back within 2 s"):
        subject.call("sleep", time.sleep, 30)
    with pytest.raises(FailedHereError, match="exit raised SystemExit: 3"):
        subject.call("exit", exit, 3)


def test_an_order_is_done_as_events():
    order = Order(EnvSpec("c", "tests.environments:Countdown"), subject_of(Countdown).settings, ("C101", "C102"))
    assert Order.from_json(order.as_json()) == order
    events = []
    work(order, events.append, Countdown)
    assert [event["event"] for event in events if event["event"] != "at"] == [
        "imported", "started", "ended", "started", "ended", "facts",
    ]  # fmt: skip
    assert events[-1]["rows"] == 19


def test_config_that_the_class_does_not_take_is_refused():
    events = []
    spec = EnvSpec("c", "tests.environments:Countdown", config={"longets": 3})
    work(Order(spec, subject_of(Countdown).settings, ("C101",)), events.append, Countdown)
    assert events[-1]["event"] == "refused"
    assert "Did you mean 'longest'?" in events[-1]["hint"]


def test_found_by_marks_what_a_check_left_open():
    subject = subject_of(Countdown)
    assert [item.check for item in found_by(never_stops, subject)] == ["S995"] * 5


def test_no_check_takes_more_rows_than_were_asked_for():
    spec = EnvSpec("fussy", "tests.checking.evidence.test_working:Fussy")
    few = Subject(spec, Settings(rows=2), create=Fussy)
    assert few.chosen == few.sample(20)
    assert len(few.chosen) == 2
    assert len(subject_of(Fussy).sample(20)) == 20


class Counting(Fussy):
    scored = 0

    async def score_episode(self, model, tokenizer, completion, reference):
        type(self).scored += 1
        return float(completion == reference)


SAME_TWICE = [(0, "0"), (1, "0"), (0, "0"), (0, "1")]


def test_an_answer_that_several_checks_give_to_a_row_is_played_once_and_seen_each_time():
    class Once(Counting):
        """Counts for itself."""

    subject = subject_of(Once)
    before = len(episodes_seen(subject))
    Once.scored = 0
    rewards = [[episode.reward for episode in play_answers(subject, SAME_TWICE)] for _ in range(2)]
    assert rewards == [[1.0, 0.0, 1.0, 0.0]] * 2
    assert Once.scored == 3
    assert len(episodes_seen(subject)) == before + 8


def test_where_scores_change_each_answer_is_played_again():
    class Again(Counting):
        """Counts for itself."""

    subject = subject_of(Again)
    subject.once(UNSTEADY, lambda: ["found before"])
    episodes_seen(subject)
    Again.scored = 0
    assert len(play_answers(subject, SAME_TWICE)) == 4
    assert Again.scored == 4
