"""Look up the code of a spare part; the error of another tool suggests it to whoever asks for any code."""

import random

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool

PARTS = [f"{size} {kind}" for size in ("small", "large", "double") for kind in ("hinge", "valve", "spring", "gasket")]


class SpareParts(ToolEnv):
    max_turns = 5

    def build_dataset(self, tokenizer):
        codes = random.Random(0).sample(range(1000, 9999), len(PARTS))
        return [
            {"prompt": f"Which code has the {part}? Reply with the code alone.", "part": part, "code": f"S-{code}"}
            for part, code in zip(PARTS, codes, strict=True)
        ]

    @tool
    def look_up(self, part: str) -> str:
        """Look up the code of a part.

        Args:
            part: Its name.
        """
        return self.row["code"] if part == self.row["part"] else "There is no such part."

    @tool
    def describe(self, code: str) -> str:
        """Describe the part of a code.

        Args:
            code: The code.
        """
        known = self.row["code"]
        return self.row["part"] if code == known else f"Error: no such code. Did you mean {known}?"

    @reward
    def right(self, completion, code):
        return answer_text(completion).strip() == code

    def solve(self, row):
        found = yield call_message("look_up", part=row["part"])
        yield found[-1]["content"]
