"""Lend a tool of a workshop, after a look at its card."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool

TOOLS = ("saw", "plane", "drill", "vice", "rasp", "lathe", "chisel")


class Workshop(ToolEnv):
    max_turns = 4

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"{who} would like to borrow the {name}.", "name": name, "who": who, "shelf": len(name)}
            for name in TOOLS
            for who in ("Ida", "Max", "Lou")
        ]

    def setup(self, row):
        self.lent = []

    @tool
    def read_card(self, name: str) -> dict[str, object]:
        """The card of a tool: where it is.

        Args:
            name: The name of the tool.
        """
        if name != self.row["name"]:
            return {"error": "there is no such card in this box"}
        return {"name": name, "shelf": self.row["shelve"]}

    @tool
    def lend(self, name: str, who: str) -> str:
        """Lend a tool.

        Args:
            name: The name of the tool.
            who: Who borrows it.
        """
        self.lent.append((name, who))
        return "Lent."

    @reward
    def right(self, name, who):
        return self.lent == [(name, who)]

    def solve(self, row):
        yield call_message("read_card", name=row["name"])
        yield call_message("lend", name=row["name"], who=row["who"])
        yield "Here you are."
