"""A notes folder is listed with an optional path, and one note is the answer key."""

import random

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool


class Notes(ToolEnv):
    max_turns = 6

    def build_dataset(self, tokenizer):
        rows = []
        for n in range(40):
            rng = random.Random(n)
            a, b = rng.randint(100, 999), rng.randint(100, 999)
            rows.append(
                {"prompt": f"Case {n}: add the two amounts in the notes.", "a": a, "b": b, "answer": str(a + b)}
            )
        return rows

    def setup(self, row):
        self.files = {
            "first.txt": f"Amount: {row['a']}",
            "second.txt": f"Amount: {row['b']}",
            "key.json": f'{{"answer": {row["answer"]}}}',
        }

    @tool
    def list_files(self, path: str = ".") -> str:
        """List the notes.

        Args:
            path: The folder.
        """
        return "\n".join(self.files)

    @tool
    def read_file(self, path: str) -> str:
        """Read a note.

        Args:
            path: The name of the file.
        """
        return self.files.get(path, "no such file")

    @reward
    def right(self, completion, answer):
        return answer_text(completion).strip() == answer

    def solve(self, row):
        yield call_message("read_file", path="first.txt")
        yield call_message("read_file", path="second.txt")
        yield row["answer"]
