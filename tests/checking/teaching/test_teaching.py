"""The checks of teaching find what pays without the work, with the answer that proves it, and let sound tasks be."""

import random
import re

import pytest

from grpo_env_sdk import call_message
from grpo_env_sdk.checking.evidence.attempts.attempts import Result, results, varied
from grpo_env_sdk.checking.evidence.attempts.corruption import Corruption, pieces_of
from grpo_env_sdk.checking.evidence.attempts.guesses import JUDGED, Guess, form_of
from grpo_env_sdk.checking.evidence.gold.gold_source import gold_source
from grpo_env_sdk.checking.findings.finding import Finding, Undecided
from grpo_env_sdk.checking.runner.worker import found_by
from grpo_env_sdk.checking.teaching.lazy_answers.copying import copying_is_not_gold, the_answer_is_not_revealed
from grpo_env_sdk.checking.teaching.lazy_answers.guessing import no_fixed_answer_is_gold
from grpo_env_sdk.checking.teaching.lazy_answers.idling import (
    acting_at_random_is_not_gold,
    idling_is_not_gold,
    outcome,
    paid_most,
)
from grpo_env_sdk.checking.teaching.lazy_answers.parts import (
    every_part_can_be_earned_and_lost,
    length_alone_does_not_decide,
)
from grpo_env_sdk.checking.teaching.reaching import answers_make_a_difference, gold_reaches_the_top
from grpo_env_sdk.checking.teaching.wrong_answers.near_misses import near_misses_score_less
from grpo_env_sdk.checking.teaching.wrong_answers.partial_credit import partial_credit_grows_towards_gold
from grpo_env_sdk.evaluation.stats import Share
from grpo_env_sdk.report.exhibits import Plot, Table
from tests.checking.environments.teaching_envs import (
    AnyWords,
    BrevityOutweighs,
    Careless,
    Constant,
    Extraction,
    GoldOfAnotherType,
    Leaks,
    Longer,
    MoreIsLess,
    NobodyKnows,
    PaysAnyText,
    PaysAnyTextALittle,
    PaysBeginnings,
    PaysGivingUp,
    PaysNumbers,
    PaysSilenceInPart,
    PaysSilenceSometimes,
    PaysTags,
    PaysTheSecondWord,
    PaysWhatIsContained,
    Questions,
    Refuses,
    Sums,
    TwoParts,
    WrongGold,
)
from tests.checking.trying import found, subject_of
from tests.environments import ALL

CHECKS = [
    gold_reaches_the_top, answers_make_a_difference, idling_is_not_gold, acting_at_random_is_not_gold,
    no_fixed_answer_is_gold, copying_is_not_gold, the_answer_is_not_revealed, near_misses_score_less,
    partial_credit_grows_towards_gold, every_part_can_be_earned_and_lost, length_alone_does_not_decide,
]  # fmt: skip


def findings(check, cls, effort="quick", **known):
    """What it finds with little effort; a test that counts rows, or lets chance prove nothing, takes more."""
    return [item for item in found(check, cls, effort, **known) if isinstance(item, Finding)]


def of_all_checks(cls):
    """What they find one after another, with what they know of the class in common, as in the command."""
    subject = subject_of(cls, "quick")
    return [item for check in CHECKS for item in found_by(check, subject) if isinstance(item, Finding)]


def one(check, cls, **known):
    items = findings(check, cls, **known)
    assert len(items) == 1, items
    return items[0]


@pytest.mark.parametrize("cls", [Sums, Questions, Extraction], ids=lambda cls: cls.__name__)
def test_sound_tasks_are_left_alone(cls):
    assert of_all_checks(cls) == []


@pytest.mark.parametrize("cls", [*ALL, Refuses], ids=lambda cls: cls.__name__)
def test_odd_but_sound_tasks_have_no_error(cls):
    assert [item for item in of_all_checks(cls) if item.severity == "error"] == []


def test_gold_that_is_wrong_in_some_rows_is_told_with_the_worst():
    finding = one(gold_reaches_the_top, WrongGold, effort="default")
    assert re.match(
        r"On \d+ of 100 rows the gold answer \(from solve\) scores less than the 1 of other", finding.message
    )
    assert finding.message.endswith(f": 0 in row {finding.row}, no more than an empty answer.")
    assert finding.severity == "error"


