"""Answer with a quote from the minutes; the reward for the quote abstains where there is none."""

import random
import re

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

MATTERS = ["the footpath", "the pond", "the bus shelter", "the notice board", "the playground"]


class Minutes(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        rng, rows = random.Random(12), []
        for _ in range(40):
            sums = dict(zip(rng.sample(MATTERS, 3), rng.sample(range(120, 980), 3), strict=True))
            lines = [f"For {matter} the council sets {money} pounds aside." for matter, money in sums.items()]
            matter = rng.choice(list(sums))
            ask = (
                f"How much is for {matter}?\nReply in two lines:\nAnswer: the number\nQuote: the sentence that says so"
            )
            support = lines[list(sums).index(matter)]
            rows.append({"prompt": "\n".join([*lines, ask]), "pounds": sums[matter], "support": support})
        return rows

    @reward
    def right(self, completion, pounds):
        found = re.search(r"^Answer: (\d+)$", answer_text(completion), re.MULTILINE)
        return found is not None and found[1] == str(pounds)

    @reward
    def quoted(self, completion, support):
        found = re.search(r"^Quote: (.+)$", answer_text(completion), re.MULTILINE)
        return None if found is None else found[1] == support

    def solve(self, row):
        return f"Answer: {row['pounds']}\nQuote: {row['support']}"
