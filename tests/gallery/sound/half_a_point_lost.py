"""A wrong option costs half a point: the class declares the range of the score, and the reward itself none."""

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class Marked(SingleTurnEnv):
    reward_range = (-0.5, 1)

    def build_dataset(self, tokenizer):
        rows = []
        for n in range(40):
            right = (12 + n) * 7
            options = [right + 7, right - 10, right + 1]
            options.insert(n % 4, right)
            listed = " ".join(f"({letter}) {value}" for letter, value in zip("abcd", options, strict=True))
            rows.append(
                {"prompt": f"{12 + n} x 7 = ? {listed}. A wrong letter costs half a point.", "right": "abcd"[n % 4]}
            )
        return rows

    @reward
    def marks(self, completion, right):
        said = answer_text(completion).strip(" ().").lower()
        return 0.0 if said not in set("abcd") else 1.0 if said == right else -0.5

    def solve(self, row):
        return row["right"]
