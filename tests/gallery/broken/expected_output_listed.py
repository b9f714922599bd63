"""Sum the numbers of a file; the expected output is a file beside it."""

import random

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool


class Files(ToolEnv):
    max_turns = 6

    def build_dataset(self, tokenizer):
        rows = []
        for n in range(40):
            r = random.Random(n)
            vals = [r.randint(10, 99) for _ in range(5)]
            rows.append(
                {"prompt": "Sum the numbers in data.txt. Answer with the sum.", "vals": vals, "answer": str(sum(vals))}
            )
        return rows

    def setup(self, row):
        self.files = {
            "data.txt": " ".join(map(str, row["vals"])),
            "readme.md": "Numbers.",
            ".expected/output.txt": row["answer"],
        }

    @tool
    def list_files(self) -> list[str]:
        """List all files."""
        return list(self.files)

    @tool
    def read_file(self, path: str) -> str:
        """Read a file.

        Args:
            path: Its path, such as data.txt.
        """
        return self.files.get(path, "No such file.")

    @reward
    def right(self, completion, answer):
        return answer_text(completion).strip() == answer

    def solve(self, row):
        yield call_message("list_files")
        yield call_message("read_file", path="data.txt")
        yield row["answer"]
