"""Twenty questions on one prompt: the rows differ in what is to be found out."""

from grpo_env_sdk import MultiTurnEnv

ANIMALS = {
    "eagle": ("flies", "eats meat"),
    "bee": ("flies", "is small"),
    "shark": ("swims", "eats meat"),
    "carp": ("swims",),
    "wolf": ("eats meat", "has fur"),
    "mouse": ("is small", "has fur"),
    "cow": ("has fur", "gives milk"),
}
TRAITS = ("flies", "swims", "eats meat", "is small", "has fur", "gives milk")


class TwentyQuestions(MultiTurnEnv):
    max_turns = 8
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        prompt = f"Which of {', '.join(ANIMALS)}? Ask: {', '.join(TRAITS)}. Then name the animal, once."
        return [{"prompt": prompt, "animal": animal} for animal in ANIMALS]

    def step(self, action):
        said = action["content"].strip().lower().rstrip("?")
        if said in TRAITS:
            return "Yes." if said in ANIMALS[self.row["animal"]] else "No.", 0.0, False, False, {}
        right = said == self.row["animal"]
        return "Right." if right else "Wrong.", float(right), True, False, {}

    def solve(self, row):
        has = set()
        for trait in TRAITS:
            answered = yield trait
            if answered[-1]["content"] == "Yes.":
                has.add(trait)
        yield next(animal for animal, traits in ANIMALS.items() if set(traits) == has)