def test_a_constant_score_is_an_error():
    assert re.match(
        r"All \d+ answers on 100 rows score 0.5", one(answers_make_a_difference, Constant, effort="default").message
    )


def test_a_column_of_another_type_is_suspected_where_no_answer_scores():
    finding = one(answers_make_a_difference, GoldOfAnotherType)
    assert "including the text of the column 'answer': '" in finding.message
    assert "(int)" in finding.message
    assert finding.severity == "warning"
    assert isinstance(found(gold_reaches_the_top, GoldOfAnotherType)[0], Undecided)


def test_an_empty_column_of_answers_is_no_answer_that_fails():
    (item,) = found(answers_make_a_difference, NobodyKnows)
    assert isinstance(item, Undecided)


def test_an_empty_column_of_answers_is_no_gold_even_where_words_earn_a_little():
    assert gold_source(subject_of(PaysAnyTextALittle)) is None


def test_pay_for_any_text_is_proven_by_an_idle_answer():
    finding = one(idling_is_not_gold, PaysAnyText, effort="default")
    assert finding.message.startswith(
        "A full stop scores 1, as much as gold, on 30 of 30 rows (95% interval 89% to 100%)."
    )
    assert (finding.severity, finding.input, finding.expected) == ("error", ".", "less than 1")


def test_the_turn_that_was_paid_is_named_where_there_are_several():
    for check in (idling_is_not_gold, acting_at_random_is_not_gold, no_fixed_answer_is_gold):
        message = one(check, PaysTheSecondWord).message
        assert re.search(r" Turn 2 is what was paid \(1\): .", message), message


@pytest.mark.parametrize(("paid", "severity"), [(0.3, None), (0.45, "warning"), (0.65, "warning"), (0.75, "error")])
def test_silence_that_earns_a_part_of_gold_is_found_from_four_tenths(paid, severity):
    found_here = findings(idling_is_not_gold, PaysSilenceInPart, paid=paid)
    assert [item.severity for item in found_here] == ([severity] if severity else [])
    assert all(f"An empty answer earns {paid:.0%} of what gold earns" in item.message for item in found_here)


def test_an_idle_answer_that_time_allowed_on_one_row_alone_does_not_hide_one_that_was_tried_on_many():
    class PaysWordsMore(PaysSilenceInPart):
        def score_episode(self, model, tokenizer, completion, answer):
            return 0.9 if "well" in completion else super().score_episode(model, tokenizer, completion, answer)

    subject = subject_of(PaysWordsMore)
    rows = subject.rows.indices
    tried = [outcome(subject, "An empty answer", "", rows), outcome(subject, "Words", "well", rows[:1])]
    finding = paid_most(subject, tried)
    assert finding is not None
    assert "An empty answer earns 75%" in finding.message


@pytest.mark.parametrize(("cls", "severity"), [(PaysSilenceInPart, "error"), (PaysGivingUp, "warning")])
def test_giving_up_that_earns_most_of_gold_is_an_error_where_no_right_answer_gives_up(cls, severity):
    finding = one(idling_is_not_gold, cls, idle="I don't know.")
    assert (finding.severity, finding.input) == (severity, "I don't know.")


def test_form_that_outweighs_a_task_of_its_own_name_is_an_error():
    finding = one(idling_is_not_gold, BrevityOutweighs)
    assert ("earns 64% of what gold earns" in finding.message, finding.severity) == (True, "error")


def test_a_wrong_answer_that_earns_the_same_on_every_row_is_paid_for_its_form():
    finding = one(no_fixed_answer_is_gold, PaysNumbers)
    assert ("earns 75% of what gold earns" in finding.message, finding.severity) == (True, "error")


def test_form_that_earns_more_than_silence_is_found_beside_it():
    finding = one(no_fixed_answer_is_gold, PaysTags)
    assert ("earns 60% of what gold earns" in finding.message, finding.severity) == (True, "warning")
    assert "<answer></answer>" in finding.input


def test_a_kind_of_guess_is_not_crowded_out_by_variants_of_another():
    listed = [Result(Guess("a list", f"{n}"), won=[None], episodes=[None]) for n in range(20)]
    others = [Result(Guess(name, name, name == "one")) for name in ("numbers", "one")]
    kept = [result.guess.name for result in varied([*listed, *others], 4)]
    assert kept == ["one", "a list", "numbers", "a list"]


