"""Every score is appended to a list of the module."""

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

LOG = []


class Logged(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [{"prompt": f"What is {n} + {n * 3 % 17}?", "answer": str(n + n * 3 % 17)} for n in range(40, 90)]

    @reward
    def right(self, completion, answer):
        said = answer_text(completion)
        LOG.append({"said": said, "answer": answer, "right": said == answer})
        return said.strip() == answer

    def solve(self, row):
        return row["answer"]
