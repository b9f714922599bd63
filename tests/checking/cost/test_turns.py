"""Answers of several turns are readable in messages, evidence and reports."""

from grpo_env_sdk import call_message
from grpo_env_sdk.checking.cost.times import nothing_takes_long
from grpo_env_sdk.checking.findings.finding import MOST_CHARS, Finding, evidence
from grpo_env_sdk.checking.findings.report import Report
from grpo_env_sdk.checking.findings.transcript_text import is_transcript, turns_text
from grpo_env_sdk.checking.reports.html import html_page
from grpo_env_sdk.checking.reports.terminal import finding_lines
from grpo_env_sdk.checking.teaching.lazy_answers.guessing import no_fixed_answer_is_gold
from grpo_env_sdk.checking.teaching.reaching import gold_reaches_the_top
from tests.checking.environments.teaching_envs import Careless, PaysAnyText
from tests.checking.trying import found

BOOKED = [
    call_message("book", hotel="H12", nights=2),
    {"role": "tool", "content": "done"},
    {"role": "assistant", "content": "Booked."},
]


def test_turns_are_told_one_after_another_without_what_others_said():
    assert turns_text(BOOKED) == 'book(hotel="H12", nights=2), then "Booked."'


def test_a_turn_that_says_something_and_calls_is_told_as_both():
    assert turns_text([{**BOOKED[0], "content": "Wait."}]) == '"Wait." and book(hotel="H12", nights=2)'


def test_a_turn_that_is_said_again_and_again_is_told_once():
    assert turns_text(["74"] * 5 + ["75"]) == '"74" 5 times, then "75"'


def test_silence_is_told():
    assert (turns_text([]), turns_text([""])) == ("nothing", '""')


def test_only_messages_are_a_transcript():
    assert [is_transcript(value) for value in (BOOKED, [], ["74"], "74", [{"a": 1}])] == [True, *[False] * 4]


def test_a_long_transcript_is_evidence_in_words_and_not_in_broken_json():
    assert evidence(BOOKED) == BOOKED
    long = [call_message("book", hotel=f"H{number}") for number in range(100)]
    assert evidence(long).startswith('book(hotel="H0"), then book(hotel="H1"), then ')
    assert evidence(long).endswith(" characters)")
    assert len(evidence(long)) < MOST_CHARS + 30


def test_reports_show_turns_in_words():
    finding = Finding("Too easy.", input=BOOKED, output=" ", severity="error", check="G505")
    lines = list(finding_lines(finding))
    assert '    input     book(hotel="H12", nights=2), then "Booked."' in lines
    assert '    output    " "' in lines
    report = Report("hotel-v1", [finding])
    assert "book(hotel=&quot;H12&quot;, nights=2), then &quot;Booked.&quot;" in html_page([report])


def test_a_fixed_course_that_wins_is_told_in_words_with_what_pays_for_it():
    finding = next(item for item in found(no_fixed_answer_is_gold, Careless) if isinstance(item, Finding))
    assert ": check(value=" in finding.message
    assert finding.message.endswith(" Rewards that it earns: 'called'.")
    assert finding.output == {"reward": 1.0, "called": 1.0}


class RaisesInAThird(PaysAnyText):
    def score_episode(self, model, tokenizer, completion, answer):
        if int(answer) % 3 == 0:
            raise LookupError("no such answer")
        return float(completion == answer)


def test_gold_that_cannot_be_scored_is_told_with_the_count_of_its_rows():
    (finding,) = found(gold_reaches_the_top, RaisesInAThird, "default")
    failing = sum(int(row["answer"]) % 3 == 0 for row in RaisesInAThird().build_dataset(None))
    assert finding.message.startswith("Scoring raised LookupError: no such answer (tests/checking/cost/test_turns.py:")
    assert finding.message.endswith(f" This happens with the gold answer of {failing} of 100 rows.")
    assert finding.severity == "error"


def test_episodes_that_all_fail_are_no_matter_of_time():
    class Fails(PaysAnyText):
        def score_episode(self, model, tokenizer, completion, answer):
            raise LookupError("always")

    (finding,) = found(nothing_takes_long, Fails)
    assert finding.cause.startswith("LookupError (tests/checking/cost/test_turns.py:")


def test_a_score_without_named_rewards_pays_without_a_name():
    finding = next(item for item in found(no_fixed_answer_is_gold, PaysAnyText) if isinstance(item, Finding))
    assert "Rewards that it earns" not in finding.message
    assert finding.output == 1.0