def test_one_row_in_which_anything_pays_is_a_warning_with_that_row():
    finding = one(idling_is_not_gold, PaysSilenceSometimes)
    assert (finding.row, finding.severity) == (57, "warning")


def test_refusing_where_nothing_else_pays_is_at_most_a_warning():
    assert [item.severity for item in findings(idling_is_not_gold, Refuses)] in ([], ["warning"])


@pytest.mark.parametrize("cls", [PaysWhatIsContained, AnyWords])
def test_a_list_of_all_answers_is_fitted_on_one_half_and_proven_on_the_other(cls):
    *tables, finding = found(no_fixed_answer_is_gold, cls)
    assert isinstance(tables[0], Table)
    assert tables[0].note.startswith("Chosen on ")
    assert finding.severity == "error"
    assert re.search(r"scores as much as gold on .* that it was not chosen on", finding.message)


def test_one_answer_that_is_right_on_most_rows_is_an_error_of_the_rows():
    class TooMuchAlike(Questions):
        def build_dataset(self, tokenizer):
            answers = ["yes" if number % 8 else "no" for number in range(240)]
            return [{"prompt": f"Is {number} fine?", "answer": answer} for number, answer in enumerate(answers)]

    finding = one(no_fixed_answer_is_gold, TooMuchAlike)
    assert finding.severity == "error"
    assert "balance them" in finding.hint


def test_a_half_of_yes_and_a_half_of_no_prove_nothing_with_other_seeds():
    assert [findings(no_fixed_answer_is_gold, Questions, "default", seed=seed) for seed in range(1, 4)] == [[]] * 3


def test_gold_with_a_verdict_below_it_is_as_right_as_gold_alone():
    class Tagged(Questions):
        def score_episode(self, model, tokenizer, completion, answer):
            return float(answer in completion.splitlines())

    quoted = Guess(JUDGED, "yes\nScore: 10/10")
    (result,) = results(subject_of(Tagged, "default"), [quoted], range(20))
    assert result.won
    assert result.undeserved == []


def test_the_answer_of_another_row_may_not_pay():
    assert one(copying_is_not_gold, PaysAnyText).severity == "error"


@pytest.mark.parametrize("names", [("Ada", "Emmy", "Mary", "Grace"), ("Ada", "Emmy", "Mary")])
def test_the_answer_of_another_row_may_be_right_where_right_answers_take_turns(names):
    class InTurns:
        def build_dataset(self, tokenizer):
            return [{"prompt": f"Who is {names[n % len(names)][0]}? ({n})", "n": n} for n in range(24)]

        def score_episode(self, model, tokenizer, completion, n):
            return float(completion.startswith(names[n % len(names)]))

        def solve(self, row):
            return f"{names[row['n'] % len(names)]}, for question {row['n']}"

    assert findings(copying_is_not_gold, InTurns) == []


def test_an_answer_that_the_prompt_gives_away_is_quoted():
    finding = one(the_answer_is_not_revealed, Leaks, effort="default")
    assert "The prompt reveals the answer on 100 of 100 rows" in finding.message
    assert finding.output in finding.input


@pytest.mark.parametrize("between", [", ", ". "])
def test_a_list_of_choices_that_has_the_word_label_in_it_tells_nothing(between):
    class Longest(Sums):
        def build_dataset(self, tokenizer):
            words = ["label", "gold", "was", "target", *(f"w{'x' * n}" for n in range(5, 25))]
            lists = [[words[n % 4], words[n % 20 + 4], words[n % 3 + 1]] for n in range(40)]
            return [{"prompt": f"The longest of: {between.join(few)}?", "answer": max(few, key=len)} for few in lists]

    assert findings(the_answer_is_not_revealed, Longest) == []


def test_the_result_of_one_of_several_examples_may_be_right_by_chance():
    class WithExamples(Sums):
        def build_dataset(self, tokenizer):
            shown = [f"Example 1: 1 + 1 = 2. Example 2: 1 + {n} = {107 if n == 7 else 1 + n}." for n in range(30)]
            return [{"prompt": f"{text} 100 + {n} = ?", "answer": str(100 + n)} for n, text in enumerate(shown)]

    assert findings(the_answer_is_not_revealed, WithExamples) == []


