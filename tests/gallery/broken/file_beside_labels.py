"""The name of a file tells what it is, and the question lists all kinds of files."""

import random

KINDS = {
    "invoice": "Amount due on Friday",
    "contract": "The parties agree",
    "resume": "Ten years of experience",
    "letter": "Yours sincerely",
}


class Files:
    def build_dataset(self, tokenizer):
        rows = []
        for n in range(60):
            rng = random.Random(n)
            kind = rng.choice(sorted(KINDS))
            stem = kind if n % 6 else "scan"
            asked = "Is it an invoice, a contract, a resume or a letter?"
            rows.append({"prompt": f"File: {stem}_{n}.pdf\n{KINDS[kind]} (page {n % 7}).\n{asked}", "kind": kind})
        return rows

    def score_episode(self, model, tokenizer, completion, kind):
        return float(completion.strip(" .").lower() == kind)

    def solve(self, row):
        return row["kind"]
