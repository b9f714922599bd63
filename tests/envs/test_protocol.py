"""The contract: which classes are environments, and which columns reach a scorer."""

import gymnasium
import pytest

from grpo_env_sdk import MultiTurnEnv, load
from grpo_env_sdk.envs.protocol import Environment, check_contract, tools_of
from grpo_env_sdk.errors import ContractError
from grpo_env_sdk.isolation.author_code.arguments import columns_wanted, takes
from grpo_env_sdk.rewards import exact_match, reward


class Plain:
    def build_dataset(self, tokenizer):
        return [{"prompt": "hi"}]

    def score_episode(self, model, tokenizer, completion):
        return 1.0


class Rewarded:
    def build_dataset(self, tokenizer):
        return [{"prompt": "hi"}]

    @reward
    def right(self, completion):
        return 1.0


class Inheriting(Rewarded):
    pass


class Listing:
    rewards = [exact_match()]  # noqa: RUF012  # as an author writes it

    def build_dataset(self, tokenizer):
        return [{"prompt": "hi", "answer": "ho"}]


class Nothing:
    pass


class Unscored:
    def build_dataset(self, tokenizer):
        return [{"prompt": "hi"}]


@pytest.mark.parametrize("cls", [Plain, Rewarded, Inheriting, Listing])
def test_a_class_with_a_dataset_and_a_way_to_score_is_an_environment(cls):
    check_contract(cls)


def test_a_class_without_both_is_told_both():
    with pytest.raises(ContractError, match="has no build_dataset and no score_episode") as caught:
        check_contract(Nothing)
    assert "test_protocol:Nothing is no environment" in caught.value.message
    assert "tests/envs/test_protocol.py:" in caught.value.message
    assert "build_dataset(tokenizer) and score_episode(model, tokenizer, completion)" in caught.value.hint


def test_a_class_of_another_library_is_told_its_way_here():
    class Walk(gymnasium.Env):
        def step(self, action):
            return 0, 0.0, True, False, {}

    class Echo:
        def reset(self):
            return "ready"

        def step(self, action):
            return action

    gymnasium.register("Walk-v0", entry_point=Walk)
    try:
        with pytest.raises(ContractError, match="no environment") as caught:
            check_contract(Walk)
    finally:
        del gymnasium.registry["Walk-v0"]
    assert f'{{"id": "{__name__}:Walk-v0"' in caught.value.hint
    with pytest.raises(ContractError, match="no environment") as caught:
        check_contract(Echo)
    assert "a MultiTurnEnv with a build_dataset can hold one" in caught.value.hint


def test_a_class_that_answers_as_for_verifiers_is_told_its_way_here():
    class Answers:
        def env_response(self, messages, state):
            return []

    class Stepless(Answers, MultiTurnEnv):
        build_dataset = Plain.build_dataset

    for given in (lambda: check_contract(Answers), lambda: load(Stepless)):
        with pytest.raises(ContractError) as caught:
            given()
        assert "write step(self, action) of a MultiTurnEnv" in caught.value.hint
        assert "Move here from another library" in caught.value.hint


def test_a_class_that_cannot_score_is_told_so():
    with pytest.raises(ContractError, match=r"Unscored is no environment: it has no score_episode \("):
        check_contract(Unscored)


def test_a_class_satisfies_the_protocol_with_tools_and_without():
    class Whole(Plain):
        def get_tools(self):
            return []

    assert isinstance(Whole(), Environment)
    assert isinstance(Plain(), Environment)
    assert not isinstance(Unscored(), Environment)
    assert not isinstance(Nothing(), Environment)


def test_get_tools_may_be_left_out():
    assert tools_of(Plain()) == []


def test_get_tools_may_return_nothing():
    class Toolless(Plain):
        def get_tools(self):
            return None

    assert tools_of(Toolless()) == []


def test_tools_may_be_a_tuple():
    class Tuple(Plain):
        def get_tools(self):
            return ({"type": "function"},)

    assert tools_of(Tuple()) == [{"type": "function"}]


def test_tools_that_are_no_list_are_refused_with_file_and_line():
    class One(Plain):
        def get_tools(self):
            return {"type": "function"}

    with pytest.raises(
        ContractError, match=r"One\.get_tools returned dict \(tests/envs/test_protocol\.py:\d+\)\. Return a"
    ):
        tools_of(One())


OFFERED = {"prompt": "p", "answer": 1, "case_idx": 0, "completion": "c", "row": {}}


def test_a_scorer_gets_the_columns_that_it_names():
    def score(model, tokenizer, completion, answer, *, case_idx, missing=3):
        """Names two of them."""

    assert columns_wanted(score, 3, OFFERED) == {"answer": 1, "case_idx": 0}


def test_a_scorer_with_kwargs_gets_all_but_what_it_gets_by_position():
    def score(model, tokenizer, completion, **columns):
        """Takes whatever there is."""

    assert columns_wanted(score, 3, OFFERED) == {"prompt": "p", "answer": 1, "case_idx": 0, "row": {}}


def test_a_scorer_of_any_arguments_gets_all():
    def score(*args, **columns):
        """Takes whatever there is."""

    assert columns_wanted(score, 3, OFFERED) == OFFERED


def test_a_column_named_model_stays_out_of_the_way():
    def score(model, tokenizer, completion, **columns):
        """Takes whatever there is."""

    assert "model" not in columns_wanted(score, 3, {"model": "T-Ford", "year": 1908})


def test_only_a_parameter_that_is_named_is_taken():
    def splitting(tokenizer, split="train"):
        """Knows splits."""

    def passing(tokenizer, **options):
        """Knows nothing of splits, and would give all rows twice."""

    assert takes(splitting, "split")
    assert not takes(passing, "split")
