"""Right answers in forms that a prompt allows: refused ones are named, and what the prompt rules out is not tried."""

import re

import pytest

from grpo_env_sdk import answer_text
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.forms.allowed_forms import forms_that_a_prompt_allows_are_accepted
from grpo_env_sdk.checking.teaching.forms.asked_forms import gold_has_the_form_that_is_asked_for
from tests.checking.trying import asking, found


def messages(write):
    items = found(forms_that_a_prompt_allows_are_accepted, asking(write, 12), "default")
    return [item.message for item in items if isinstance(item, Finding)]


@pytest.mark.parametrize(("form", "write"), [
    ("an explanation", lambda n, rng: (f"What is {n} + 5? Show your work.", str(n + 5))),
    ("the case", lambda n, rng: (f"({n}) Is {n} > 5? True or False?", "true" if n > 5 else "false")),
    ("a decimal", lambda n, rng: (f"Half of {2 * n + 1}, as a fraction or a decimal?", f"{2 * n + 1}/2")),
    ("LaTeX", lambda n, rng: (f"Reduce {2 * n + 1}/{4 * n + 4} to a fraction.", f"{2 * n + 1}/{4 * n + 4}")),
    ("thousands", lambda n, rng: (f"What is 12,000 + {n}?", str(12_000 + n))),
    ("the currency", lambda n, rng: (f"Ada has $7 and gets ${n} more. How much has she?", str(7 + n))),
    ("amounts", lambda n, rng: (f"$1,200.50 and $2,00{n % 9}.00: only the total amount.", f"{3200.5 + n % 9:.2f}")),
    ("other spaces", lambda n, rng: (f"Give {n} as x in JSON.", f'{{"x":{n}}}')),
    ("another order", lambda n, rng: (f"Give x={n} and y=1 in JSON.", f'{{"x": {n}, "y": 1}}')),
    ("order of the prompt", lambda n, rng: (f"List all odd numbers: 5, {n * 2 + 7}, 4 and 3.", f"3, 5, {n * 2 + 7}")),
    ("its values", lambda n, rng: (f"Name {n}, {n + 1} and 9, with commas.", f"{n},{n + 1},9")),
    ("the whole option", lambda n, rng: (f"Which is {n}?\nA) {n + 1}\nB) {n}\nC) {n + 2}", "ABC"[n % 3])),
])  # fmt: skip
def test_a_form_that_the_prompt_allows_is_named_where_it_is_refused(form, write):
    (message,) = messages(write)
    assert form in message
    assert "12 rows" in message


@pytest.mark.parametrize("write", [
    lambda n, rng: (f"What is {n} + 5?", str(n + 5)),
    lambda n, rng: (f"What is {n} / 2, to one decimal?", f"{n / 2:.1f}"),
    lambda n, rng: (f"Think it through without explaining: what is {n} + 5?", str(n + 5)),
    lambda n, rng: (f"Write WORD{'abcdefghijkl'[n]} in lower case.", f"word{'abcdefghijkl'[n]}"),
    lambda n, rng: (f"Half of {2 * n + 1}, as a fraction such as 3/2?", f"{2 * n + 1}/2"),
    lambda n, rng: (f"What is 12,000 + {n}? Only digits.", str(12_000 + n)),
    lambda n, rng: (f"$1,200.55 and $2,00{n % 9}.00: only the total, as a number.", f"{3200.55 + n % 9:.2f}"),
    lambda n, rng: (f"When is {n} past 8?", f"8:{n:02}"),
    lambda n, rng: (f"It is 6:26. What time is it {n} minutes later? Write HH:MM.", f"06:{26 + n}"),
    lambda n, rng: (f"It is 06:26. What time is it {n} minutes later?", f"06:{26 + n}"),
    lambda n, rng: (f"Sort b and a{'abcdefghijkl'[n]}, ignoring case. Which is first?", f"a{'abcdefghijkl'[n]}"),
    lambda n, rng: (f"Solve $x = {n} + 2$.", str(n + 2)),
    lambda n, rng: (f"Give {n} as x in compact JSON.", f'{{"x":{n}}}'),
    lambda n, rng: (f"Which letter is {n}?\nA) {n + 1}\nB) {n}\nC) {n + 2}", "ABC"[n % 3]),
    lambda n, rng: (f"How many ants has hill {n}? A factor and a power of ten, such as 4.2e7.", f"{n + 1}.5e5"),
    lambda n, rng: (f'{n}.5 and {n}.5? A text such as "3.00" alone.', f"{2 * n + 1}.00"),
    lambda n, rng: (f"From 0 at the left to {n + 2} at the right: name the middle, and include the unit.", f"{n + 1}"),
    lambda n, rng: (f"A stone falls {n + 2} m: for how long? Answer with the number in SI units alone.", f"{n + 1}.5"),
    lambda n, rng: (f"Stop {n}? In one sentence that begins with 'It is'.", f"It is {'abcdefghijkl'[n]}x."),
])  # fmt: skip
def test_an_exact_comparison_that_the_prompt_announces_is_let_alone(write):
    assert messages(write) == []


