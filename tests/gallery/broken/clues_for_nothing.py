"""Ciphers with clues that take half of the score; a clue is given wherever its word is found in a message."""

from grpo_env_sdk import MultiTurnEnv, answer_text, reward

WORDS = ["lantern", "orchard", "pebble", "saddle", "thimble", "velvet", "walnut", "anchor", "bonnet", "candle"]


class Ciphers(MultiTurnEnv):
    max_turns = 4
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        asked = "Which word is this, backwards and without vowels: {}? Write `clue` to see its vowels for half a point."
        hidden = [(word, "".join(letter for letter in reversed(word) if letter not in "aeiou")) for word in WORDS]
        return [{"prompt": asked.format(shown), "word": word} for word, shown in hidden]

    def setup(self, row):
        self.won = False

    def step(self, action):
        said = answer_text([action]).strip().lower()
        if "clue" in said:
            return "".join(letter for letter in self.row["word"] if letter in "aeiou"), 0.0, False, False, {}
        self.won = said == self.row["word"]
        return "Right." if self.won else "Wrong.", 0.0, True, False, {}

    @reward
    def points(self, messages):
        bought = any(one["role"] == "assistant" and one["content"] == "clue" for one in messages)
        return self.won * (0.5 if bought else 1.0)

    def solve(self, row):
        return [row["word"]]
