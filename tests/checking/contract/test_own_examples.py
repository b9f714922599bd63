"""Examples in a prompt that hold its own case, in several layouts, and examples that do not."""

import json

import pytest

from grpo_env_sdk.checking.contract.shown_examples import examples_leave_out_what_is_asked as right
from grpo_env_sdk.data.messages import answer_text
from tests.checking.trying import found

QUEUES = ("billing", "delivery", "repair", "account")
SAYS = ("was charged twice for", "still wait since Monday for", "hear a strange rattle in", "cannot log in to register")
THINGS = ("the blender", "my kettle", "a desk lamp", "the mower", "an e-bike", "the heater", "a printer", "the oven")
CASES = [(f"Hello, I {says} {thing}.", queue) for says, queue in zip(SAYS, QUEUES, strict=True) for thing in THINGS]


def lines(write):
    return lambda shown: "\n".join(write(text, queue) for text, queue in shown)


LAYOUTS = {
    "arrows": lines(lambda text, queue: f"- {text} -> {queue}"),
    "labels": lines(lambda text, queue: f"Ticket: {text}\nQueue: {queue}"),
    "objects": lines(lambda text, queue: json.dumps({"text": text, "queue": queue})),
    "the queue first": lines(lambda text, queue: f"[{queue}] {text}"),
    "a table": lines(lambda text, queue: f"| {text} | {queue} |"),
    "in brackets": lines(lambda text, queue: f"{text} ({queue})"),
}  # fmt: skip


def nearest(number, with_own):
    """Three cases with the same queue, or its own and two of other queues."""
    own = CASES[number]
    others = [CASES[(number + step) % len(CASES)] for step in (3, 11, 19)]
    return [others[0], own, others[1]] if with_own else others


def routing(layout, with_own, solve=True, turns=False):
    """Cases to route, with three examples in a layout or as turns of the chat."""

    def prompt(number):
        text, shown = CASES[number][0], nearest(number, with_own)
        if turns:
            chat = [({"role": "user", "content": one}, {"role": "assistant", "content": queue}) for one, queue in shown]
            ask = {"role": "system", "content": "Route tickets, as in the examples."}
            return [ask, *(message for pair in chat for message in pair), {"role": "user", "content": text}]
        return f"Similar tickets that were resolved:\n{layout(shown)}\n\nNew ticket: {text}\nWhich queue is it?"

    class Routing:
        def build_dataset(self, tokenizer):
            return [{"prompt": prompt(n), "answer": CASES[n][1]} for n in range(len(CASES))]

        def score_episode(self, model, tokenizer, completion, answer):
            return float(answer_text(completion).strip().lower() == answer)

    if solve:
        Routing.solve = lambda self, row: row["answer"]
    return Routing


@pytest.mark.parametrize("layout", LAYOUTS)
def test_its_own_case_among_the_examples_is_named(layout):
    (finding,) = found(right, routing(LAYOUTS[layout], with_own=True))
    assert "32 of 32 prompts have their own case among the examples" in finding.message


@pytest.mark.parametrize("layout", LAYOUTS)
def test_examples_of_other_cases_are_let_be(layout):
    assert found(right, routing(LAYOUTS[layout], with_own=False)) == []


@pytest.mark.parametrize("with_own", [True, False])
def test_turns_of_the_chat_are_examples_too(with_own):
    assert len(found(right, routing(None, with_own, solve=False, turns=True))) == with_own


def test_a_table_to_look_words_up_in_is_no_list_of_examples():
    class Words:
        def build_dataset(self, tokenizer):
            known = [(f"{one}{two}", f"{two}{one}o") for one in ("ka", "mi", "tu") for two in ("ro", "le", "sa")]
            table = "\n".join(f"{word} = {meaning}" for word, meaning in known)
            ask = "Known words:\n{}\n\nWhat does {} mean?"
            return [{"prompt": ask.format(table, word), "answer": meaning} for word, meaning in known]

        def score_episode(self, model, tokenizer, completion, answer):
            return float(completion.strip() == answer)

    assert found(right, Words) == []


def completed(own, ask="Complete the list."):
    """Prompts that end with the label of their examples, without a word for these."""

    def write(number):
        shown = "\n".join(f"Ticket: {text}\nQueue: {queue}" for text, queue in nearest(number, own))
        return f"{ask}\n\n{shown}\n\nTicket: {CASES[number][0]}\nQueue:"

    class Completed(routing(LAYOUTS["labels"], own)):
        def build_dataset(self, tokenizer):
            return [{"prompt": write(n), "answer": CASES[n][1]} for n in range(len(CASES))]

    return Completed


def test_examples_that_are_none_by_name_are_known_by_the_label_at_the_end():
    (finding,) = found(right, completed(own=True))
    assert finding.severity == "error"
    assert found(right, completed(own=False)) == []


def test_what_is_to_be_looked_up_among_the_lines_is_no_example():
    assert found(right, completed(own=True, ask="Recall the queue of the last ticket from the records.")) == []
