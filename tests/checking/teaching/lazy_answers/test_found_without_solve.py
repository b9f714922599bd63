"""Faults of environments that have no `solve`: gold is worked out, or read off the scorer's patterns."""

import ast
import json
import random
import re
from datetime import date, timedelta

import pytest

from grpo_env_sdk.checking.contract.second_opinion import gold_is_what_the_prompt_asks_for
from grpo_env_sdk.checking.evidence.gold.gold_source import gold_source
from grpo_env_sdk.checking.evidence.gold.pattern_frames import frames_of
from grpo_env_sdk.checking.evidence.prompts.target_games import TargetGame, game_in, solution_of
from grpo_env_sdk.checking.score.repeats import a_score_is_the_same_on_another_instance
from grpo_env_sdk.checking.teaching.games.out_of_reach import targets_can_be_reached
from grpo_env_sdk.checking.teaching.graders_of_code.code_graders import code_has_to_work
from grpo_env_sdk.checking.teaching.lazy_answers.filled_alike import numbers_of_a_form_have_to_be_right
from grpo_env_sdk.checking.teaching.lazy_answers.guessing import no_fixed_answer_is_gold
from grpo_env_sdk.checking.teaching.reaching import answers_make_a_difference
from tests.checking.trying import found, subject_of


def scored(rows, score):
    """An environment of these rows, whose score is `score(completion, row)`; it has no `solve`."""

    class Scored:
        def build_dataset(self, tokenizer):
            return [dict(row, number=n) for n, row in enumerate(rows)]

        def score_episode(self, model, tokenizer, completion, number):
            return float(score(completion.strip(), rows[number]))

    return Scored


@pytest.mark.parametrize(("pattern", "frame"), [
    (r"KW\s*(\d{1,2})\W*$", "KW \0"), (r"Total: (\d+) mm\.?", "Total: \0 mm"), (r"<out>(.*?)</out>", "<out>\0</out>"),
    (r"(?:Answer|Result)\s*=\s*(-?\d+)\b", "Answer = \0"),
])  # fmt: skip
def test_a_pattern_shows_the_form_that_it_reads(pattern, frame):
    assert [one.strip() for one in frames_of([pattern])] == [frame]


@pytest.mark.parametrize("pattern", [r"\s*(\d+)\.?\s*", r"\d+", r"(.*)", "(", r"^Verdict: (PASS|FAIL)"])
def test_a_pattern_of_the_whole_answer_shows_no_form(pattern):
    assert frames_of([pattern]) == []


def marked(n, rng):
    a, b = rng.randint(40, 99), rng.randint(11, 39)
    return {"prompt": f"Tom was asked for {a} {'+-x'[n % 3]} {b} and wrote {a}. End with what is right.",
            "right": (a + b, a - b, a * b)[n % 3], "answer": str(a)}  # fmt: skip


def test_gold_is_worked_out_where_no_column_holds_it():
    rows = [marked(n, random.Random(n)) for n in range(30)]
    env = scored(rows, lambda said, row: re.fullmatch(r"Result: (-?\d+)", said) and said[8:] == str(row["right"]))
    assert gold_source(subject_of(env)) == "the value of an expression, worked out, written 'Result: {}'"
    assert found(answers_make_a_difference, env) == []


def test_what_is_worked_out_is_no_gold_where_the_scorer_wants_something_else():
    rows = [marked(n, random.Random(n)) for n in range(30)]
    assert gold_source(subject_of(scored(rows, lambda said, row: said == str(row["right"] + 1)))) is None


def test_a_column_that_the_scorer_never_reads_is_not_what_it_refuses():
    rows = [{"prompt": f"Riddle {n}?", "answer": "decoy"} for n in range(20)]
    assert not [
        item for item in found(answers_make_a_difference, scored(rows, lambda said, row: 0)) if hasattr(item, "row")
    ]


def test_verdicts_kept_by_the_answer_alone_are_found():
    rows = [{"prompt": f"What is {n + 3} * {2 * n + 5}?", "right": (n + 3) * (2 * n + 5)} for n in range(24)]

    class Kept(scored(rows, None)):
        def __init__(self):
            self.kept = {}

        def score_episode(self, model, tokenizer, completion, number):
            said = completion.strip()
            if said.isdecimal() and said not in self.kept:
                self.kept[said] = float(said == str(rows[number]["right"]))
            return self.kept.get(said, 0.0)

    (finding,) = found(a_score_is_the_same_on_another_instance, Kept)
    assert "in reverse order" in finding.message


