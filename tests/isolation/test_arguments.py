"""What the source of a function does with one of its parameters."""

import functools
import inspect

import pytest

from grpo_env_sdk import check_env, evaluate, load, make, to_gymnasium
from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.isolation.author_code.arguments import parameters_of, reads, touches


class Scorers:
    def ignored(self, model, completion):
        return 1.0

    def deleted(self, model, completion):
        del model
        return 1.0

    def passed(self, model, completion):
        return self.ignored(model, completion)

    def called(self, model, completion):
        return model(completion)

    async def asked(self, model, completion):
        return await model.generate(completion)

    def within(self, model, completion):
        return [model.score(word) for word in completion]

    def spread(self, *given):
        return given[0].generate()


@pytest.mark.parametrize(("name", "read", "touched"), [
    ("ignored", False, False),
    ("deleted", False, False),
    ("passed", True, False),
    ("called", True, True),
    ("asked", True, True),
    ("within", True, True),
    ("spread", True, False),
])  # fmt: skip
def test_a_parameter_is_read_or_touched(name, read, touched):
    function = getattr(Scorers(), name)
    assert (reads(function, 0), touches(function, 0)) == (read, touched)


def test_what_has_no_source_may_read_everything():
    names = {}
    exec("def typed(model): return 1", names)
    assert (reads(names["typed"], 0), touches(names["typed"], 0)) == (True, False)


@pytest.mark.parametrize("function", [
    Scorers.ignored, Scorers().ignored, Scorers().spread, functools.partial(Scorers().ignored, 1), Scorers,
    functools.wraps(Scorers.ignored)(lambda *args: None), pytest.raises,
])  # fmt: skip
def test_parameters_are_those_of_the_signature(function):
    assert parameters_of(function) == list(inspect.signature(function).parameters.values())


def test_the_signature_of_a_method_is_read_once_for_all_instances(monkeypatch):
    class Other(Scorers):
        def ignored(self, model, completion, *, answer):
            return 1.0

    found = parameters_of(Other().ignored)
    monkeypatch.setattr(inspect, "signature", None)
    assert parameters_of(Other().ignored) == found


@pytest.mark.parametrize("function", [load, evaluate, check_env, to_gymnasium])
def test_a_keyword_that_is_no_name_is_one_line_with_the_nearest(function):
    with pytest.raises(UsageError, match=r"takes no .env_config.\. Did you mean .config."):
        function("hotel-v1", env_config={"difficulty": "easy"})


def test_a_config_by_place_is_one_line_with_what_to_write():
    with pytest.raises(UsageError, match=r"Like make\(env, \*\*\{'difficulty': 'easy'\}\)"):
        make("hotel-v1", {"difficulty": "easy"})
    with pytest.raises(UsageError, match=r"Like evaluate\(env, policy, NAME=\{'difficulty': 'easy'\}\)"):
        evaluate("hotel-v1", "gold", {"difficulty": "easy"})
