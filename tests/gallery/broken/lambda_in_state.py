"""Apply a named operation to a number."""


class Operations:
    def __init__(self):
        self.operations = {
            "double it": lambda n: 2 * n,
            "square it": lambda n: n * n,
            "subtract seven": lambda n: n - 7,
            "triple it": lambda n: 3 * n,
        }

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Take {n} and {name}. Answer with the number.", "number": n, "operation": name}
            for n in range(8, 38)
            for name in self.operations
        ]

    def score_episode(self, model, tokenizer, completion, number, operation):
        return float(completion.strip() == str(self.operations[operation](number)))

    def solve(self, row):
        return str(self.operations[row["operation"]](row["number"]))
