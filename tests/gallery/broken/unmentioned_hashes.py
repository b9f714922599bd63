"""Only the number after #### counts, and no prompt says so."""

import re


class Change:
    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"{n + 2} pens cost {n % 4 + 2} euro each. How much is left of {20 * n + 30} euro?",
                "answer": str(20 * n + 30 - (n + 2) * (n % 4 + 2)),
            }
            for n in range(40)
        ]

    def score_episode(self, model, tokenizer, completion, answer):
        found = re.search(r"####\s*(-?[0-9]{1,9})\s*$", completion)
        return float(found is not None and found[1] == answer)

    def solve(self, row):
        return f"Of the money {row['answer']} euro are left.\n#### {row['answer']}"
