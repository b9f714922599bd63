"""One item several times where a prompt wants different ones, and prompts in which it may be right."""

import pytest

from grpo_env_sdk.checking.evidence.prompts.asked_items import different_items
from grpo_env_sdk.checking.teaching.lazy_answers.same_item_again import different_items_are_different
from tests.checking.trying import found

ASKED = "Fruits {n}: plum, pear, fig or lime? {want}"


def scored(want, accepts, gold="plum, pear"):
    """Eight rows; `accepts` gets the items that an answer names, and `gold` is None without a solution."""

    class Fruits:
        def build_dataset(self, tokenizer):
            return [{"prompt": ASKED.format(n=n, want=want), "n": n} for n in range(8)]

        def score_episode(self, model, tokenizer, completion, n):
            return float(accepts([one.strip() for one in completion.split(",")]))

    if gold is not None:
        Fruits.solve = lambda self, row: gold
    return Fruits


def findings(cls):
    return [(one.severity, one.message) for one in found(different_items_are_different, cls, "default")]


def known(items):
    return all(one.strip(".!?").lower() in ("plum", "pear", "fig", "lime") for one in items)


@pytest.mark.parametrize("want", [
    "Name two different ones, separated by commas.",
    "Name 2 of these fruits. No fruit may be named twice.",
    "Pick two distinct fruits.",
    "List two fruits without repeats.",
])  # fmt: skip
@pytest.mark.parametrize("gold", ["plum, pear", None])
def test_one_item_several_times_is_found(want, gold):
    ((severity, message),) = findings(scored(want, lambda items: known(items) and len(items) == 2, gold))
    assert (severity, "The same item" in message, "8 of 8 rows" in message) == ("error", True, True)


def raw(items):
    return known(items) and len(items) == len(set(items)) == 2


def alike(items):
    return known(items) and len(items) == len({one.strip(".!?").lower() for one in items}) == 2


@pytest.mark.parametrize(("more", "severity"), [("", "warning"), (" Capitals do not make a difference.", "error")])
def test_one_item_in_several_spellings_is_found(more, severity):
    ((found_as, message),) = findings(scored(f"Name two different ones.{more}", raw))
    assert (found_as, "spellings" in message) == (severity, True)


@pytest.mark.parametrize(("want", "accepts", "gold"), [
    ("Name two different ones.", alike, "plum, pear"),
    ("Name two different ones.", alike, None),
    ("Name two different strings.", raw, "plum, pear"),
    ("Name two, not necessarily different ones.", lambda items: known(items) and len(items) == 2, "plum, pear"),
    ("Name two.", lambda items: known(items) and len(items) == 2, "plum, pear"),
    ("Name two different ones.", lambda items: len(items) == 2, "plum, pear"),
])  # fmt: skip
def test_items_that_may_be_equal_or_are_compared_are_let_alone(want, accepts, gold):
    assert findings(scored(want, accepts, gold)) == []


def test_the_middle_of_two_numbers_twice_is_found():
    class Pairs:
        def build_dataset(self, tokenizer):
            asked = "Give two distinct whole numbers that add up to {}."
            return [{"prompt": asked.format(n), "total": n} for n in range(20, 40, 2)]

        def score_episode(self, model, tokenizer, completion, total):
            parts = completion.replace(",", " ").split()
            return float(len(parts) == 2 and all(map(str.isdigit, parts)) and sum(map(int, parts)) == total)

        def solve(self, row):
            return f"1, {row['total'] - 1}"

    ((_, message),) = findings(Pairs)
    assert "'10, 10'" in message


def test_how_many_different_items_are_wanted():
    assert different_items("Answer with three different letters separated by commas.") == 3
    assert different_items("There are three different boxes. Which is red?") == 0


def queue(want, strict=False, lenient=False):
    """Eight rows with an order of four fruits in which the plum is somewhere before the fig."""

    class Queue:
        def build_dataset(self, tokenizer):
            return [{"prompt": f"{n}. Order pear, plum, fig and lime, plum before fig. {want}"} for n in range(8)]

        def score_episode(self, model, tokenizer, completion):
            items = [one.strip() for one in completion.split(",")]
            fruits = {"pear", "plum", "fig", "lime"}
            if len(items) != 4 or not (lenient or set(items) <= fruits) or (strict and set(items) != fruits):
                return 0.0
            return float(completion.find("plum") < completion.find("fig"))

        def solve(self, row):
            return "pear, plum, lime, fig"

    return Queue


@pytest.mark.parametrize("want", [
    "Every fruit once, with commas between them.",
    "Use commas; each of them has to be there exactly once.",
    "Jede Frucht genau einmal, mit Kommas.",
])  # fmt: skip
def test_one_item_for_another_is_found_where_each_is_wanted_once(want):
    ((severity, message),) = findings(queue(want))
    assert (severity, "which is left out" in message, "8 of 8 rows" in message) == ("error", True, True)


@pytest.mark.parametrize("cls", [
    queue("Every fruit once, with commas.", strict=True),
    queue("With commas between them."),
    queue("Write all at once, with commas."),
    queue("Commas between them; each counts once."),
    queue("Each fruit has to be bought once a week. Use commas."),
    queue("Every fruit once, with commas.", lenient=True),
])  # fmt: skip
def test_lists_that_have_all_items_or_may_leave_some_out_are_let_be(cls):
    assert findings(cls) == []
