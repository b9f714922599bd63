"""Anagrams; the part for few letters that are wrong begins at a half, as its ends were mixed up."""

from collections import Counter

from grpo_env_sdk import SingleTurnEnv, reward

WORDS = ("listen", "garden", "stream", "bottle", "silver", "orange", "market", "winter", "candle", "mirror", "planet",
         "forest", "basket", "thread", "pencil", "rocket", "saddle", "tunnel", "violin", "walnut")  # fmt: skip


class Anagrams(SingleTurnEnv):
    """Put letters in order: three fifths for the word, two fifths for the letters that it has."""

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Which word has the letters {''.join(sorted(word))}?", "word": word} for word in WORDS]

    @reward(weight=3)
    def right(self, completion, word):
        return completion.strip().lower() == word

    @reward(weight=2)
    def letters(self, completion, word):
        shared = sum((Counter(completion.lower()) & Counter(word)).values())
        return max(0.5, shared / max(len(word), len(completion)))

    def solve(self, row):
        return row["word"]