REPORT = "Candidate: {said}\nVerdict: {verdict}"


def judged(read):
    rows = [{"prompt": f"Which word is meant by riddle {n}?", "right": f"word{n * n}"} for n in range(24)]

    def score(said, row):
        return read(REPORT.format(said=said, verdict="accepted" if said == row["right"] else "rejected"))

    return scored(rows, score)


@pytest.mark.parametrize("read", [
    lambda report: re.search(r"^Verdict: (accepted|rejected)", report, re.MULTILINE)[1] == "accepted",
    lambda report: re.search(r"^Verdict: (rejected|accepted)", report, re.MULTILINE)[1] == "accepted",
    lambda report: report.split("\nVerdict:")[1].strip().startswith("accepted"),
])  # fmt: skip
def test_verdicts_in_the_words_of_the_report_are_tried(read):
    (finding,) = [item for item in found(no_fixed_answer_is_gold, judged(read)) if hasattr(item, "severity")]
    assert finding.severity == "error"
    assert "accepted" in str(finding.input)


def test_a_verdict_that_is_the_answer_is_let_be():
    rows = [
        {"prompt": f"Is statement {n} right? End with 'Verdict: '.", "right": "no" if n % 2 else "yes"}
        for n in range(40)
    ]

    def score(said, row):
        found = re.search(r"Verdict:\s*(\w+)$", said)
        return bool(found) and found[1].lower() == row["right"]

    findings = [item for item in found(no_fixed_answer_is_gold, scored(rows, score)) if hasattr(item, "severity")]
    assert not [one for one in findings if one.severity == "error"]


def test_a_report_of_which_the_last_verdict_counts_is_let_be():
    env = judged(lambda report: re.findall(r"^Verdict: (\w+)", report, re.MULTILINE)[-1] == "accepted")
    assert [item for item in found(no_fixed_answer_is_gold, env) if hasattr(item, "severity")] == []


def graded(check, called="{}(x)"):
    prompt = f"Write a Python function {called} that returns x times {{}}. Answer with the code alone."
    rows = [{"prompt": prompt.format("scale", n), "by": n} for n in range(2, 14)]

    def score(said, row):
        space = {}
        code = re.search(r"```(?:python)?\n(.*?)```", said, re.DOTALL)
        try:
            exec(code[1] if code else said, {"__builtins__": {"__build_class__": __build_class__, "int": int,
                 "str": str, "list": list, "dict": dict, "__name__": "x", "abs": abs}}, space)  # fmt: skip
            return all(check(space["scale"](x), x * row["by"]) for x in (1, 5, 12))
        except Exception:
            return 0

    return scored(rows, score)


@pytest.mark.parametrize(("check", "trick", "called"), [
    (lambda given, wanted: given == wanted, "equals everything", "{}(x)"),
    (lambda given, wanted: given == wanted, "equals everything", "`{}`"),
    (lambda given, wanted: isinstance(given, int) and given == wanted, "subclass of int", "{}(x)"),
])  # fmt: skip
def test_graders_of_code_are_tried_without_gold(check, trick, called):
    (finding,) = found(code_has_to_work, graded(check, called))
    assert trick in finding.message


def test_a_grader_that_compares_types_is_let_be():
    assert found(code_has_to_work, graded(lambda given, wanted: type(given) is int and given == wanted)) == []


def numbers_game(n, solvable):
    rng = random.Random(n)
    while True:
        numbers, target = tuple(rng.randint(1, 12) for _ in range(4)), rng.randint(30, 99)
        if not solvable or solution_of(TargetGame(numbers, target, True)):
            shown = ", ".join(map(str, numbers))
            prompt = f"Numbers: {shown}. Target: {target}. Use each number exactly once. Give the expression."
            return {"prompt": prompt, "numbers": sorted(numbers), "target": target}


def evaluated(said, row):
    if not re.fullmatch(r"[-+*/() \d]{1,60}", said):
        return 0
    try:
        value = eval(compile(ast.parse(said, mode="eval"), "", "eval"), {})
    except (SyntaxError, ArithmeticError, TypeError):
        return 0
    return sorted(map(int, re.findall(r"\d+", said))) == row["numbers"] and abs(value - row["target"]) < 1e-9


