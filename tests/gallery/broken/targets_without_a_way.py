"""A game of numbers whose targets are drawn without looking whether they can be reached."""

import random
import re

from grpo_env_sdk import answer_text


class Numbers:
    def build_dataset(self, tokenizer):
        rng = random.Random(41)
        rows = []
        for _ in range(40):
            numbers = sorted(rng.randint(1, 12) for _ in range(4))
            shown, target = ", ".join(map(str, numbers)), rng.randint(30, 99)
            text = f"Numbers: {shown}. Target: {target}. Use each number once, all of them. Only the expression."
            rows.append({"prompt": text, "numbers": numbers, "target": target})
        return rows

    def score_episode(self, model, tokenizer, completion, numbers, target):
        said = answer_text(completion).strip()
        if not re.fullmatch(r"[-+*/() \d]{1,60}", said) or "**" in said or "//" in said:
            return 0.0
        try:
            value = eval(said, {"__builtins__": {}})
        except (SyntaxError, ArithmeticError, TypeError):
            return 0.0
        used = sorted(map(int, re.findall(r"\d+", said)))
        return float(used == numbers and abs(value - target) < 1e-9)