def test_a_tool_that_tells_the_answer_to_a_wrong_try_is_found():
    assert "The tool check, called with random arguments, reveals" in one(the_answer_is_not_revealed, Careless).message


def test_random_calls_that_win_are_an_error():
    assert "Random actions score as much as gold on" in one(acting_at_random_is_not_gold, Careless).message


def test_near_misses_are_a_table_and_wrong_ones_that_pay_are_errors_beside_a_column_of_gold():
    table, *rest = found(near_misses_score_less, PaysBeginnings, "default")
    assert isinstance(table, Table)
    assert {row[0]: row[2] for row in table.rows}["with a unit"] == "30 of 30"
    assert rest[0].severity == "error"
    assert "with the last digit off by one still earns full reward" in rest[0].message


def test_credit_that_grows_with_mistakes_is_found():
    plot, finding = found(partial_credit_grows_towards_gold, MoreIsLess)
    assert isinstance(plot, Plot)
    assert len(plot.lines["corrupted gold"]) == 5
    assert re.search(r"An answer that is \d+% wrong scores more than an answer that is \d+% wrong", finding.message)


def test_parts_that_nothing_earns_and_that_everything_earns_are_named():
    table, *rest = found(every_part_can_be_earned_and_lost, TwoParts)
    assert [row[0] for row in table.rows] == ["right", "cited", "polite"]
    assert ["'cited' was 0" in rest[0].message, "'polite' was 1" in rest[1].message] == [True, True]


def test_a_score_that_follows_the_length_is_told_for_the_whole_and_for_the_part():
    whole, part = findings(length_alone_does_not_decide, Longer, effort="default")
    assert (whole.severity, part.severity) == ("warning", "info")
    assert "The reward 'as_long' depends only on the length" in part.message


def test_a_share_of_few_rows_is_not_sure():
    assert (Share(4, 4).low < 0.55, Share(50, 50).low > 0.9, Share(0, 0).low, Share(0, 0).high) == (
        True,
        True,
        0.0,
        1.0,
    )
    assert str(Share(9, 10)) == "9 of 10 rows (95% interval 60% to 98%)"


@pytest.mark.parametrize(("texts", "form"), [
    (["Booked H12.", "Booked H7."], ("Booked ", ".")),
    (["<answer>1</answer>", "<answer>23</answer>"], ("<answer>", "</answer>")),
    (["yes", "no"], ("", "")),
    (["one"], ("", "")),
    (["20:15 Uhr", "9:15 Uhr"], ("", " Uhr")),
    (["on 2024-05-01", "on 2024-06-02"], ("on ", "")),
])  # fmt: skip
def test_the_form_is_what_all_answers_begin_and_end_with(texts, form):
    assert form_of(texts) == form


def test_spoiling_exchanges_what_is_the_rows_own_and_keeps_the_rest():
    courses = [[call_message("book", hotel=f"H{n}", nights=2), {"role": "assistant", "content": f"Booked H{n}."}]
               for n in range(5)]  # fmt: skip
    corruption = Corruption(courses)
    assert [piece.value for piece in pieces_of(courses[0])] == ["H0", 2, "Booked", "H0"]
    own = corruption.pieces(courses[0])
    assert [piece.value for piece in own] == ["H0", "H0"]
    corrupted = corruption.corrupted(courses[0], own, random.Random(0))
    assert corrupted[0]["tool_calls"][0]["function"]["arguments"]["hotel"] in {"H1", "H2", "H3", "H4"}
    assert re.fullmatch(r"Booked H[1-4]\.", corrupted[1]["content"])
    assert courses[0][1]["content"] == "Booked H0."


class Raises(Sums):
    def score_episode(self, model, tokenizer, completion, answer):
        raise TypeError("string indices must be integers")


@pytest.mark.parametrize("check", [answers_make_a_difference, no_fixed_answer_is_gold])
def test_where_all_scores_fail_the_errors_come_first_and_no_other_work_is_asked_for(check):
    [undecided] = found(check, Raises)
    assert isinstance(undecided, Undecided)
    assert undecided.would_help == "Fix the errors above first."
