"""C178: labels that follow from values compared as texts, and labels that follow from the values themselves."""

import random

import pytest

from grpo_env_sdk.checking.contract.labels_by_letters import labels_do_not_follow_the_letters_of_values as right
from grpo_env_sdk.checking.teaching.wrong_answers.compared_as_text import values_are_not_compared_as_texts
from tests.checking.trying import found

ASKED = "Release {one} is installed, and {other} has the fix. Is the fix installed? Answer yes or no. Ticket {n}."
LISTED = "Cars leave at {one} and {other}, ticket {n}. Write both times, the earlier one first, with a comma."


def pairs(label_of, write, text=ASKED, rows=40):
    """Two values on each row, and what is asked of them."""

    class Pairs:
        label = staticmethod(label_of)

        def build_dataset(self, tokenizer):
            built = []
            for n in range(rows):
                rng = random.Random(n)
                one, other = write(rng), write(rng)
                built.append({"prompt": text.format(one=one, other=other, n=n), "wanted": self.label(one, other)})
            return built

        def score_episode(self, model, tokenizer, completion, wanted):
            return float(completion == self.said(wanted))

        def solve(self, row):
            return self.said(row["wanted"])

        def said(self, wanted):
            if isinstance(wanted, list):
                return ", ".join(wanted)
            return "yes" if wanted else "no"

    return Pairs


def version(rng):
    return f"{rng.randint(1, 2)}.{rng.randint(7, 12)}.{rng.randint(0, 3)}"


def clock(rng):
    return f"{rng.randint(8, 11)}:{rng.choice(['05', '20', '40'])}"


def at_least(one, other):
    return one >= other


def by_parts(one, other):
    return tuple(map(int, one.split("."))) >= tuple(map(int, other.split(".")))


def in_order(one, other):
    return [one, other] if one <= other else [other, one]


def by_the_hour(one, other):
    return sorted((one, other), key=lambda each: tuple(map(int, each.split(":"))))


def solved(label_of, write):
    """The two values are columns, and what is asked of them is worked out when it is wanted."""

    class Solved(pairs(label_of, write)):
        def build_dataset(self, tokenizer):
            built = [(n, write(random.Random(n)), write(random.Random(n + 100))) for n in range(40)]
            return [
                {"prompt": ASKED.format(n=n, one=one, other=other), "pair": [one, other]} for n, one, other in built
            ]

        def wanted(self, pair):
            return self.said(self.label(*pair))

        def score_episode(self, model, tokenizer, completion, pair):
            return float(completion == self.wanted(pair))

        def solve(self, row):
            return self.wanted(row["pair"])

    return Solved


WRONG = {
    "versions": pairs(at_least, version),
    "what is solved from columns": solved(at_least, version),
    "times, as a list": pairs(in_order, clock, LISTED),
}
SOUND = {
    "versions by their parts": pairs(by_parts, version),
    "what is solved by parts": solved(by_parts, version),
    "times by the hour": pairs(by_the_hour, clock, LISTED),
    "texts, as is asked": pairs(at_least, version, ASKED.replace("Is the", "Compared as strings, is the")),
    "letters in order, as is asked": pairs(at_least, clock, "Is {one} behind {other} in alphabetical order? Line {n}."),
    "versions in order of letters": pairs(
        at_least, version, "Is {one} behind {other} in alphabetical order? Line {n}."
    ),
    "sign by sign": pairs(at_least, version, "{n}: compared sign by sign from the left, is {one} behind {other}?"),
    "in text order": pairs(at_least, version, "{n}: does the log show {one} behind {other}, in text order?"),
    "what a command does": pairs(at_least, clock, "{n}: is {one} behind {other} where `sort` is used?"),
    "what code does": pairs(in_order, clock, "{n}: what does [{one}, {other}].sort() give? Write both, with a comma."),
    "a column of texts": pairs(in_order, clock, "{n}: a VARCHAR is {one} or {other}; ORDER BY it, with a comma."),
    "numbers with as many digits": pairs(at_least, lambda rng: f"{rng.randint(100, 999)}"),
    "what no prompt shows": pairs(at_least, version, "Which one is it on ticket {n}?"),
}


@pytest.mark.parametrize("env", WRONG.values(), ids=WRONG)
def test_labels_by_the_letters_of_values_are_an_error(env):
    (finding,) = found(right, env)
    assert finding.severity == "error"
    assert "compared as texts" in finding.message


@pytest.mark.parametrize("env", SOUND.values(), ids=SOUND)
def test_labels_by_value_or_by_letters_as_asked_are_let_be(env):
    assert found(right, env) == []


def test_the_code_of_the_author_is_as_before():
    env = WRONG["versions"]
    before = at_least.__code__
    found(right, env)
    assert at_least.__code__ is before


def test_an_order_of_texts_that_the_score_wants_too_is_let_be():
    class EitherWay(WRONG["versions"]):
        def score_episode(self, model, tokenizer, completion, wanted):
            return float(completion in ("yes", "no"))

    assert found(right, EitherWay) == []


@pytest.mark.parametrize("asked", [
    "{n}: in alphabetical order, which of {one} and {other} comes first?",
    "Shelf {n}: marks are compared sign by sign. Which one stands first, {one} or {other}?",
    "{n}: the folders are {one} and {other}. Which one does `ls` show first?",
])  # fmt: skip
def test_the_first_by_letters_as_asked_is_let_be(asked):
    class First(pairs(min, version, asked)):
        def said(self, wanted):
            return wanted

    assert found(right, First) == []
    assert found(values_are_not_compared_as_texts, First) == []