def test_the_parts_of_a_query_are_no_list_in_an_open_order():
    def write(n, rng):
        colour, price = ("red", "blue", "green")[n % 3], 40 - n
        asked = f"Table items(id, colour, price). Write one SELECT for the ids of all {colour} items above {price}."
        return asked, f"SELECT id FROM items WHERE colour = '{colour}' AND price > {price}"

    assert not any("order" in message for message in messages(write))


@pytest.mark.parametrize("ask", [
    "Which cats eat, in alphabetical order? Y{} eats, Z eats, X eats.",
    "Which cats eat? X eats, Y{} eats, Z eats.",
    "Which cats eat, arranged by name? Y{} eats, Z eats, X eats.",
])  # fmt: skip
def test_sorted_values_keep_an_order_that_is_asked_for_or_shown(ask):
    assert messages(lambda n, rng: (ask.format(n), f"X, Y{n}, Z")) == []


@pytest.mark.parametrize("ask", [
    "Find the minimum, the median and the maximum of 9, {}, 3. Write all three.",
    "List all odd numbers of 9, {}, 4, 3, increasing.",
    "List all odd numbers of 9, {}, 4, 3, from low to high.",
    "List all odd numbers of 9, {}, 4, 3, arranged by size.",
])  # fmt: skip
def test_sorted_numbers_keep_an_order_that_is_asked_for(ask):
    assert messages(lambda n, rng: (ask.format(2 * n + 11), f"3, 9, {2 * n + 11}")) == []


def test_two_sorted_values_may_be_where_something_begins_and_ends():
    assert (
        messages(lambda n, rng: (f"Which hours is it open? Until {n + 30}, since {n + 10}.", f"{n + 10}, {n + 30}"))
        == []
    )


def test_words_that_all_answers_share_stay_with_their_value_when_the_order_is_turned():
    class AnyOrder(
        asking(lambda n, rng: (f"List all new names of cat {n}, each on a line.", f"Old T{n}m\nIda\nB{n}"), 12)
    ):
        def score_episode(self, model, tokenizer, completion, wanted):
            return float(sorted(answer_text(completion).split("\n")) == sorted(wanted.split("\n")))

    assert list(found(forms_that_a_prompt_allows_are_accepted, AnyOrder, "default")) == []


def test_a_form_that_costs_a_little_is_let_alone():
    class Lenient(asking(lambda n, rng: (f"What is {n} + 5? Show your work.", str(n + 5)), 12)):
        def score_episode(self, model, tokenizer, completion, wanted):
            return float(completion == wanted) if len(completion) < 5 else 0.8 * completion.endswith(wanted)

    assert list(found(forms_that_a_prompt_allows_are_accepted, Lenient, "default")) == []


