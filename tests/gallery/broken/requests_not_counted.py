"""A caller answers two questions; the scorer counts the messages that end with a question mark."""

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool

PARTS = {"screen": ("cracked", "dark"), "battery": ("old", "swollen"), "button": ("stuck", "loose")}
ASKED = "Which part is broken?"


class Repairs(ToolEnv):
    max_turns = 8
    rules = "You may ask no more than two questions, then order the part."

    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": [
                    {"role": "system", "content": f"You take calls of a repair shop. {self.rules}"},
                    {"role": "user", "content": f"Hello, my phone {number} is broken."},
                ],
                "part": part,
                "damage": PARTS[part][number % 2],
            }
            for number in range(4)
            for part in PARTS
        ]

    def setup(self, row):
        self.questions, self.ordered = 0, None

    @tool
    def order(self, part: str, damage: str) -> str:
        """Order a part.

        Args:
            part: Which one.
            damage: What is wrong with it.
        """
        self.ordered = (part, damage)
        return "Ordered."

    def is_question(self, said):
        return said.endswith("?")

    def user(self, messages):
        if self.ordered:
            return None
        said = answer_text(messages).strip()
        self.questions += self.is_question(said)
        if "wrong" in said:
            return f"It is {self.row['damage']}."
        return f"The {self.row['part']}." if "part" in said else "Sorry?"

    @reward
    def right(self, part, damage):
        return self.ordered == (part, damage) and self.questions <= 2

    def solve(self, row):
        yield ASKED
        yield "And what is wrong with it?"
        yield call_message("order", part=row["part"], damage=row["damage"])
        yield "It is ordered."
