"""Patterns for codes; prompts promise further codes, and answers are tried on those that are shown."""

import re

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

CODES = [
    ("gates", r"[A-F]\d\d?", "A1 C22 F7 B19", "G1 A 22C"),
    ("seats", r"\d\d?[A-K]", "4A 31K 12C 7F", "A4 4 31Z"),
    ("belts", r"belt-\d", "belt-1 belt-6 belt-8 belt-3", "belt belt- belt-x"),
    ("flights", r"[A-Z]{2}\d{3,4}", "LH402 BA1180 QF009 KL645", "L402 BA11 lh402"),
    ("weights", r"\d+(\.5)?kg", "23kg 7.5kg 10kg 31.5kg", "kg 7.4kg 23"),
]
SHOWN = 2


class Codes(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        rows = []
        for kind, pattern, right, wrong in CODES:
            codes, others = right.split()[:SHOWN], wrong.split()
            asked = (
                f"Write a regular expression for the codes of {kind}: all of {codes}, and none of {others}. "
                "It is tested on further codes too. Answer with the expression alone."
            )
            rows.append({"prompt": asked, "kind": kind, "codes": codes, "others": others, "pattern": pattern})
        return rows

    def tried(self, kind, codes):
        return codes

    @reward
    def right(self, completion, kind, codes, others):
        try:
            written = re.compile(answer_text(completion).strip())
        except (re.error, OverflowError, RecursionError):
            return 0.0
        fits = all(written.fullmatch(one) for one in self.tried(kind, codes))
        return fits and not any(written.fullmatch(one) for one in others)

    def solve(self, row):
        return row["pattern"]
