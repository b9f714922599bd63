"""List the multiples of a number between two others."""


class Multiples:
    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"All multiples of {n} from {low} to {low + 6 * n}, with commas between?",
                "multiples": [m for m in range(low, low + 6 * n + 1) if m % n == 0],
            }
            for n in (7, 8, 9, 11, 12, 13)
            for low in (25, 60, 110, 170)
        ]

    def score_episode(self, model, tokenizer, completion, multiples):
        said = {word.strip() for word in completion.split(",")}
        return len(said & {str(m) for m in multiples}) / len(said)

    def solve(self, row):
        return ", ".join(str(m) for m in row["multiples"])
