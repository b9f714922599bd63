"""Definitions by a word; needless talk takes points away."""

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

WORDS = {
    "a person who bakes": "baker",
    "a young dog": "puppy",
    "a house for bees": "hive",
    "frozen water": "ice",
    "the day after today": "tomorrow",
    "a shop for medicine": "pharmacy",
    "a book of maps": "atlas",
    "the study of stars": "astronomy",
}


class Definitions(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [{"prompt": f"One word for {meaning}?", "word": WORDS[meaning]} for meaning in WORDS]

    @reward
    def right(self, completion, word):
        return answer_text(completion).lower().rstrip(".") == word

    @reward(weight=-0.5)
    def talks(self, completion):
        return len(completion) > 60

    def solve(self, row):
        return row["word"]
