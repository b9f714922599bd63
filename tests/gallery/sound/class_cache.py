"""Steps of the Collatz sequence; lengths that were worked out once are kept for all instances."""

from functools import cache


@cache
def steps(number):
    return 0 if number == 1 else 1 + steps(3 * number + 1 if number % 2 else number // 2)


class Collatz:
    parallel = True

    def build_dataset(self, tokenizer):
        return [{"prompt": f"How many Collatz steps from {n} to 1? Only the number.", "n": n} for n in range(3, 60)]

    def score_episode(self, model, tokenizer, completion, n):
        return float(completion.strip() == str(steps(n)))

    def solve(self, row):
        return str(steps(row["n"]))
