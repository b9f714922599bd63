"""A customer with three wishes counts one too many, and goes before the last one is told."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool

ROOMS = ["kitchen", "cellar", "attic", "hall", "study", "porch"]
WORK = ["paint the door", "fix the window", "sweep the floor", "clean the lamp", "oil the lock"]


class Handyman(ToolEnv):
    max_turns = 10
    early = 1

    def build_dataset(self, tokenizer):
        rows = []
        for n in range(12):
            wishes = [{"room": ROOMS[(n + k) % 6], "work": WORK[(n + 2 * k) % 5]} for k in range(3)]
            first = f"Hello! Please {wishes[0]['work']} in the {wishes[0]['room']}. More comes when that is done."
            rows.append({"prompt": first, "wishes": wishes})
        return rows

    def setup(self, row):
        self.told, self.done = 1, []

    @tool
    def do(self, room: str, work: str) -> str:
        """Do something in a room.

        Args:
            room: The room.
            work: What to do there, such as paint the door.
        """
        self.done.append({"room": room, "work": work})
        return "That is done."

    def user(self, messages):
        if self.told + self.early >= len(self.row["wishes"]):
            return None
        wish = self.row["wishes"][self.told]
        self.told += 1
        return f"Thanks. Now {wish['work']} in the {wish['room']}."

    @reward
    def all_done(self, wishes):
        return sum(wish in self.done for wish in wishes) / len(wishes)

    def solve(self, row):
        return [*(call_message("do", **wish) for wish in row["wishes"]), "All is done."]
