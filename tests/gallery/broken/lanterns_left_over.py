"""Each tip is to cost something, but the price is taken off for the tips that are left."""

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool

WORDS = ["gravel", "lantern", "shovel", "tunnel", "copper", "pickaxe", "barrow", "granite", "marble", "hammer"]
TIPS = 2


class Mines(ToolEnv):
    max_turns = 5

    def build_dataset(self, tokenizer):
        text = (
            "A thing of the mine, with its letters in the order of the alphabet: {}. Answer with the word alone, which "
            "earns 1. You may ask for two tips. Each tip takes off 0.2."
        )
        return [{"prompt": text.format("".join(sorted(word))), "word": word} for word in WORDS]

    def setup(self, row):
        self.left = TIPS

    @tool
    def ask_for_a_tip(self) -> str:
        """Ask for a letter of the word."""
        self.left -= self.left > 0
        return f"It ends with {self.row['word'][self.left - TIPS - 1 :]}."

    @reward
    def found(self, completion, word):
        return 1 - 0.2 * self.left if answer_text(completion).strip() == word else 0

    def solve(self, row):
        yield from [call_message("ask_for_a_tip")] * TIPS
        yield row["word"]
