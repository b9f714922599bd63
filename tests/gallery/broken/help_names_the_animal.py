"""Twenty questions about an animal; the help for odd questions quotes the one that is thought of."""

from grpo_env_sdk import MultiTurnEnv, answer_text

ANIMALS = {
    "otter": ("fur", "swims"), "heron": ("feathers", "flies"), "mole": ("fur", "digs"), "trout": ("scales", "swims"),
    "adder": ("scales", "crawls"), "owl": ("feathers", "hoots"),
}  # fmt: skip


class TwentyQuestions(MultiTurnEnv):
    max_turns = 8
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        text = (
            f"I think of one of these animals: {', '.join(ANIMALS)}. Ask about one property in each message, as in "
            "`has: fur`, and say `it is: ANIMAL` when you know it. This is game {}."
        )
        return [{"prompt": text.format(n), "animal": animal} for n, animal in enumerate([*ANIMALS] * 4)]

    def step(self, action):
        verb, _, rest = answer_text(action["content"] or "").strip().lower().partition(": ")
        animal = self.row["animal"]
        if verb == "it is":
            return "The game is over.", float(rest == animal), True, False, {}
        if verb == "has":
            return "Yes." if rest in ANIMALS[animal] else "No.", 0.0, False, False, {}
        return f"Usage: has: PROPERTY, one that the {animal} may have.", 0.0, False, False, {}
