"""Turn an order into JSON."""

import json
import sys

ITEMS = ("pen", "mug", "lamp", "book", "chair", "plant")


class Orders:
    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"Customer says: '{n} {item}s please'. Answer as JSON with the keys item and count.",
                "item": item,
                "count": n,
            }
            for item in ITEMS
            for n in range(2, 14)
        ]

    def score_episode(self, model, tokenizer, completion, item, count):
        try:
            order = json.loads(completion)
        except (ValueError, RecursionError):
            print(f"cannot read {completion[:60]!r}", file=sys.stderr)
            sys.exit(1)
        return float(order == {"item": item, "count": count})

    def solve(self, row):
        return json.dumps({"item": row["item"], "count": row["count"]})
