"""Forms that a prompt asks for or never mentions, and answers that it offers: refused ones are named."""

import pytest

from grpo_env_sdk.checking.teaching.forms.frames import the_form_that_decides_is_asked_for as decides
from grpo_env_sdk.checking.teaching.forms.frames import the_form_that_is_asked_for_is_accepted as asked_for
from grpo_env_sdk.checking.teaching.lazy_answers.offered_answers import an_answer_that_is_offered_scores, offered
from tests.checking.trying import asking, found


@pytest.mark.parametrize(("ask", "said"), [
    ('Reply with a JSON object of the form {"port": 1234} and nothing else.', '{"port": 17}'),
    ('Answer in JSON with the key "value".', '{"value": 17}'),
    ("Reply in the form `Result: 12`.", "Result: 17"),
    ("End with a line that says ANSWER: and the number.", "ANSWER: 17"),
    ("Put 'Tax due:' and the number on the last line.", "Tax due: 17"),
    ("Put the number in double square brackets, like [[7]].", "[[17]]"),
    ("Write the number in bold.", "**17**"),
    ("Example of an answer: <port>80</port>", "<port>17</port>"),
    ("Put the answer in a code block.", "``` 17 ```"),
    ("Put the number in parentheses.", "(17)"),
    ("Wrap it in double quotes.", '"17"'),
])  # fmt: skip
def test_a_form_that_is_asked_for_and_refused_is_named(ask, said):
    (finding,) = found(asked_for, asking(lambda n, rng: (f"What is {n} + 17? {ask}", str(n + 17)), 12), "default")
    assert said in finding.message
    assert finding.severity == "error"


def test_a_form_that_is_right_on_some_rows_by_accident_is_named():
    class FirstLetter(
        asking(lambda n, rng: (f"({n}) Give your choice as 'Answer: X', where X is the letter.", "ABCD"[n % 4]), 12)
    ):
        def score_episode(self, model, tokenizer, completion, wanted):
            return float(next((letter for letter in completion.upper() if letter in "ABCD"), "") == wanted)

    (finding,) = found(asked_for, FirstLetter, "default")
    assert "'Answer: B' scores 0, and 'B' without it 1, on 9 rows" in finding.message


@pytest.mark.parametrize(("ask", "gold"), [
    ("Reply in the form `Result: 12`.", "Result: {}"),
    ('Reply with a JSON object of the form {"port": 1234}.', '{{"port": {}}}'),
    ("Use <result> above: <result><name>7</name></result>.", "{}"),
    ("Numbers such as `1,234` have a comma.", "{}"),
    ("Write it in the form 'The sum in CITY at HH:MM is N.'", "The sum in Ulm at 12:30 is {}."),
    ("Write 'Action: look[PAGE]' or 'Action: finish[ANSWER]'.", "I know it.\nAction: finish[{}]"),
    ("", "{}"),
])  # fmt: skip
def test_a_form_that_is_accepted_or_not_asked_for_is_let_alone(ask, gold):
    cls = asking(lambda n, rng: (f"What is {n} + 17? {ask}", gold.format(n + 17)), 12)
    assert found(asked_for, cls, "default") == []


@pytest.mark.parametrize(("prompt", "gold", "named"), [
    ("Prices in euro: {} + 1. How much?", "EUR {}.50", "EUR"),
    ("How many are {} and 1 more?", "{} pcs", "pcs"),
    ("How many are {} and 1 more?", "n={}", "n="),
])  # fmt: skip
def test_letters_around_a_number_that_no_prompt_mentions_are_named(prompt, gold, named):
    (finding,) = found(decides, asking(lambda n, rng: (prompt.format(n), gold.format(n + 1)), 12), "default")
    assert named in finding.message


