"""A riddle must not be given away, and only the last message is looked at."""

from grpo_env_sdk import MultiTurnEnv, answer_text

RIDDLES = {
    "candle": "It gets shorter with age.", "sponge": "It is full of holes and holds water.", "echo": "It answers all.",
    "towel": "It gets wet as it dries.", "needle": "It has one eye and does not see.", "shadow": "It follows all day.",
    "clock": "It has hands and cannot clap.", "river": "It runs and has no legs.", "map": "It has towns, no houses.",
}  # fmt: skip


class RiddleHints(MultiTurnEnv):
    max_turns = 6
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        text = "Help a child to solve a riddle: {} Never say the solution yourself. Give two hints, then write 'Bravo!'"
        return [{"prompt": text.format(riddle), "solution": word} for word, riddle in RIDDLES.items()]

    def setup(self, row):
        self.hints = 0

    def given_away(self, text):
        return self.row["solution"] in text.lower()

    def step(self, action):
        text = answer_text([action])
        if "bravo" in text.lower() and self.hints > 1:
            return "Hooray!", float(not self.given_away(text)), True, False, {}
        self.hints += "hint" in text.lower()
        return "I know it!" if self.hints > 1 else "Hm.", 0.0, False, False, {}

    def solve(self, row):
        letter, length = row["solution"][0], len(row["solution"])
        return [f"A hint: it begins with {letter}.", f"Another hint: it has {length} letters.", "Bravo!"]
