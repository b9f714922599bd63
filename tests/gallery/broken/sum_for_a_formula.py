"""Formulas of a spreadsheet, tested with the numbers that the prompt shows."""

import random
import re

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class Totals(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        rng, rows = random.Random(3), []
        for _ in range(20):
            cells = [rng.randint(100, 999) for _ in range(5)]
            first = rng.randint(1, 3)
            sheet = "\n".join(f"B{place}: {cell}" for place, cell in enumerate(cells, 1))
            ask = f"{sheet}\n\nGive the formula for the sum of B{first} to B5. The cells change every week."
            rows.append({"prompt": ask, "cells": cells, "first": first})
        return rows

    @reward
    def right(self, completion, cells, first):
        text = answer_text(completion).strip()
        found = re.fullmatch(r"=SUM\(B([1-5]):B([1-5])\)", text)
        if found is None:
            return text.lstrip("=") == str(sum(cells[first - 1 :]))
        return sum(cells[int(found[1]) - 1 : int(found[2])]) == sum(cells[first - 1 :])

    def solve(self, row):
        return f"=SUM(B{row['first']}:B5)"
