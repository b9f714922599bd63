"""What can be had without doing the task: every strategy is measured, bounded, and told in the README."""

from pathlib import Path
from random import Random

import pytest
from grpo_env_sdk import call_message

from grpo_env_tickets import TicketsEnv
from grpo_env_tickets.cases import Case
from grpo_env_tickets.gold import play as gold_play
from grpo_env_tickets.policy import REASONS
from grpo_env_tickets.store import DIFFICULTIES

README = Path(__file__).parent.parent / "README.md"
ROWS = 150


def text(content):
    return {"role": "assistant", "content": content}


def for_ever(content):
    while True:
        yield text(content)


def gold(case, rng):
    yield from gold_play(case)


def do_nothing(case, rng):
    yield from for_ever("")


def say_no(case, rng):
    yield from for_ever("I am sorry, the rules do not allow that.")


def refuse_unseen(case, rng):
    """The refusal of the right order for a fixed reason, without a look."""
    yield call_message("refuse", order=case.wishes[-1].order, reason="not_theirs")


def look(case):
    """All that is to be done before a decision."""
    yield call_message("find_customer", email=case.email)
    yield call_message("get_order", order=case.wishes[-1].order)
    for _ in case.lines:
        yield text("Is that right?")


def refuse_all(case, rng):
    yield from look(case)
    yield call_message("refuse", order=case.wishes[-1].order, reason="too_late")


def refuse_for_any_reason(case, rng):
    yield from look(case)
    yield call_message("refuse", order=case.wishes[-1].order, reason=rng.choice(REASONS))


def escalate_all(case, rng):
    yield from look(case)
    yield call_message("escalate", order=case.wishes[-1].order)


def obey(case, rng):
    """Whatever the customer wants, rules or not."""
    yield from look(case)
    yield call_message(case.wishes[-1].wanted, **case.wishes[-1].arguments)


def obey_at_once(case, rng):
    """The first wish, before the customer has said it all."""
    yield call_message("find_customer", email=case.email)
    yield call_message("get_order", order=case.wishes[0].order)
    yield call_message(case.wishes[0].wanted, **case.wishes[0].arguments)


def call_at_random(case, rng):
    """Any tool with values that the episode has shown."""
    tools = TicketsEnv(case.difficulty).get_tools()
    while True:
        function = rng.choice(tools)["function"]
        found = case.store()
        values = {
            "email": [case.email], "order": [*found.orders], "city": ["Oslo", "Lyon"], "size": ["S", "L"],
            "product": [*found.stock], "reason": REASONS,
            "item": [item.id for order in found.orders.values() for item in order.items],
        }  # fmt: skip
        yield call_message(
            function["name"],
            **{name: rng.choice(values[name]) for name in function["parameters"]["properties"]},
        )


# What the README calls it, its most on easy, normal and hard.
BOUNDS = {
    gold: ("the gold solution", 1.0, 1.0, 1.0),
    do_nothing: ("doing nothing", 0.0, 0.0, 0.0),
    say_no: ("saying no in words, always", 0.0, 0.0, 0.0),
    refuse_unseen: ("refusing without a look", 0.0, 0.0, 0.0),
    refuse_all: ("looking, then refusing for one fixed reason", 0.25, 0.2, 0.2),
    refuse_for_any_reason: ("looking, then refusing for any reason", 0.25, 0.2, 0.2),
    escalate_all: ("looking, then escalating always", 0.0, 0.15, 0.15),
    obey: ("looking, then doing whatever is wanted", 0.45, 0.4, 0.4),
    obey_at_once: ("doing whatever is wanted, at once", 0.45, 0.0, 0.0),
    call_at_random: ("random calls with ids that exist", 0.0, 0.0, 0.0),
}


@pytest.mark.parametrize("strategy", BOUNDS, ids=lambda strategy: strategy.__name__)
def test_a_lazy_strategy_scores_low_and_what_the_readme_says(strategy, play, rows_of):
    (told, *bounds), means = BOUNDS[strategy], []
    for difficulty, most in zip(DIFFICULTIES, bounds, strict=True):
        env, rng = TicketsEnv(difficulty), Random(0)
        scores = [play(env, row, strategy(Case.from_row(row), rng))[0] for row in rows_of(difficulty)[:ROWS]]
        means.append(sum(scores) / len(scores))
        assert means[-1] <= most
    shown = " | ".join(f"{mean:.2f}" for mean in means)
    assert f"| {told} | {shown} |" in README.read_text(encoding="utf-8")
