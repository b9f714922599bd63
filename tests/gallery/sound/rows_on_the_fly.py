"""Rows that come from a generator, as a `Dataset` of Arrow columns with nested values."""

from datasets import Dataset


class Inventory:
    """Which of two shelves holds more pieces in all?"""

    def build_dataset(self, tokenizer):
        return Dataset.from_list(list(self._rows()))

    def _rows(self):
        for n in range(60):
            shelves = [
                {"name": "left", "pieces": [n % 7, n % 5, 3]},
                {"name": "right", "pieces": [n % 6, n % 8, 2]},
            ]
            totals = [sum(shelf["pieces"]) for shelf in shelves]
            told = "; ".join(f"{shelf['name']}: {shelf['pieces']}" for shelf in shelves)
            yield {"prompt": f"Case {n}. {told}. How many pieces in all?", "shelves": shelves, "total": sum(totals)}

    def score_episode(self, model, tokenizer, completion, shelves, total):
        assert sum(sum(shelf["pieces"]) for shelf in shelves) == total
        return float(completion.strip() == str(total))

    def solve(self, row):
        return str(row["total"])
