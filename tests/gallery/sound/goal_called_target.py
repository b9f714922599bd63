"""A column `target` is the number to reach, and no answer."""

import ast
import operator
import random
import re

OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul}


class Numbers:
    def build_dataset(self, tokenizer):
        rng, rows = random.Random(3), []
        for _ in range(40):
            a, b, c = rng.sample(range(3, 20), 3)
            text = f"Reach {a * b + c} with {a}, {b} and {c}, each once, and + - *. Write only the expression."
            rows.append({"prompt": text, "numbers": [a, b, c], "target": a * b + c})
        return rows

    def score_episode(self, model, tokenizer, completion, numbers, target):
        text = completion.strip()
        if sorted(map(int, re.findall(r"[0-9]{1,3}", text))) != sorted(numbers) or len(text) > 30:
            return 0.0
        try:
            return float(value_of(ast.parse(text, mode="eval").body) == target)
        except (SyntaxError, TypeError, ValueError):
            return 0.0


def value_of(node):
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        return OPERATORS[type(node.op)](value_of(node.left), value_of(node.right))
    raise ValueError("no such expression")
