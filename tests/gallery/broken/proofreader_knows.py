"""A tool says of any word whether it would be marked right, as often as one asks."""

from grpo_env_sdk import ToolEnv, answer_text, reward, tool

PLURALS = {
    "ox": "oxen", "goose": "geese", "mouse": "mice", "louse": "lice", "foot": "feet", "tooth": "teeth",
    "child": "children", "die": "dice", "sheep": "sheep", "cactus": "cacti", "knife": "knives", "leaf": "leaves",
}  # fmt: skip


class Plurals(ToolEnv):
    max_turns = 4
    knows = True

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"What is the plural of {one}? Answer with the word alone.", "plural": many}
            for one, many in PLURALS.items()
        ]

    @tool
    def proofread(self, word: str) -> str:
        """Say whether a word is spelled right.

        Args:
            word: The word.
        """
        return (
            f"{word}: {'right' if word in ([self.row['plural']] if self.knows else PLURALS.values()) else 'not right'}"
        )

    @reward
    def right(self, completion, plural):
        return answer_text(completion).strip().lower() == plural

    def solve(self, row):
        return row["plural"]