@pytest.mark.parametrize(("form", "write"), [
    ("one value per line", lambda n, rng: (f"Write a{n} and b{n}, one per line: a{n} b{n}", f"a{n}, b{n}")),
    ("separated as", lambda n, rng: (f"Write a{n}, b{n} and c, separated by semicolons.", f"a{n}, b{n}, c")),
    ("bullets", lambda n, rng: (f"Write a{n}, b{n} and c as a bulleted list.", f"a{n}\nb{n}\nc")),
    ("list in JSON", lambda n, rng: (f"Give {n} and 7 as a JSON list.", f"{n}, 7")),
    ("order that it leaves open", lambda n, rng: (f"Name them all: z{n}, y{n}, x{n}.", f"z{n}, y{n}, x{n}")),
    ("order of the prompt", lambda n, rng: (f"Which cats eat? Y{n} and Z, not W, X eats.", f"X, Y{n}, Z")),
    ("in words", lambda n, rng: (f"What is {n} + 1? Write the number in words.", str(n + 1))),
    ("in digits", lambda n, rng: (f"({n}) Seven or eight? In digits.", "seven" if n % 2 else "eight")),
    ("Roman", lambda n, rng: (f"Write {n + 1} in Roman numerals.", str(n + 1))),
    ("a percentage", lambda n, rng: (f"Give {n + 1} of 50 as a percentage.", str((n + 1) / 50))),
    ("its unit", lambda n, rng: (f"{n} metres and 2 more? Include the unit.", str(n + 2))),
    ("leading zeros", lambda n, rng: (f"What is {n} + 1? With three digits and leading zeros.", str(n + 1))),
    ("full stop", lambda n, rng: (f"Which letter is number {n}? End with a full stop.", "abcdefghijkl"[n])),
    ("as a plain number", lambda n, rng: (f"What is {n} + 1?", f"{n + 1}.0")),
    ("numbers are written", lambda n, rng: (f"What is {n + 1} times a million?", f"{n + 1}e6")),
    ("without thousands", lambda n, rng: (f"What is {n + 1} times 1111?", f"{(n + 1) * 1111:,}")),
    ("separators of thousands", lambda n, rng: (
        f"Add 1.234,50 and {n},25. Put a point between thousands and a comma before the cents.", f"{1234 + n},75",
    )),
    ("thoughts in tags", lambda n, rng: (f"What is {n} + 1? Use <think> tags.", str(n + 1))),
    ("in LaTeX that it names", lambda n, rng: (
        f"{2 * n + 1} over {n + 2}, in \\boxed{{}}. Both a/b and \\frac{{a}}{{b}} are fine.",
        f"\\boxed{{{2 * n + 1}/{n + 2}}}",
    )),
    ("in LaTeX that it names", lambda n, rng: (
        f"{2 * n + 1} over {n + 2}? Give a reduced fraction, in LaTeX, in \\boxed{{}}.",
        f"\\boxed{{{2 * n + 1}/{n + 2}}}",
    )),
    ("zeros in front, as its own", lambda n, rng: (f"It is 6:26. What time is it {n} minutes later?", f"06:{26 + n}")),
    ("zeros in front, as its own", lambda n, rng: (f"It is 06:26. What time is it {n} minutes later?", f"6:{26 + n}")),
    ("as it writes them", lambda n, rng: (f"It is 3:{10 + n} pm. And an hour later?", f"4:{10 + n} P.M.")),
    ("the unit, which is", lambda n, rng: (f"{n} m and 2 m? The unit is optional.", f"{n + 2} m")),
    ("make no difference", lambda n, rng: (f"Letter {n}? Case does not matter in answers.", "abcdefghijkl"[n])),
    ("dfrac", lambda n, rng: (f"Halve {2 * n + 1}.", f"\\frac{{{2 * n + 1}}}{{2}}")),
])  # fmt: skip
def test_refusing_a_form_that_is_asked_for_or_usual_is_an_error(form, write):
    (finding,) = [one for one in found(forms_that_a_prompt_allows_are_accepted, asking(write, 12), "default") if one]
    assert form in finding.message
    assert finding.severity == "error"


@pytest.mark.parametrize(("form", "right"), [
    ("a long explanation", lambda said, wanted: said[:300].endswith(wanted)),
    ("names other numbers", lambda said, wanted: re.findall(r"\d+", said) == [wanted]),
    ("another answer", lambda said, wanted: re.findall(r"\d+", said)[:1] == [wanted]),
])  # fmt: skip
def test_an_explanation_that_hides_the_answer_is_named_where_a_short_one_is_accepted(form, right):
    class Reads(asking(lambda n, rng: (f"What is {n} + 35? Think first.", str(n + 35)), 12)):
        def score_episode(self, model, tokenizer, completion, wanted):
            return float(right(completion, wanted))

    (message,) = [one.message for one in found(forms_that_a_prompt_allows_are_accepted, Reads, "default")]
    assert form in message


def chosen(right, ask, said="Answer: {}"):
    options = "A) a hill\nB) a lake\nC) a wood"

    class Chosen(asking(lambda n, rng: (f"What is on map {n}?\n{options}\n{ask}", said.format("ABC"[n % 3])), 12)):
        def score_episode(self, model, tokenizer, completion, wanted):
            return float(right(re.findall(r"\b[ABC]\b", completion), wanted[-1]))

    return Chosen


def is_first(letters, wanted):
    return letters[:1] == [wanted]


WORKED = "You may reason in a few sentences. Finish with a line such as 'Answer: B'."


