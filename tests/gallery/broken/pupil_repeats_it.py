"""A pupil must find a plural; the pupil repeats what the teacher says, and that is all that is looked at."""

from grpo_env_sdk import MultiTurnEnv, answer_text

PLURALS = {
    "mouse": "mice", "goose": "geese", "child": "children", "tooth": "teeth", "leaf": "leaves", "ox": "oxen",
    "foot": "feet", "knife": "knives", "louse": "lice", "wolf": "wolves",
}  # fmt: skip


class PluralLesson(MultiTurnEnv):
    max_turns = 6
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        text = (
            "A pupil asks: what is the plural of '{}'? Lead the pupil to it with two questions, one on the vowels and "
            "one on the ending. Never say the answer yourself."
        )
        return [{"prompt": text.format(word), "plural": plural} for word, plural in PLURALS.items()]

    def setup(self, row):
        self.asked = set()

    def step(self, action):
        said = answer_text(action).lower()
        self.asked |= {word for word in ("vowel", "ending") if word in said and "?" in said}
        if self.row["plural"] in said or len(self.asked) == 2:
            return f"Oh, {self.row['plural']}!", 1.0, True, False, {}
        return "I am not sure.", 0.0, False, False, {}

    def solve(self, row):
        return ["Which vowels does it have?", "And what becomes of its ending?"]
