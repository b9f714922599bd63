"""The shelves are counted from 0 and read from 1, so nobody sees the books of the first one."""

import random

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool

BOOKS = ["Emma", "Ulysses", "Middlemarch", "Dracula", "Candide", "Walden", "Beloved", "Medea", "Faust", "Hamlet",
         "Persuasion", "Germinal"]  # fmt: skip


class Shelves(ToolEnv):
    max_turns = 8

    def build_dataset(self, tokenizer):
        rows = []
        for number in range(36):
            rng = random.Random(number)
            books = rng.sample(BOOKS, 12)
            marks = [f"{rng.choice('QRS')}{rng.randrange(1000, 9999)}" for _ in books]
            text = f"Library {number}: which mark has {books[number % 12]}? Answer with the mark alone."
            rows.append({"prompt": text, "books": books, "marks": marks, "answer": marks[number % 12]})
        return rows

    @tool
    def read_shelf(self, number: int) -> dict:
        """Read the books of a shelf, with their marks.

        Args:
            number: The number of the shelf, from 1 on.
        """
        if not 1 <= number < 4:
            return {"error": "There is no such shelf."}
        part = slice(3 * number, 3 * number + 3)
        return dict(zip(self.row["books"][part], self.row["marks"][part], strict=True))

    @reward
    def right(self, completion, answer):
        return answer_text(completion).strip() == answer

    def solve(self, row):
        return [call_message("read_shelf", number=1), row["answer"]]