@pytest.mark.parametrize(("prompt", "gold"), [
    ("How many pcs are {} and 1 more?", "{} pcs"),
    ("Which percentage is {} and 1 more?", "{}%"),
    ("What is {} + 1?", "{}"),
])  # fmt: skip
def test_what_a_prompt_mentions_around_a_number_is_let_alone(prompt, gold):
    assert found(decides, asking(lambda n, rng: (prompt.format(n), gold.format(n + 1)), 12), "default") == []


@pytest.mark.parametrize("gold", [
    "<reasoning>\nI add.\n</reasoning>\n<answer>\n{}\n</answer>",
    "<reasoning>I add.</reasoning><answer>{}</answer>",
])  # fmt: skip
@pytest.mark.parametrize(("form", "count"), [("<reasoning>...</reasoning> <answer>...</answer>", 0), ("a tag", 1)])
def test_the_reasoning_of_gold_is_no_part_of_the_form_around_its_answer(gold, form, count):
    cls = asking(lambda n, rng: (f"What is {n} + 1? Respond in {form}.", gold.format(n + 1)), 12)
    assert len(found(decides, cls, "default")) == count


@pytest.mark.parametrize(("ask", "gold", "count"), [
    ("in \\boxed{}", "The answer is $\\boxed{{{}}}$", 0),
    ("in \\boxed{}", "It is the answer: \\boxed{{{}}}", 1),
    ("with a number", "So it is $\\boxed{{{}}}$", 1),
])  # fmt: skip
def test_a_phrase_before_a_box_is_no_part_of_the_form(ask, gold, count):
    cls = asking(lambda n, rng: (f"What is {n} + 1? Reply {ask}.", gold.format(n + 1)), 12)
    assert len(found(decides, cls, "default")) == count


@pytest.mark.parametrize(("prompt", "options"), [
    ("Is 3 odd? Answer yes or no.", ("yes", "no")),
    ("Reply with exactly one of `high`, `low` or `none`.", ("high", "low", "none")),
    ("Which is it?\nA) one\nB) two\nAnswer with the letter of the right option.", ("A", "B")),
    ("Rate it from 1 to 4 stars.", ("1", "2", "3", "4")),
    ("Give a number between 0 and 2.", ("0", "1", "2")),
    ("What is the sum of two dice, each from 1 to 6?", ()),
    ("Add all numbers from 1 to 9.", ()),
    ("Answer with a number.", ()),
    ("Answer with x = 1 or x = 2.", ()),
    ("Is it here or there?", ()),
    ("You score 1 - 4 * (1 - p)^2 for a p that you name.", ()),
])  # fmt: skip
def test_the_answers_that_a_prompt_offers(prompt, options):
    assert offered(prompt) == options


def test_offered_answers_of_which_none_scores_are_named():
    cls = asking(lambda n, rng: (f"Is {n} above 9? Answer yes or no.", str(n > 9)), 20)
    (finding,) = found(an_answer_that_is_offered_scores, cls, "default")
    assert "'yes' and 'no'" in finding.message


@pytest.mark.parametrize("ask", ["Answer yes or no.", "Answer with a word or two.", "Say it in one line or less."])
def test_offered_answers_that_score_or_mean_something_else_are_let_alone(ask):
    cls = asking(
        lambda n, rng: (f"Is {n} above 9? {ask}", ("yes" if n > 9 else "no") + ("" if "yes" in ask else f"{n}")), 20
    )
    assert found(an_answer_that_is_offered_scores, cls, "default") == []


@pytest.mark.parametrize(("gold", "count"), [
    (lambda n: str(n % 5), 1),
    (lambda n: ["1", "2", "five"][n % 3], 1),
    (lambda n: str(n % 5 + 1), 0),
])  # fmt: skip
def test_labels_that_are_not_among_those_offered_are_named(gold, count):
    env = asking(lambda n, rng: (f"Film {n} got {n % 5} good words. Rate it from 1 to 5.", gold(n)), 20)
    assert len(found(an_answer_that_is_offered_scores, env, "default")) == count
