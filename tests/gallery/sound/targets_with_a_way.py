"""A game of numbers whose targets are made of its numbers; nobody wrote down how."""

import random
import re

from grpo_env_sdk import answer_text


class Numbers:
    def build_dataset(self, tokenizer):
        rng = random.Random(14)
        rows = []
        for _ in range(40):
            one, two, three, four = numbers = [rng.randint(2, 12) for _ in range(4)]
            target = rng.choice([one * two + three - four, (one + two) * three + four, one * (two + four) + three])
            shown = ", ".join(map(str, sorted(numbers)))
            text = f"Numbers: {shown}. Target: {target}. Use each number once, all of them. Only the expression."
            rows.append({"prompt": text, "numbers": sorted(numbers), "target": target})
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