def test_targets_that_no_expression_reaches_are_named():
    (finding,) = found(
        targets_can_be_reached, scored([numbers_game(n, False) for n in range(40)], evaluated), "default"
    )
    assert "No expression reaches the target" in finding.message


def test_targets_that_can_be_reached_are_let_be():
    assert found(targets_can_be_reached, scored([numbers_game(n, True) for n in range(40)], evaluated), "default") == []


@pytest.mark.parametrize(("prompt", "uses_all"), [
    ("Using the numbers [19, 36, 55, 7], create an equation that equals 65. Each number can only be used once.", False),
    ("Use 3 3 8 8 to make 24. Use all of them.", True),
])  # fmt: skip
def test_games_are_read_off_prompts(prompt, uses_all):
    game = game_in(prompt)
    assert game is not None
    assert game.uses_all is uses_all
    assert solution_of(game)


@pytest.mark.parametrize("prompt", [
    "Numbers: 1, 2, 3, 4. Target: 24. If it is impossible, say so.",
    "Numbers: 1, 2, 3, 4. Target: 24. You may use ** as well.",
    "Sort 3, 2, 1, 5.",
])  # fmt: skip
def test_other_games_are_left_alone(prompt):
    assert game_in(prompt) is None


def slips(compare):
    rows = []
    for n in range(20):
        items = random.Random(n).sample(["lamp", "rug", "stool", "clock"], 2)
        prompt = (
            f"Order: {n + 2} x {items[0]} at 4.50, {n + 1} x {items[1]} at 2.00.\nWrite one JSON object: "
            '{"lines": [{"item": ..., "quantity": ..., "amount": ...}, ...], "total": ...}'
        )
        amounts = [4.5 * (n + 2), 2.0 * (n + 1)]
        rows.append({"prompt": prompt, "items": items, "amounts": amounts})

    class Slips:
        def build_dataset(self, tokenizer):
            return rows

        def score_episode(self, model, tokenizer, completion, items, amounts):
            try:
                said = json.loads(completion)
                right = [line["item"] for line in said["lines"]] == items
                return float(right and compare([line["amount"] for line in said["lines"]], said["total"], amounts))
            except (ValueError, KeyError, TypeError):
                return 0.0

    return Slips


def test_a_form_with_zeros_everywhere_does_not_pass():
    (finding,) = found(numbers_of_a_form_have_to_be_right, slips(lambda own, total, amounts: sum(own) == total))
    assert "0 in place of every number" in finding.message


def test_a_form_that_is_compared_with_the_row_is_let_be():
    sound = slips(lambda own, total, amounts: own == amounts and sum(own) == total)
    assert found(numbers_of_a_form_have_to_be_right, sound) == []


def week(form, ask):
    days = [date(2019, 2, 3) + timedelta(days=37 * n) for n in range(40)]
    rows = [{"prompt": f"{ask} {day.day}. März {day.year}?".replace("März", _MONTHS[day.month - 1])} for day in days]
    for row, day in zip(rows, days, strict=True):
        row["week"] = int(day.strftime(form))

    class Weeks:
        def build_dataset(self, tokenizer):
            return rows

        def score_episode(self, model, tokenizer, completion, week):
            said = re.search(r"KW\s*(\d+)\W*$", completion)
            return float(bool(said) and int(said[1]) == week)

    return Weeks


_MONTHS = [
    *("Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November"),
    "Dezember",
]


def test_another_count_of_weeks_than_the_prompt_names_is_gold_that_is_wrong():
    (finding,) = found(gold_is_what_the_prompt_asks_for, week("%W", "Welche Kalenderwoche nach ISO 8601 hat der"))
    assert "number of the week (ISO 8601)" in finding.message


@pytest.mark.parametrize(("form", "ask"), [
    ("%V", "Welche Kalenderwoche nach ISO 8601 hat der"), ("%W", "Counting from the first Monday, which week is the"),
])  # fmt: skip
def test_weeks_as_they_are_asked_for_are_let_be(form, ask):
    assert found(gold_is_what_the_prompt_asks_for, week(form, ask)) == []
