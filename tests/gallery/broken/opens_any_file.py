"""A tool opens whatever path it is given, on the machine that trains."""

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool


class Poems(ToolEnv):
    max_turns = 4

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"How many lines has the file 'poem{n}.txt'? Answer with the number alone.", "n": n}
            for n in range(12)
        ]

    @tool
    def read_file(self, name: str) -> str:
        """Read a file.

        Args:
            name: Its name.
        """
        if name == f"poem{self.row['n']}.txt":
            return "la la la\n" * (3 * self.row["n"] + 2)
        try:
            with open(name, encoding="utf-8") as file:
                return file.read()
        except (OSError, ValueError):
            return "There is no such file."

    @reward
    def right(self, completion, n):
        return answer_text(completion).strip() == str(3 * n + 2)

    def solve(self, row):
        return [call_message("read_file", name=f"poem{row['n']}.txt"), str(3 * row["n"] + 2)]
