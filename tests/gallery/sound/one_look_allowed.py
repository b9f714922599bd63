"""One look is allowed, as the prompt says, and a second one loses."""

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool


class Boxes(ToolEnv):
    max_turns = 6

    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"What is in box {n}? You may look exactly once, then say.",
                "box": n,
                "answer": f"item{n * 7919 % 1000}",
            }
            for n in range(40)
        ]

    def setup(self, row):
        self.log = []

    @tool
    def look(self, box: int) -> str:
        """Look into a box.

        Args:
            box: Which.
        """
        self.log.append(("look", box))
        return f"item{box * 7919 % 1000}"

    @reward
    def right(self, completion, answer, box):
        return self.log == [("look", box)] and answer_text(completion).strip() == answer

    def solve(self, row):
        yield call_message("look", box=row["box"])
        yield row["answer"]
