"""Readers of a book club in a row; one who is missing comes before everybody."""

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

READERS = ["Nils", "Olga", "Petra", "Ravi", "Sana", "Tomas"]


class Shifts(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        rows = []
        for n in range(9):
            order = [READERS[(n + step * (1 + 4 * (n % 2))) % 6] for step in range(4)]
            later = [[order[2], order[0]], [order[3], order[1]]]
            told = " and ".join(f"{one} reads after {other}" for one, other in later)
            ask = "Write who reads when, each reader exactly once, one name on each line."
            rows.append({"prompt": f"{', '.join(sorted(order))} read to us; {told}. {ask}", "later": later})
            rows[-1]["order"] = order
        return rows

    @reward
    def kept(self, completion, later, order):
        lines = answer_text(completion).strip().splitlines()
        place = {name.strip(): number for number, name in enumerate(lines, 1)}
        if len(lines) != len(order) or not place.keys() <= set(order):
            return 0.0
        return float(all(place.get(one, 9) > place.get(other, 0) for one, other in later))

    def solve(self, row):
        return "\n".join(row["order"])
