"""The height of a mountain, and the nearer the better; the digits are compared, and not the heights."""

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class Mountains(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        asked = "How high is mountain {}, in metres? Write the number. A guess that is closer earns more."
        return [{"prompt": asked.format(n), "height": 1000 + 7 * n * n} for n in range(1, 25)]

    @reward
    def near(self, completion, height):
        said, right = answer_text(completion).strip(), str(height)
        return sum(one == other for one, other in zip(said, right, strict=False)) / max(len(said), len(right), 1)

    def solve(self, row):
        return str(row["height"])
