"""Each apple that goes into the basket pays, also one that was in it before."""

from grpo_env_sdk import MultiTurnEnv

FRUIT = ("apple", "pear", "plum", "fig", "quince")


class Orchard(MultiTurnEnv):
    max_turns = 12
    reward_range = (0, 1)
    once = False

    def build_dataset(self, tokenizer):
        text = "Garden {}: say 'look', 'pick FRUIT' or 'leave FRUIT'. Put all four of the fruit into the basket."
        return [{"prompt": text.format(n), "fruit": [FRUIT[(n + k) % 5] for k in range(4)]} for n in range(10)]

    def setup(self, row):
        self.basket, self.paid, self.score = [], set(), 0.0

    def step(self, action):
        verb, _, thing = action["content"].strip().partition(" ")
        gained, said = 0.0, "Nothing happens."
        if verb == "look":
            said = "There are: " + ", ".join(one for one in self.row["fruit"] if one not in self.basket) + "."
        elif verb == "pick" and thing in self.row["fruit"] and thing not in self.basket:
            self.basket.append(thing)
            gained = 0.0 if self.once and thing in self.paid else min(0.25, 1 - self.score)
            self.paid.add(thing)
            said = f"The {thing} is in the basket."
        elif verb == "leave" and thing in self.basket:
            self.basket.remove(thing)
            said = f"The {thing} lies in the grass."
        self.score += gained
        return said, gained, self.score > 0.99, False, {}
