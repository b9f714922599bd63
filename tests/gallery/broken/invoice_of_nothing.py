"""Invoices that are checked by their own arithmetic, and never by the order."""

import json
import random

from grpo_env_sdk import answer_text

PRICES = {"lamp": 24, "rug": 58, "stool": 19, "clock": 27, "vase": 12, "tray": 14}
FORM = '{"lines": [{"item": ..., "quantity": ..., "price": ..., "amount": ...}, ...], "total": ...}'


class Invoices:
    def build_dataset(self, tokenizer):
        rng = random.Random(31)
        rows = []
        for number in range(30):
            items = rng.sample(sorted(PRICES), rng.randint(2, 4))
            order = "\n".join(f"- {rng.randint(1, 9)} {item} at {PRICES[item]} each" for item in items)
            rows.append(
                {"prompt": f"Order {number}\n{order}\n\nWrite one JSON object, nothing else: {FORM}", "items": items}
            )
        return rows

    def score_episode(self, model, tokenizer, completion, items):
        try:
            invoice = json.loads(answer_text(completion))
            lines = invoice["lines"]
            named = [line["item"] for line in lines] == items
            adds_up = all(line["quantity"] * line["price"] == line["amount"] for line in lines)
            return float(named and adds_up and invoice["total"] == sum(line["amount"] for line in lines))
        except (ValueError, KeyError, TypeError):
            return 0.0
