"""Where there is no `solve`, gold is looked for in the columns, written as prompts ask for it."""

import json
import re

import pytest

from grpo_env_sdk import MultiTurnEnv, SingleTurnEnv, ToolEnv, answer_text, reward, tool
from grpo_env_sdk.checking.check import all_checks
from grpo_env_sdk.checking.evidence.attempts.first_episodes import gold_facts
from grpo_env_sdk.checking.evidence.gold.gold_source import gold_source
from grpo_env_sdk.checking.teaching.lazy_answers.guessing import no_fixed_answer_is_gold
from grpo_env_sdk.checking.teaching.wrong_answers.structured_gold import every_item_of_gold_counts
from tests.checking.trying import found, subject_of


def asked(end, value, pattern):
    """An environment whose answer is behind words that only its prompts name; it has no `solve`."""

    class Asked:
        def build_dataset(self, tokenizer):
            return [{"prompt": f"Question {n}. {end}", "wanted": value(n)} for n in range(24)]

        def score_episode(self, model, tokenizer, completion, wanted):
            given = re.search(pattern, completion.strip())
            joined = "".join(map(str, wanted)) if isinstance(wanted, list) else str(wanted)
            return float(bool(given) and re.sub(r"[ >,]", "", given[1]) == joined)

    return Asked


def letters(n):
    return "".join(sorted("ABCDE", key=lambda letter: (ord(letter) * (n + 3)) % 7))


@pytest.mark.parametrize(("end", "value", "pattern", "written"), [
    ("End with a line `Remainder: <number>`.", lambda n: 31 * n + 5, r"^Remainder: (\d+)$", "Remainder: {}"),
    ("Finish with a line of the form\nAngle: <number>", lambda n: 7 * n + 11, r"^Angle: (\d+)$", "Angle: {}"),
    ("The last line is `Summe: 12.40`, for instance.", lambda n: 7 * n + 11, r"^Summe: (\d+)$", "Summe: {}"),
    ("End with `Order: ` and five letters.", letters, r"^Order: (\w( \w){4})$", "Order: {} {}"),
    ("Rank them like `best > next`.", lambda n: [f"a{n}", f"b{3 * n}", "c"], r"^(\w+( > \w+){2})$", "{} > {}"),
])  # fmt: skip
def test_a_value_is_written_as_the_prompt_asks(end, value, pattern, written):
    assert gold_source(subject_of(asked(end, value, pattern))) == f"the column 'wanted', written {written!r}"


def test_as_many_items_of_a_list_as_the_prompt_asks_for_are_gold():
    class Rivers(asked("Name three, separated by commas.", lambda n: [f"a{n}", f"b{n}", f"c{n}", f"d{n}"], "")):
        def score_episode(self, model, tokenizer, completion, wanted):
            said = completion.split(", ")
            return float(len(said) == 3 and len(set(said)) == 3 and set(said) <= set(wanted))

    assert str(gold_source(subject_of(Rivers))).startswith("the first 3 of the column 'wanted'")


def test_of_several_accepted_answers_the_first_is_gold():
    class Named(asked("Name it.", lambda n: [f"a{n}", f"b{n}"] if n % 9 == 8 else [f"a{n}"], "")):
        def score_episode(self, model, tokenizer, completion, wanted):
            return float(completion in wanted)

    assert str(gold_source(subject_of(Named))).startswith("the first item of the column 'wanted'")


def test_what_happened_is_no_gold_for_a_chance():
    env = asked("How likely is it? End with `Chance: <0 to 1>`.", lambda n: n * n % 3 % 2, r"^Chance: (\d)$")
    assert gold_source(subject_of(env)) is None


class Directory(ToolEnv):
    """Tools that tell what the column `answer` has; there is no `solve`."""

    max_turns = 3

    def build_dataset(self, tokenizer):
        return [{"prompt": f"What is the number of desk {n}?", "desk": n, "answer": str(7 * n + 3)} for n in range(12)]

    def setup(self, row):
        self.asked = []

    @tool
    def look_up(self, desk: int) -> str:
        """Look up the number of a desk.

        Args:
            desk: The desk.
        """
        self.asked.append(desk)
        return str(7 * desk + 3)

    @reward
    def right(self, completion, answer):
        return answer_text(completion).strip() == answer


class AskedFor(Directory):
    @reward
    def right(self, completion, answer, desk):
        return 0.5 * (answer_text(completion).strip() == answer) + 0.5 * (desk in self.asked)


class SomeAsked(Directory):
    @reward
    def right(self, completion, answer, desk):
        return answer_text(completion).strip() == answer and (desk % 2 == 0 or desk in self.asked)


class Unpaid(Directory):
    @reward
    def right(self, answer):
        return 0.0


class UnpaidActs(Directory):
    @reward
    def right(self, desk):
        return 0.0


class InTurns(MultiTurnEnv):
    def build_dataset(self, tokenizer):
        return [{"prompt": f"Go {n} steps.", "answer": "step " * n} for n in range(12)]

    def step(self, action):
        return "Go on."

    @reward
    def right(self, answer):
        return 0.0


