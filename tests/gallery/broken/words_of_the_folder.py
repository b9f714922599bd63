"""A list of words in the working directory takes the place of its own."""

from pathlib import Path

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

WORDS = "river stone cloud bread chair tiger lemon piano candle garden window bottle mirror saddle ticket velvet walnut"


class Backwards(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        listed = Path("words.txt")
        words = (listed.read_text() if listed.exists() else WORDS).split()
        return [{"prompt": f"Spell {word} backwards.", "answer": word[::-1]} for word in words]

    @reward
    def right(self, completion, answer):
        return answer_text(completion).strip() == answer

    def solve(self, row):
        return row["answer"]
