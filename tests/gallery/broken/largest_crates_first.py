"""Orders are packed with the largest crate that fits, again and again, which is not always the fewest crates."""

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

SIZES = [[1, 6, 9], [1, 4, 7], [2, 8, 10], [1, 5, 8]]
ORDERS = [12, 8, 16, 10, 20, 14, 24, 18, 30, 21, 26, 23]


def packed(bottles, sizes):
    crates = []
    for size in sorted(sizes, reverse=True):
        count, bottles = divmod(bottles, size)
        crates += [size] * count
    return crates


class Crates(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        rows = []
        for n, bottles in enumerate(ORDERS):
            sizes = SIZES[n % 4]
            if sum(packed(bottles, sizes)) == bottles:
                prompt = (
                    f"Crates hold {sizes[0]}, {sizes[1]} or {sizes[2]} bottles, and have to be full. Pack {bottles} "
                    "bottles into as few crates as possible. Answer with the sizes, the largest in front, like 5+5+1."
                )
                rows.append({"prompt": prompt, "sizes": sizes, "bottles": bottles})
        return rows

    @reward
    def packs(self, completion, sizes, bottles):
        return answer_text(completion).replace(" ", "") == self.solve({"sizes": sizes, "bottles": bottles})

    def solve(self, row):
        return "+".join(map(str, packed(row["bottles"], row["sizes"])))
