"""A word chain: each word begins with the last letter of the one before, and none comes twice."""

from typing import ClassVar

from grpo_env_sdk import MultiTurnEnv

WORDS = "ant tiger rabbit toad dog goat tapir robin newt trout turtle eagle elk kiwi ibis seal lynx"
LINKS = 3


class WordChain(MultiTurnEnv):
    max_turns = 6
    reward_range = (0, 1)
    said: ClassVar[list[str]] = []

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Word chain of animals from: {WORDS}. I begin: {word}. One word a message.", "first": word}
            for word in WORDS.split()
            if chain_from([word])
        ]

    def setup(self, row):
        self.said.clear()
        self.said.append(row["first"])

    def step(self, action):
        word = action["content"].strip().lower()
        if word not in WORDS.split() or word in self.said or word[0] != self.said[-1][-1]:
            return "That does not fit.", 0.0, True, False, {}
        self.said.append(word)
        complete = len(self.said) > LINKS
        return "Go on.", float(complete), complete, False, {}

    def solve(self, row):
        return chain_from([row["first"]])[1:]


def chain_from(said):
    if len(said) > LINKS:
        return said
    fitting = (word for word in WORDS.split() if word[0] == said[-1][-1] and word not in said)
    return next((chain for word in fitting if (chain := chain_from([*said, word]))), None)
