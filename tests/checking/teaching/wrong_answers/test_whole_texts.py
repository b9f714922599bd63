"""Answers of which a part counts, words that pay, constants for formulas, and the same question with another gold."""

import re

import pytest

from grpo_env_sdk.checking.contract.like_prompts import like_prompts_have_one_gold
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.lazy_answers.padding import words_that_say_nothing_do_not_pay
from grpo_env_sdk.checking.teaching.wrong_answers.results_in_place import a_formula_is_not_its_result
from grpo_env_sdk.checking.teaching.wrong_answers.whole_texts import the_whole_answer_counts
from tests.checking.trying import asking, found

WORDS = ["amber", "birch", "cedar", "dune", "ember", "fjord", "grove", "heath", "islet", "joist", "knoll", "ledge"]


def scoring(write, right, count=12):
    """The environment of `asking`, scored by `right(said, wanted)`."""

    class Scored(asking(write, count)):
        def score_episode(self, model, tokenizer, completion, wanted):
            return float(right(completion.strip(), wanted))

    return Scored


def four(n, rng):
    chosen = rng.sample(WORDS, 4)
    return f"({n}) Name the words {' '.join(chosen)} backwards, one per line.", "\n".join(chosen[::-1])


def sentence(n, rng):
    text = " ".join(rng.choices(WORDS, k=40))
    return f"Repeat this: {text}", text


def pairs(said, wanted):
    return said and all(a == b for a, b in zip(said.split("\n"), wanted.split("\n"), strict=False))


def heights(n, rng):
    sizes = {word: rng.randint(10, 99) for word in rng.sample(WORDS, 3)}
    said = " ".join(f"The {word} has {size} cm." for word, size in sizes.items())
    return f"({n}) {sizes}: a sentence each, please.", said


def share_of_sentences(said, wanted):
    sentences = re.findall(r"The \w+ has \d+ cm\.", said)
    return len(sentences) > 0 and sum(one in wanted for one in sentences) / len(sentences)


@pytest.mark.parametrize(("named", "write", "right"), [
    ("first sentence", heights, share_of_sentences),
    ("first line", four, pairs),
    ("first line", four, lambda said, wanted: said.split("\n")[0] == wanted.split("\n")[0]),
    ("without its first line", four, lambda said, wanted: said.split("\n")[-1] == wanted.split("\n")[-1]),
    ("behind another line", four, lambda said, wanted: said.endswith(wanted)),
    ("first half", sentence, lambda said, wanted: said[:90] == wanted[:90]),
    ("first quarter", sentence, lambda said, wanted: said[-90:] == wanted[-90:]),
    ("last quarter", sentence, lambda said, wanted: said.split()[:30] == wanted.split()[:30]),
    ("between its ends", sentence, lambda said, wanted: said.split()[::len(said.split()) - 1] == wanted.split()[::39]),
])  # fmt: skip
def test_what_is_not_read_of_an_answer_is_named(named, write, right):
    findings = [item for item in found(the_whole_answer_counts, scoring(write, right)) if isinstance(item, Finding)]
    assert any(named in finding.message for finding in findings)
    assert {finding.severity for finding in findings} == {"error"}


@pytest.mark.parametrize(("write", "right"), [
    (four, str.__eq__),
    (sentence, str.__eq__),
    (heights, str.__eq__),
    (lambda n, rng: (f"Where is {n}?", f"In {n}street. The sun shines. It is a nice place."), str.startswith),
    (four, lambda said, wanted: sum(map(str.__eq__, said.split("\n"), wanted.split("\n"))) / 4),
    (lambda n, rng: (f"Is {n} odd? Yes or no, then say why.", f"{'yes' if n % 2 else 'no'}\nIt ends with {n % 10}"),
     lambda said, wanted: said.split("\n")[0] == wanted.split("\n")[0]),
    (lambda n, rng: (f"What is {n} + 2?", f"I add 2 to {n}.\nAnswer: {n + 2}"),
     lambda said, wanted: said.split("\n")[-1] == wanted.split("\n")[-1]),
])  # fmt: skip
def test_a_whole_comparison_and_an_explained_answer_are_let_alone(write, right):
    assert found(the_whole_answer_counts, scoring(write, right)) == []


def ends(n, rng):
    return f"What is {n} + 5? A sentence is enough.", f"It is {n + 5}"


def test_a_reward_that_grows_with_words_is_an_error():
    grows = scoring(ends, lambda said, wanted: (wanted in said) * (0.3 + 0.7 * min(1, len(said.split()) / 100)))
    (finding,) = found(words_that_say_nothing_do_not_pay, grows)
    assert finding.severity == "error"
    assert "240 words" in finding.message
    assert finding.output == 1.0


@pytest.mark.parametrize(("ask", "right"), [
    ("A sentence is enough.", lambda said, wanted: wanted in said),
    ("Explain it in at least 100 words.", lambda said, wanted: (wanted in said) * min(1, len(said.split()) / 100)),
])  # fmt: skip
def test_length_that_is_asked_for_may_pay(ask, right):
    asked = scoring(lambda n, rng: (f"What is {n} + 5? {ask}", f"It is {n + 5}"), right)
    assert found(words_that_say_nothing_do_not_pay, asked) == []


@pytest.mark.parametrize(("right", "severities"), [
    (lambda said, wanted: said == wanted or said == str(eval(wanted[1:])), ["error"]),  # of this file
    (str.__eq__, []),
])  # fmt: skip
def test_a_constant_in_place_of_a_formula_is_named(right, severities):
    def cells(n, rng):
        return (
            f"A1: {n + 10}\nA2: {n * 3 + 40}\nGive a formula for the sum; A1 changes.",
            f"=sum([{n + 10}, {n * 3 + 40}])",
        )

    assert [item.severity for item in found(a_formula_is_not_its_result, scoring(cells, right))] == severities


@pytest.mark.parametrize(("again", "named"), [
    (str.upper, "in case, spaces and punctuation"),
    (lambda text: text.replace("?", " "), "in case, spaces and punctuation"),
    (lambda text: f"Please, {text.replace('Who is', chr(119) + 'ho' + chr(39) + 's')}", "in small words"),
])  # fmt: skip
def test_the_same_question_with_another_gold_is_named(again, named):
    def people(n, rng):
        text = f"Who is the owner of the {WORDS[n % 8]}?"
        return (again(text), WORDS[(n + 3) % 8]) if n > 7 else (text, WORDS[n])

    (finding,) = found(like_prompts_have_one_gold, asking(people, 12))
    assert named in finding.message
    assert finding.severity == "error"


@pytest.mark.parametrize("write", [
    lambda n, rng: (f"Is {n // 2} {'not ' * (n % 2)}small?", "yes" if n % 2 else "no"),
    lambda n, rng: (f"How many capital letters has {'ab' if n % 2 else 'AB'}{n // 2}?", "0" if n % 2 else "2"),
    lambda n, rng: (f"What is {n // 2} {'+-'[n % 2]} 1?", str(n // 2 + 1 - 2 * (n % 2))),
    lambda n, rng: (f"Mouse {n // 2}: Kk x {'KK' if n % 2 else 'kk'}. How likely is kk?", "0" if n % 2 else "1/2"),
])  # fmt: skip
def test_questions_that_differ_in_what_matters_are_let_alone(write):
    assert found(like_prompts_have_one_gold, asking(write, 12)) == []
