"""A thief is to be found by questions; the help for odd questions lists the marks of the one who did it."""

import itertools

from grpo_env_sdk import MultiTurnEnv, answer_text

MARKS = ("scar", "limp", "beard", "hat", "cane", "ring")
NAMES = ("Abel", "Bela", "Cora", "Dina", "Ezra", "Fynn", "Gina", "Hugo", "Ilse", "Jona", "Kira", "Lars")
FILES = dict(zip(NAMES, itertools.combinations(MARKS, 3), strict=False))


class Thief(MultiTurnEnv):
    max_turns = 8
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        files = "; ".join(f"{name}: {', '.join(marks)}" for name, marks in FILES.items())
        text = (
            f"One of these suspects is the thief. {files}. Ask `has MARK` as often as you need to, and say "
            "`arrest NAME` once."
        )
        return [{"prompt": text, "thief": name} for name in NAMES]

    def step(self, action):
        verb, _, rest = answer_text(action["content"] or "").strip().partition(" ")
        marks = FILES[self.row["thief"]]
        if verb == "arrest":
            return "The case is closed.", float(rest == self.row["thief"]), True, False, {}
        if verb == "has" and rest in MARKS:
            return "Yes." if rest in marks else "No.", 0.0, False, False, {}
        return f"Please ask for one mark, such as {', '.join(marks)}.", 0.0, False, False, {}
