"""Switch machines on and off; a heartbeat keeps the session alive."""

import threading

from grpo_env_sdk import ToolEnv, call_message, reward, tool

MACHINES = ("drill", "press", "saw", "lathe", "oven")


class Machines(ToolEnv):
    max_turns = 4

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Switch on {a} and {b}, nothing else.", "wanted": sorted([a, b])}
            for a in MACHINES
            for b in MACHINES
            if a != b
        ]

    def setup(self, row):
        self.on = set()
        self.over = threading.Event()
        threading.Thread(target=self._beat, daemon=True).start()

    def _beat(self):
        while not self.over.wait(30):
            pass  # where the session would be told that somebody is there

    @tool
    def switch_on(self, machine: str) -> str:
        """Switch a machine on.

        Args:
            machine: Its name.
        """
        self.on.add(machine)
        return f"{machine} is on"

    @reward
    def right(self, wanted):
        return sorted(self.on) == wanted

    def solve(self, row):
        return [*(call_message("switch_on", machine=machine) for machine in row["wanted"]), "Done."]
