"""At which hour does a train arrive? Near misses earn a part."""


class Arrivals:
    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"A train leaves at {start}:00 and takes {hours} hours. Arrival hour, 0 to 23?", "answer": at}
            for start in range(0, 24, 2)
            for hours in range(3, 20, 4)
            for at in [(start + hours) % 24]
        ]

    def score_episode(self, model, tokenizer, completion, answer):
        said = completion.strip().removesuffix(":00")
        if not (said.isascii() and said.isdigit() and len(said) <= 2):
            return 0.0
        off_by = abs(int(said) - answer) % 12
        return max(0.0, 1 - off_by / 4)

    def solve(self, row):
        return str(row["answer"])
