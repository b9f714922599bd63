"""A reward of TRL for words that no other completion of the group has gets one completion at a time."""

from grpo_env_sdk import SingleTurnEnv
from grpo_env_sdk.rewards import from_trl

RHYMES = {
    "cat": ["hat", "mat", "bat"],
    "light": ["night", "right", "sight"],
    "moon": ["soon", "noon", "tune"],
    "tree": ["bee", "sea", "key"],
    "rain": ["train", "lane", "crane"],
    "house": ["mouse", "blouse", "grouse"],
}


def rhyme(completions, word, **columns):
    return [float(one.strip() in RHYMES[its]) for one, its in zip(completions, word, strict=True)]


def unlike_the_others(completions, prompts, **columns):
    said = list(zip(prompts, completions, strict=True))
    return [1 / said.count(one) for one in said]


class Rhymes(SingleTurnEnv):
    rewards = (from_trl(rhyme), from_trl(unlike_the_others, weight=0.5))

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Write one word that rhymes with `{word}`, and nothing else.", "word": word}
                for word in RHYMES]  # fmt: skip

    def solve(self, row):
        return RHYMES[row["word"]][0]
