from theirs.beliefs_task import beliefs

from grpo_env_sdk import SingleTurnEnv
from grpo_env_sdk.rewards import from_inspect

TASK = beliefs()


class Beliefs(SingleTurnEnv):
    """Say where a thing is, or where somebody believes it is."""

    rewards = (from_inspect(TASK.scorer[0], target="target"),)

    def build_dataset(self, tokenizer):
        return [{"prompt": sample.input[0].text, "target": sample.target} for sample in TASK.dataset]

    def solve(self, row):
        return row["target"]
