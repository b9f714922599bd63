"""Gold from what steps, tools and scorers compare: no column holds it, and there is no `solve`."""

import ast
import inspect
import textwrap

import pytest

from grpo_env_sdk.checking.check import all_checks
from grpo_env_sdk.checking.evidence.author_code.compared_values import Length
from grpo_env_sdk.checking.evidence.author_code.score_code import ScoreFunction, episode_functions
from grpo_env_sdk.checking.evidence.author_code.watched_comparisons import WatchedComparisons
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.stand_ins.act_repairs import Act, calls_with, repaired, replaced, text_act
from grpo_env_sdk.checking.evidence.stand_ins.compared_acts import ComparedActs
from grpo_env_sdk.checking.findings.transcript_text import turns_text
from grpo_env_sdk.checking.runner.worker import found_by
from tests.checking.environments import compared_envs as envs
from tests.checking.trying import subject_of

FOUND = [
    (envs.NamedFruit, "it is: low shelf, fig", "it is: middle shelf, kiwi"),
    (envs.Steps, "take lamp", "take rope"),
    (envs.Cases, 'case="C0"', 'case="C12"'),
    (envs.Report, "kiwi: 2", "kiwi: 3"),
    (envs.Till, "3.75", "5.00"),
    (envs.Crate, 'put(code="P-05")', "put"),
]


@pytest.mark.parametrize(("cls", "first", "last"), FOUND, ids=[cls.__name__ for cls, _, _ in FOUND])
def test_acts_are_found_that_score_the_top(cls, first, last):
    subject = subject_of(cls)
    _ = subject.rows
    before = {one.function: one.function.__code__ for one in episode_functions(subject.loaded.env)}
    search = ComparedActs(subject, 60.0, 60.0)
    for row, said in ((0, first), (1, last)):
        episode = search.best_of(row, 1.0)
        assert episode is not None
        assert episode.reward == 1.0
        assert said in turns_text(own_turns(episode.completion))
    assert {function: function.__code__ for function in before} == before


def test_what_was_luck_is_no_gold():
    subject = subject_of(envs.Dice)
    _ = subject.rows
    assert ComparedActs(subject, 60.0, 60.0).best_of(0, 1.0) is None
    assert next(envs.Dice.thrown) < 12


@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize(
    ("cls", "id", "said"),
    [(envs.Crate, "G562", "one more call of put"), (envs.Claims, "G565", "without any call")],
)
def test_a_check_of_acts_names_the_fault_and_does_not_accuse_the_same_without_it(cls, id, said, right):
    fixed = type("Fixed", (cls,), {"right": right, "__module__": envs.__name__})
    subject = subject_of(fixed, "quick")
    _ = subject.rows
    search = ComparedActs(subject, 60.0, 60.0)
    subject.once("stand-ins", lambda: {row: search.best_of(row, 1.0) for row in range(4)})
    findings = list(found_by(all_checks()[id], subject))
    assert [said in one.message for one in findings] == ([] if right else [True])


def watched(function, *given):
    """What a call gives or raises, and what it compared."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    code = function.__code__
    with WatchedComparisons([ScoreFunction(function, tree)]).watched() as seen:
        try:
            result = function(*given)
        except (KeyError, ZeroDivisionError) as exc:
            result = exc
    assert function.__code__ is code
    return result, [(one.left, one.right, one.alike) for one in seen]


def test_lookups_lengths_and_chains_are_told():
    result, seen = watched(envs.Busy.looks, envs.Busy(), "b", 1)
    assert result == ([2, True, False, True], {"b"}, 7.0, 2)
    assert seen == [
        ("b", ["a", "b"], True), ("b", {"a": 1, "b": 2}, True), ("b", Length(3), False), (0, 1, False), (1, 2, False),
        ({"b"}, {"b", "c"}, False), ("b", ["a", "b"], True),
    ]  # fmt: skip


def test_an_error_comes_through_and_a_chain_ends_where_it_ended():
    result, seen = watched(envs.Busy.looks, envs.Busy(), "x", 1)
    assert isinstance(result, KeyError)
    assert seen[-1] == ("x", ["a", "b"], False)
    assert watched(envs.Busy.stops, envs.Busy(), 0) == (False, [(1, 0, False)])
    assert isinstance(watched(envs.Busy.stops, envs.Busy(), 2)[0], ZeroDivisionError)


def test_code_that_is_left_running_needs_nothing_of_the_watch():
    tree = ast.parse(textwrap.dedent(inspect.getsource(envs.Busy.stops)))
    with WatchedComparisons([ScoreFunction(envs.Busy.stops, tree)]).watched() as seen:
        assert envs.Busy().in_thread() == [False]
        watched_code = envs.Busy.stops.__code__
    assert len(seen) == 1
    still_watched = type(envs.Busy.stops)(watched_code, envs.Busy.stops.__globals__)
    assert still_watched(envs.Busy(), 0) is False
    assert len(seen) == 1


def tool(name, /, **parameters):
    properties = {key: {"type": kind} for key, kind in parameters.items()}
    return {"function": {"name": name, "parameters": {"properties": properties, "required": list(properties)}}}


def test_a_state_is_repaired_in_the_way_in_which_it_was_made():
    acts = (Act("decide", {"case": "C1", "grade": "A"}), text_act("Done."))
    assert repaired(acts, {"C1": "A"}, {"C1": "B", "C2": "C"}) == (
        Act("decide", {"case": "C1", "grade": "B"}), Act("decide", {"case": "C2", "grade": "C"}), text_act("Done."),
    )  # fmt: skip
    assert repaired(acts, ["C1", "C7"], ["C7"]) == (text_act("Done."),)


def test_the_parts_of_an_item_become_arguments_by_their_kind():
    tools = [tool("sell", code="string", pieces="integer"), tool("save", name="string", content="string")]
    assert list(calls_with(("S-17", 4), tools[:1])) == [Act("sell", {"code": "S-17", "pieces": 4})]
    assert Act("save", {"name": "stock.txt", "content": "vex"}) in calls_with("stock.txt", tools)


@pytest.mark.parametrize(
    ("given", "own", "other", "expected"),
    [
        ("take qua", "qua", ["lamp"], "take lamp"),
        ("qua", "qua", "it is:", "it is: qua"),
        ("qua vex", ["qua", "vex"], Length(3), "qua vex qua"),
        (7, 7, 40, 41),
        (["qua"], "qua", "fig", ["fig"]),
    ],
)
def test_the_other_side_is_put_in_the_place_of_what_was_read(given, own, other, expected):
    assert Act("do", {"it": expected}) in replaced(Act("do", {"it": given}), own, other)