def test_an_explanation_of_other_options_is_named_where_the_first_letter_counts():
    (finding,) = found(forms_that_a_prompt_allows_are_accepted, chosen(is_first, WORKED), "default")
    assert (finding.severity, "names other options" in finding.message) == ("error", True)


@pytest.mark.parametrize(("right", "ask"), [
    (lambda letters, wanted: letters[-1:] == [wanted], WORKED),
    (is_first, "Name the letter. The road ends with the last line of trees."),
    (is_first, f"{WORKED} The first letter of an option in your reply counts."),
    (is_first, f"{WORKED} A reply with two letters of options counts as wrong."),
    (is_first, "Finish with a line such as 'Answer: B', without any explanation."),
])  # fmt: skip
def test_other_options_are_let_alone_where_they_do_not_matter_or_are_not_invited(right, ask):
    assert not any("options" in message for message in forms_refused(chosen(right, ask)))


def test_thoughts_that_belong_into_tags_may_be_refused_outside_of_them():
    def asked(n, rng):
        return f"{n} + 1? The digits alone. You may think before, in <think> tags.", str(n + 1)

    class InTags(asking(asked, 12)):
        def score_episode(self, model, tokenizer, completion, wanted):
            return float(answer_text(completion) == wanted)

    assert found(forms_that_a_prompt_allows_are_accepted, InTags, "default") == []


def notes(prompt):
    """Notes, each with the words that it needs, which count in at most 60 words."""

    class Notes(asking(lambda n, rng: (prompt.format(n=n), f"Dear reader, I like town {n}. Yours, a friend."), 12)):
        def score_episode(self, model, tokenizer, completion, wanted):
            text = answer_text(completion)
            return float(wanted in text and len(text.split()) <= 60)

    return Notes


class BesideAnImage(notes("Write a note of 5 to 60 words about town {n}.")):
    """The prompt is a list of parts, as where an image comes before the text."""

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        parts = [[{"type": "text", "text": row["prompt"]}] for row in rows]
        return [row | {"prompt": [{"role": "user", "content": part}]} for row, part in zip(rows, parts, strict=True)]


def forms_refused(cls):
    return [item.message for item in found(forms_that_a_prompt_allows_are_accepted, cls, "default")]


@pytest.mark.parametrize("limit", [
    "5 to 60 words", "5-60 words", "at most 60 words", "fewer than 400 characters", "at most three sentences",
    "at most 2 lines",
])  # fmt: skip
def test_a_form_that_breaks_a_stated_length_is_not_tried(limit):
    assert forms_refused(notes(f"Write a note of {limit} about town {{n}}.")) == []


def test_it_is_tried_where_no_length_is_stated():
    (message,) = forms_refused(notes("Write a note about town {n}."))
    assert "long explanation" in message


@pytest.mark.parametrize("price", [
    "Think aloud if you like; each word above 40 costs a tenth of a point.",
    "Think first. A point is deducted for every line after the tenth.",
    "Think first. Long answers are penalised.",
    "Think as long as you like within sixty words.",
    "Denke schrittweise; jedes Wort über 40 kostet einen Zehntelpunkt.",
])  # fmt: skip
def test_a_long_explanation_is_not_tried_where_what_is_written_is_priced_or_limited(price):
    assert forms_refused(notes(f"Write a note about town {{n}}. {price}")) == []


def test_it_is_tried_where_words_are_only_spoken_of():
    (message,) = forms_refused(notes("Write a note about the words of town {n}. Think first."))
    assert "long explanation" in message


@pytest.mark.parametrize(("prompt", "named"), [
    ("Şu sözcüğü büyük harflerle yaz: {}", False),
    ("<answer> içine büyük harflerle yaz: {}", False),
    ("Which word stands here: {}", True),
])  # fmt: skip
def test_the_case_that_is_shown_is_tried_in_english_alone(prompt, named):
    words = [
        "kilim",
        "deniz",
        "alma",
        "orman",
        "kalem",
        "masa",
        "defter",
        "ekmek",
        "yaprak",
        "bulut",
        "toprak",
        "duman",
    ]
    cls = asking(lambda n, rng: (prompt.format(words[n]), words[n].upper()), 12)
    assert any("the case in which it is shown" in message for message in forms_refused(cls)) == named
    assert bool(found(gold_has_the_form_that_is_asked_for, cls, "default")) == named


def test_a_stated_length_is_read_in_a_prompt_of_parts():
    assert forms_refused(BesideAnImage) == []
