"""What an author writes in a class and no run would use is refused, or noted: nothing is ignored without a word."""

from functools import partial

import pytest

from grpo_env_sdk import (
    ModelUser,
    MultiTurnEnv,
    SingleTurnEnv,
    ToolEnv,
    call_message,
    evaluate,
    load,
    metric,
    reward,
    tool,
)
from grpo_env_sdk.checking.contract.preconditions import it_can_be_created
from grpo_env_sdk.errors import ContractError, GrpoEnvWarning
from grpo_env_sdk.views import cap_observations, keep_last_turns
from tests.checking.trying import found
from tests.environments import Phonebook
from tests.talking import DRINKS, Shop


class Guess(MultiTurnEnv):
    """Say 3."""

    max_turns = 2

    def build_dataset(self, tokenizer):
        return [{"prompt": "Say 3."}, {"prompt": "Say three."}]

    def step(self, action):
        return "No.", float(action["content"] == "3"), action["content"] == "3", False, {}


class Once(SingleTurnEnv):
    """Say 3."""

    def build_dataset(self, tokenizer):
        return [{"prompt": "Say 3."}]

    @reward
    def right(self, completion):
        return completion == "3"


class Steps(Shop):
    """The customer is in `step`."""

    def step(self, action):
        return "Tea, please.", 0.0, False, False, {}


def answer(self, messages):
    """A method that belongs to no class yet."""
    return "Tea, please."


class Customer:
    """Something that can be called."""

    def __call__(self, messages):
        return "Milk, please." if len(messages) < 4 else None


def made(base, **attributes):
    return type("Odd", (base,), {"__module__": __name__, **attributes})


@pytest.mark.parametrize(
    ("base", "attributes", "told"),
    [
        (Shop, {"user": "Bob"}, r"Odd\.user is 'Bob'.*Write a method user\(self, messages\)"),
        (Shop, {"user": lambda self: "Bob"}, r"Odd\.user takes \(\).*It is called as user\(messages\)"),
        (Shop, {"view": keep_last_turns}, r"Odd\.view is keep_last_turns itself\. Call it: view = keep_last_turns\("),
        (Shop, {"user": {"name": "Bob"}}, r"Odd\.user is \{'name': 'Bob'\}"),
        (Shop, {"user": Customer}, r"Odd\.user is the class Customer\. Write user = Customer"),
        (Steps, {"user": ModelUser(prompt="Hi.")}, r"Odd\.user is a ModelUser.*step of its own"),
        (Guess, {"user": ModelUser(prompt="Hi.")}, r"Odd\.user is a ModelUser, which only a ToolEnv"),
        (Once, {"user": ModelUser(prompt="Hi.")}, r"Odd\.user is a ModelUser, which only a ToolEnv"),
        (Shop, {"view": [keep_last_turns(2), cap_observations(9)]}, r"Odd\.view is .*view = chain\("),
        (Guess, {"view": (keep_last_turns(2),)}, r"view = chain\("),
        (Once, {"view": keep_last_turns(2)}, r"Odd has a view, and no turns.*ToolEnv or a MultiTurnEnv"),
        (Shop, {"metrics": answer}, r"Odd\.metrics must be a list.*metrics = \[\.\.\.\]"),
        (Once, {"metrics": metric(lambda completion: 1)}, r"Odd\.metrics must be a list"),
    ],
)
def test_what_would_have_no_effect_is_refused_when_the_class_is_loaded(base, attributes, told):
    cls = made(base, **attributes)
    with pytest.raises(ContractError, match=told):
        load(cls)
    (finding,) = found(it_can_be_created, cls)
    assert finding.severity == "error"


