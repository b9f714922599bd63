"""Tables of sales, of which the branch with the most is asked for; where several have it, only the first is right."""

import random

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

BRANCHES = ["Aalborg", "Bruges", "Cadiz", "Dresden", "Evora", "Faro"]


class Branches(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        rng, rows = random.Random(9), []
        for _ in range(60):
            sold = {branch: [rng.randrange(4, 15) for _ in range(3)] for branch in rng.sample(BRANCHES, 5)}
            month = rng.randrange(3)
            lines = [f"| {branch} | {' | '.join(map(str, numbers))} |" for branch, numbers in sold.items()]
            table = "\n".join(["| branch | May | June | July |", "|---|---|---|---|", *lines])
            asked = f"Which branch sold the most in {('May', 'June', 'July')[month]}? Answer with its name alone."
            best = max(sold, key=lambda branch: sold[branch][month])
            rows.append({"prompt": f"{table}\n\n{asked}", "best": best})
        return rows

    @reward
    def right(self, completion, best):
        return answer_text(completion).strip().rstrip(".") == best

    def solve(self, row):
        return row["best"]
