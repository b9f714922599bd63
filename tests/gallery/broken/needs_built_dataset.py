"""Find the desk of a colleague in a directory that is made together with the rows."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool

NAMES = "Ada Ben Cleo Dan Eve Finn Gus Hal Ivy Jo Kai Lou"


class Desks(ToolEnv):
    max_turns = 3

    def build_dataset(self, tokenizer):
        self.directory = {name: f"{chr(65 + n % 4)}{3 * n + 2}" for n, name in enumerate(NAMES.split())}
        return [
            {"prompt": f"Where does {name} sit? Answer with the desk alone.", "name": name, "answer": desk}
            for name, desk in self.directory.items()
        ]

    @tool
    def find_desk(self, name: str) -> str:
        """The desk of a colleague.

        Args:
            name: The first name.
        """
        return self.directory.get(name, "nobody of that name")

    @reward
    def right(self, messages, answer):
        return messages[-1]["content"] == answer

    def solve(self, row):
        answered = yield call_message("find_desk", name=row["name"])
        yield answered[-1]["content"]