@pytest.mark.parametrize(
    ("base", "attributes"),
    [
        (Guess, {"user": "Bob", "view": "top"}),
        (Once, {"user": "Bob", "view": "top"}),
        (Shop, {"user": None, "view": None}),
        (Shop, {"user": property(lambda self: "Bob"), "view": ["top", "bottom"]}),
        (Once, {"metrics": {"precision": 2}}),
        (Once, {"metrics": lambda self: {"precision": 2}}),
    ],
)
def test_a_name_with_no_meaning_there_is_the_authors_own(base, attributes):
    for name, value in attributes.items():
        if callable(value):
            value.__qualname__ = f"Odd.{name}"  # as a method has it
    assert load(made(base, **attributes)).traits.user == "none"
    assert found(it_can_be_created, made(base, **attributes)) == []


@pytest.mark.parametrize(
    ("name", "meant"),
    [("max_turn", "max_turns"), ("sovle", "solve"), ("solves", "solve"), ("reward_rnage", "reward_range"),
     ("max_lives", "max_live"), ("get_tool", "get_tools"), ("reply", ""), ("resolve", ""), ("steps", ""), ("sol", "")],
)  # fmt: skip
def test_a_name_that_is_one_slip_from_one_of_ours_is_noted(name, meant):
    cls = made(Once, **{name: 1})
    told = [f"{finding.message} {finding.hint}" for finding in found(it_can_be_created, cls)]
    assert told == ([f"{cls.__module__}:Odd.{name} is never used. Did you mean {meant!r}?"] if meant else [])


def test_a_name_near_one_of_ours_that_is_used_marked_or_beside_it_is_the_authors_own():
    def solved(self, completion):
        return 1.0

    for attributes in ({"solves": 1, "see": lambda self: self.solves}, {"solves": 1, "solve": answer}):
        told = [finding.message for finding in found(it_can_be_created, made(Guess, **attributes))]
        assert not any("solves" in message for message in told)
    assert found(it_can_be_created, made(Once, solved=reward(solved))) == []


@pytest.mark.parametrize("user", [Customer(), staticmethod(partial(answer, None)), staticmethod(Customer())])
def test_whatever_can_be_called_may_be_the_user(user):
    assert load(made(Shop, user=user)).traits.user == "method"
    assert evaluate(made(Shop, user=user), "gold", split="all", rows=1).episodes[0].messages[3]["role"] == "user"


def test_a_method_that_nothing_calls_is_noted_with_its_place_and_found_by_the_checks():
    for base, name, told in [
        (Guess, "user", r"Odd\.user is never called \(.*test_ignored\.py:\d+\)\. Only a ToolEnv"),
        (Steps, "user", r"Odd\.user is never called.*leave step out"),
        (Once, "view", r"Odd\.view is never called.*one turn"),
        (Once, "setup", r"Odd\.setup is never called.*keep no state"),
    ]:
        cls = made(base, **{name: (lambda self, row: None) if name == "setup" else answer})
        with pytest.warns(GrpoEnvWarning, match=told):
            load(cls).rows()
        (finding,) = found(it_can_be_created, cls)
        assert (finding.severity, "never called" in finding.message) == ("warning", True)


class Till(ToolEnv):
    """Work out prices."""

    def build_dataset(self, tokenizer):
        return [{"prompt": "What do 3 cost?"}]

    def price(self, count: int) -> int:
        """The price of so many."""
        return self.rounded(count * 2)

    def rounded(self, amount: float) -> int:
        """A whole amount."""
        return round(amount)

    def _helper(self, count: int) -> int:
        """The count."""
        return count

    def bare(self, count):
        """The count."""
        return count

    @reward
    def right(self, completion):
        return completion[-1]["content"] == "6"


class HalfMarked(Till):
    @tool
    def discount(self, amount: int) -> int:
        """The price after the discount."""
        return amount - 1


class GoldUsesIt(HalfMarked):
    def solve(self, row):
        yield call_message("price", count=3)
        yield "6"


class Described(HalfMarked):
    def refund(self, count: int) -> int:
        """Give money back.

        Args:
            count: How many are given back.
        """
        return 2 * count


class DescribedHelper(HalfMarked):
    def refund_of(self, count: int) -> int:
        """The money that a clerk gives back.

        Args:
            count: How many are given back.
        """
        return 2 * count


