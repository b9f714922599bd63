import asyncio
import re

import pytest

from grpo_env_sdk import MultiTurnEnv, SingleTurnEnv, evaluate, load, metric, reward
from grpo_env_sdk.errors import ContractError, UnknownNameError
from grpo_env_sdk.policies import make_policy
from grpo_env_sdk.rewards import Reward, length
from grpo_env_sdk.rewards.scorer import Scorer
from grpo_env_sdk.rollout.driver import Rollout, jobs_for
from grpo_env_sdk.rollout.in_threads import rollouts
from tests.environments import Countdown


class Sums(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [{"prompt": f"{n} + 1?", "answer": str(n + 1), "case_idx": n} for n in range(5)]

    @reward
    def right(self, completion, answer):
        return completion == answer

    @metric
    def letters(self, completion):
        return len(completion)

    @metric(name="late")
    async def asked_late(self, case_idx):
        await asyncio.sleep(0)
        return None if case_idx == 0 else float(case_idx > 2)

    def solve(self, row):
        return row["answer"]


def episodes_of(env):
    async def collect():
        loaded = load(env)
        found = loaded.rows()
        return [episode async for episode in rollouts(loaded, found, Rollout(make_policy("gold")), jobs_for(found, 1))]

    return sorted(asyncio.run(collect()), key=lambda episode: episode.row_index)


def test_a_metric_is_kept_beside_the_score_and_counts_for_nothing():
    episodes = episodes_of(Sums)
    assert [episode.reward for episode in episodes] == [1.0] * 5
    assert [episode.rewards for episode in episodes] == [{"right": 1.0}] * 5
    assert [episode.metrics for episode in episodes] == [
        {"letters": 1.0}, {"letters": 1.0, "late": 0.0}, {"letters": 1.0, "late": 0.0}, {"letters": 1.0, "late": 1.0},
        {"letters": 1.0, "late": 1.0},
    ]  # fmt: skip


def test_a_metric_beside_a_scorer_of_ones_own():
    class Plain:
        def build_dataset(self, tokenizer):
            return [{"prompt": "Go."}]

        def score_episode(self, model, tokenizer, completion):
            return 0.5

        @metric
        def letters(self, completion):
            return len(completion)

        def solve(self, row):
            return "gone"

    (episode,) = episodes_of(Plain)
    assert (episode.reward, episode.rewards, episode.metrics) == (0.5, {}, {"letters": 4.0})


def test_a_metric_joins_what_a_step_tells():
    class Steps(MultiTurnEnv):
        def build_dataset(self, tokenizer):
            return [{"prompt": "Go."}]

        def step(self, action):
            return "", 1.0, True, False, {"metrics": {"near": 0.25}}

        @metric
        def turns(self, episode):
            return episode.turns

        def solve(self, row):
            return "gone"

    (episode,) = episodes_of(Steps)
    assert (episode.reward, episode.metrics) == (1.0, {"near": 0.25, "turns": 1.0})


def test_a_metric_alone_scores_nothing():
    class Unscored(SingleTurnEnv):
        def build_dataset(self, tokenizer):
            return [{"prompt": "Go."}]

        @metric
        def letters(self, completion):
            return len(completion)

    with pytest.raises(ContractError, match="has no reward, so nothing would ever be scored"):
        load(Unscored)


def test_a_metric_that_asks_for_what_no_row_has_is_told_when_the_rows_are_built():
    class Wrong(Sums):
        @metric
        def wanted(self, anser):
            return 0.0

    with pytest.raises(UnknownNameError, match=r"asks for 'anser', which is not a column .*Did you mean 'answer'"):
        load(Wrong).rows()


def test_a_metric_that_is_no_number_fails_its_own_episode():
    class Wrong(Sums):
        @metric
        def letters(self, case_idx):
            return "many" if case_idx == 1 else 1

    episodes = episodes_of(Wrong)
    assert "the metric 'letters' returned 'many' (str), which is not a score" in episodes[1].error.message
    assert [episode.error is None for episode in episodes] == [True, False, True, True, True]


def test_what_a_metric_gives_is_what_a_stored_episode_is_scored_with_again():
    made = load(Sums)
    episode = episodes_of(Sums)[3]
    assert Scorer(made.env).score(episode).metrics == {"letters": 1.0, "late": 1.0}


def test_metric_marks_functions_and_nothing_else():
    with pytest.raises(ContractError, match=r"@metric decorates a function, got 'late'\. Write @metric\(name=\.\.\.\)"):
        metric("late")


@metric(name="letters")
def how_long(completion):
    return len(completion)


def words(completion, shortest=0):
    return len(completion.split())


class Listing(Countdown):
    metrics = (how_long, words, length(1, 10))

    def __init__(self):
        super().__init__(4)
        self.metrics_seen = [0.5]


def test_metrics_can_be_listed_like_rewards():
    found = evaluate(Listing, "gold", split="all")
    assert found.episodes[0].metrics == {"letters": 3.0, "words": 2.0, "length": 1.0}
    assert found.episodes[0].rewards == {}


def test_an_attribute_of_an_instance_named_metrics_is_the_authors_own():
    class Own(Countdown):
        def __init__(self):
            super().__init__(4)
            self.metrics = [0.5, "mine"]

    assert evaluate(Own, "gold", split="all").episodes[0].metrics == {}


@pytest.mark.parametrize(("attribute", "listed", "told"), [
    ("metrics", [how_long, how_long], "two metrics named 'letters'"), ("metrics", ["words"], "'words' is not a reward"),
    ("metrics", [Reward(words, "both", parts={"a": 1.0})], "'both' gives no single number"),
    ("rewards", [how_long], "'letters' is a metric, not a reward. List it in `metrics`."),
])  # fmt: skip
def test_what_is_listed_in_the_wrong_place_is_refused(attribute, listed, told):
    class Plain(SingleTurnEnv):
        rewards = (length(1, 10),)

        def build_dataset(self, tokenizer):
            return [{"prompt": "Go."}]

    with pytest.raises(ContractError, match=re.escape(told)):
        load(type("Wrong", (Plain,), {attribute: listed}))


def test_a_listed_metric_that_asks_for_no_column_is_reported_with_the_rows():
    def counts(completoin):
        return 0

    with pytest.raises(UnknownNameError, match="Did you mean 'completion'"):
        load(type("Asking", (Countdown,), {"metrics": [counts]})).rows()
