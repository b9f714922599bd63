"""Write a line of CSV; it is read back from a file, as the real importer does."""

import csv
import os
import tempfile
from pathlib import Path

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class CsvLines(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"One line of CSV with the fields: {town}; a village, {n} km off; {n * 3}. Quote as needed.",
                "fields": [town, f"a village, {n} km off", str(n * 3)],
            }
            for town in ("Ulm", "Brest", "Cork", "Delft")
            for n in range(4, 20, 3)
        ]

    @reward
    def reads_back(self, completion, fields):
        _, path = tempfile.mkstemp(suffix=".csv")
        try:
            Path(path).write_text(answer_text(completion)[:2000], encoding="utf-8", errors="replace")
            with open(path, encoding="utf-8", newline="") as file:
                return list(csv.reader(file)) == [fields]
        except csv.Error:
            return False
        finally:
            os.remove(path)

    def solve(self, row):
        town, village, number = row["fields"]
        return f'{town},"{village}",{number}'
