"""One answer, judged by named rewards."""

import pytest

from grpo_env_sdk import SingleTurnEnv, evaluate, make, reward
from grpo_env_sdk.errors import ContractError
from grpo_env_sdk.rewards import exact_match


class Sums(SingleTurnEnv):
    rewards = (exact_match("answer", weight=2),)

    def __init__(self, largest: int = 3) -> None:
        self.largest = largest

    def build_dataset(self, tokenizer):
        numbers = range(self.largest)
        return [{"prompt": f"{a} + {b} = ?", "answer": str(a + b)} for a in numbers for b in numbers]

    @reward
    def short(self, completion):
        return len(completion) < 20

    def solve(self, row):
        return row["answer"]


class Chat(Sums):
    def build_dataset(self, tokenizer):
        return [{"prompt": [{"role": "user", "content": "1 + 1 = ?"}], "answer": "2"}]

    @reward
    def short(self, completion):
        return len(completion[-1]["content"]) < 20


def test_it_runs_as_any_environment():
    summary = evaluate(Sums, "gold", split="all").summary
    assert (summary["reward"]["mean"], summary["episodes"]) == (1.0, 9)
    assert {name: part["mean"] for name, part in summary["rewards"].items()} == {"short": 1.0, "exact_match": 1.0}


def test_it_can_be_scored_by_hand():
    assert Sums().score_episode(None, None, "4", prompt="2 + 2 = ?", answer="4") == 1.0
    assert Sums().score_episode(None, None, "5", answer="4") == pytest.approx(1 / 3)
    assert make("tests.envs.test_single_turn:Sums", largest=2).score_episode(None, None, "x" * 50, answer="4") == 0.0


def test_a_chat_can_be_scored_by_hand():
    said = [{"role": "assistant", "content": "2"}]
    assert Chat().score_episode(None, None, said, answer="2") == 1.0
    assert Chat().score_episode(None, None, said, prompt=[{"role": "user", "content": "1 + 1"}], answer="2") == 1.0


def test_a_score_by_hand_is_the_score_of_an_episode():
    row = {"prompt": "1 + 1 = ?", "answer": "2", "case_idx": 4}
    assert Sums().score_episode(None, None, "3", **row) == pytest.approx(1 / 3)
    assert Sums().score_episode(None, None, "3", **row, row=row) == pytest.approx(1 / 3)


def test_a_class_without_rows_is_told():
    class Rowless(SingleTurnEnv):
        rewards = (exact_match(),)

    with pytest.raises(
        ContractError, match=r"Rowless has no build_dataset\. Write one that returns rows with a prompt\."
    ):
        evaluate(Rowless)


def test_a_class_without_rewards_is_told():
    class Rewardless(SingleTurnEnv):
        def build_dataset(self, tokenizer):
            return [{"prompt": "hi"}]

    with pytest.raises(ContractError, match="has no reward, so nothing would ever be scored"):
        evaluate(Rewardless)


def test_a_scorer_of_its_own_beside_rewards_is_told():
    class Both(Sums):
        def score_episode(self, model, tokenizer, completion):
            return 1.0

    with pytest.raises(ContractError, match=r"Both has both score_episode and rewards \(short\)\. Keep one"):
        evaluate(Both)