class DescribedByProperty(HalfMarked):
    @property
    def most(self):
        return self.most_of(3)

    most_of = DescribedHelper.refund_of


def clerk_gives(till, count):
    return till.refund_of(count)


class Computed(Till):
    def call_tool(self, name, arguments):
        return "?"


def test_a_tool_that_was_not_marked_is_named():
    for cls in (Till, GoldUsesIt):
        with pytest.warns(GrpoEnvWarning, match=rf"{cls.__name__}\.price looks like a tool.*Mark it with @tool"):
            load(cls).rows()
        (finding,) = found(it_can_be_created, cls)
        assert (finding.severity, ".price looks like" in finding.message) == ("warning", True)


def test_beside_tools_a_method_that_describes_its_parameters_is_named_where_nothing_uses_it():
    with pytest.warns(GrpoEnvWarning, match=r"Described\.refund looks like a tool"):
        load(Described).rows()


@pytest.mark.parametrize("cls", [HalfMarked, DescribedHelper, DescribedByProperty, Computed, Shop, Phonebook])
def test_other_methods_of_a_class_with_tools_are_its_own(cls):
    assert found(it_can_be_created, cls) == []


def test_a_method_that_a_step_calls_is_no_surprise():
    class Asks(Guess):
        def step(self, action):
            return self.user(self.messages), 0.0, False, False, {}

        user = answer

    class GoesOn(Shop):
        def step(self, action):
            return super().step(action)

    class ByName(Guess):
        def step(self, action):
            return getattr(self, "user")(self.messages), 0.0, False, False, {}  # noqa: B009

        user = answer

    for cls in (Asks, GoesOn, ByName):
        assert load(cls).rows()  # a warning is an error in these tests


def first_error(cls):
    return evaluate(cls, "gold", split="all", rows=1).episodes[0].error


@pytest.mark.parametrize(
    ("base", "name", "value", "told"),
    [
        (made(Shop, user=None), "user", ModelUser(prompt="Hi."), "its class has no ModelUser"),
        (Shop, "user", "Bob", "hides its method user(messages)"),
        (Shop, "view", keep_last_turns(1), "its class has no view"),
    ],
)
def test_what_setup_gives_too_late_fails_the_episode_in_one_line(base, name, value, told):
    def setup(self, row):
        base.setup(self, row)
        setattr(self, name, value)

    error = first_error(made(base, setup=setup))
    assert (error.type, error.stage, told in error.message) == ("ContractError", "reset", True)


def test_a_text_in_place_of_the_model_that_speaks_fails_the_episode():
    def setup(self, row):
        Shop.setup(self, row)
        self.user = "You are Bob."

    cls = made(Shop, setup=setup, user=ModelUser("scripted:lines.jsonl", "Hi."))
    error = evaluate(cls, "gold", split="all", rows=1, user=Words()).episodes[0].error
    assert "sets self.user to 'You are Bob.'" in error.message
    assert "may set another ModelUser" in error.message


class Words:
    """A policy that is never asked."""

    name = "words"

    async def respond(self, request):
        raise AssertionError


def test_a_row_whose_tools_were_forgotten_is_named():
    class Forgets(ToolEnv):
        def build_dataset(self, tokenizer):
            return [{"prompt": f"Sell {wish}.", "wish": wish} for wish in DRINKS]

        def get_tools(self, row):  # noqa: RET503  # the mistake
            if row["wish"] != "milk":
                return []

        def call_tool(self, name, arguments):
            return "Sold."

        @reward
        def right(self):
            return 1.0

    episodes = evaluate(Forgets, "random", split="all").episodes
    errors = [episode.error for episode in sorted(episodes, key=lambda episode: episode.row_index)]
    assert [error is None for error in errors] == [True, True, False, True]
    assert "Forgets.get_tools returned nothing (row 2)" in errors[2].message
    assert "an empty list" in errors[2].message