def test_with_tools_a_column_is_gold_where_its_text_needs_no_call():
    assert gold_source(subject_of(Directory)) == "the column 'answer'"


class FirstIsMissing(Directory):
    def build_dataset(self, tokenizer):
        return [{**row, "answer": row["answer"] if row["desk"] else None} for row in super().build_dataset(tokenizer)]


def test_a_column_that_is_none_in_a_row_is_named_as_that():
    (gap,) = found(all_checks()["G501"], FirstIsMissing)
    assert "the column 'answer' is None in row 0" in gap.why


@pytest.mark.parametrize("env", [AskedFor, SomeAsked])
def test_with_tools_a_column_is_no_gold_where_calls_earn_a_part(env):
    (gap,) = found(all_checks()["G501"], env)
    assert "the column 'answer'" in gap.why
    assert "solve(row)" in gap.would_help
    assert "column" not in gap.would_help


def test_in_several_turns_no_column_is_asked_for():
    (gap,) = found(all_checks()["G501"], InTurns)
    assert "column" not in gap.would_help


@pytest.mark.parametrize(("env", "column"), [(Unpaid, "answer"), (UnpaidActs, None), (AskedFor, None), (InTurns, None)])
def test_where_nothing_scored_the_column_that_should_have_is_named_with_tools_too(env, column):
    subject = subject_of(env)
    list(all_checks()["G502"](subject))
    assert gold_facts(subject)["unscored_column"] == column


class Forms(SingleTurnEnv):
    """Ten fields, of which a note gives two or three; the score is the share that is right."""

    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"Note: field {n % 10} is {n + 3}, field {(n + 4) % 10} is {5 * n + 1}. Fill in f0 to f9.",
                "form": json.dumps(
                    {f"f{k}": n + 3 if k == n % 10 else 5 * n + 1 if k == (n + 4) % 10 else None for k in range(10)}
                ),
            }
            for n in range(40)
        ]

    @reward
    def share(self, completion, form):
        wanted = json.loads(form)
        try:
            given = json.loads(answer_text(completion))
        except ValueError:
            return 0.0
        right = isinstance(given, dict) and given.keys() == wanted.keys()
        return sum(given[key] == wanted[key] for key in wanted) / 10 if right else 0.0


class Defaults(Forms):
    """The same, where a field that the note does not give has its default."""

    def build_dataset(self, tokenizer):
        return [row | {"form": row["form"].replace("null", '"standard"')} for row in super().build_dataset(tokenizer)]


def test_a_form_left_empty_that_is_mostly_right_is_an_error():
    (finding,) = [one for one in found(no_fixed_answer_is_gold, Forms) if hasattr(one, "severity")]
    assert (finding.severity, finding.input.count("null")) == ("error", 10)


def test_the_most_frequent_value_of_each_field_is_tried():
    (finding,) = [one for one in found(no_fixed_answer_is_gold, Defaults) if hasattr(one, "severity")]
    assert finding.input.count("standard") == 10


class Listed(SingleTurnEnv):
    """An order whose letters are compared as far as it goes, or as a whole; with `solve` or without."""

    whole = False

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Order them. Row {n}.", "order": letters(n)} for n in range(24)]

    @reward
    def right(self, completion, order):
        given = re.findall(r"[A-E]", answer_text(completion).rpartition("Order:")[2])
        enough = len(given) == 5 or (given and not self.whole)
        return enough and all(a == b for a, b in zip(given, order, strict=False))

    def solve(self, row):
        return "Order: " + self.between.join(row["order"])

    between = " "


@pytest.mark.parametrize("between", [" ", ", ", " > ", "\n", " -> "])
def test_a_part_of_an_order_is_tried_whatever_is_between_its_items(between):
    cut = type("Cut", (Listed,), {"between": between})
    names = [finding.message for finding in found(every_item_of_gold_counts, cut)]
    assert any("without its last item" in name for name in names)
    assert found(every_item_of_gold_counts, type("Whole", (Listed,), {"between": between, "whole": True})) == []


def cited(strict):
    class Cited:
        """A quote has to be in the text; `strict` if it may not be empty."""

        def build_dataset(self, tokenizer):
            return [
                {
                    "prompt": f"The mill was built in {1600 + n} by P{n}. When? Answer as JSON with answer and quote.",
                    "year": str(1600 + n),
                }
                for n in range(20)
            ]

        def score_episode(self, model, tokenizer, completion, prompt, year):
            try:
                given = json.loads(completion)
                return float(given["answer"] == year and given["quote"] in prompt and len(given["quote"]) > strict)
            except (ValueError, KeyError, TypeError):
                return 0.0

        def solve(self, row):
            return json.dumps({"answer": row["year"], "quote": f"built in {row['year']}"})

    return Cited


def test_an_empty_value_that_wins_where_wrong_ones_lose_is_an_error():
    findings = {one.message[:60]: one.severity for one in found(every_item_of_gold_counts, cited(-1))}
    assert findings["The gold answer with an empty value of 'quote' still earns f"] == "error"
    assert found(every_item_of_gold_counts, cited(8)) == []
