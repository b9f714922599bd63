"""Write a word in the plural; the plurals still have the words that are too long to be asked for."""

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

WORDS = ["wolf", "child", "photosynthesis", "mouse", "leaf", "knife", "ox", "tooth", "goose", "man", "shelf", "foot"]
PLURALS = ["wolves", "children", "photosyntheses", "mice", "leaves", "knives", "oxen", "teeth", "geese", "men",
           "shelves", "feet"]  # fmt: skip


class Plurals(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [{"prompt": f"What is the plural of `{word}`? Reply with it alone."} for word in WORDS if len(word) < 9]

    @reward
    def right(self, completion, case_idx):
        return answer_text(completion).strip() == PLURALS[case_idx]

    def solve(self, row):
        return PLURALS[row["case_idx"]]
