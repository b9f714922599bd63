"""A guess is right if the bird is somewhere in it."""

from grpo_env_sdk import MultiTurnEnv

BIRDS = ("wren", "robin", "heron", "kestrel", "dipper", "linnet", "plover", "curlew", "siskin", "dunlin")


class Birds(MultiTurnEnv):
    max_turns = 6
    reward_range = (0, 1)
    exact = False

    def build_dataset(self, tokenizer):
        text = "I think of one of these: {}. Ask 'letter x', and then say 'guess BIRD', once. Round {}."
        return [{"prompt": text.format(", ".join(BIRDS), n), "bird": BIRDS[n * 3 % 10]} for n in range(12)]

    def setup(self, row):
        pass

    def step(self, action):
        verb, _, rest = action["content"].strip().lower().partition(" ")
        if verb == "letter":
            return "yes" if rest[:1] in self.row["bird"] else "no", 0.0, False, False, {}
        if verb == "guess":
            right = rest == self.row["bird"] if self.exact else self.row["bird"] in rest
            return "That was it." if right else "No.", float(right), True, False, {}
        return "A letter, or a guess?", 0.0, False, False, {}
