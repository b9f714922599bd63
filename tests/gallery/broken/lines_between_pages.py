"""A ship's log, four entries on a page; leaves are five apart, so that each fifth is on none."""

import random

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool

PORTS = ["Brest", "Cadiz", "Hull", "Lagos", "Porto", "Rouen", "Turku", "Varna"]


class ShipsLog(ToolEnv):
    max_turns = 10

    def build_dataset(self, tokenizer):
        rows = []
        for ship in range(30):
            rng = random.Random(ship)
            log = [f"Day {10 * ship + day}: {rng.choice(PORTS)}" for day in range(rng.randint(12, 24))]
            port = rng.choice(log).split(": ")[1]
            prompt = f"How often was ship {ship} in {port}? Read its log from leaf 1 on; answer with the number alone."
            rows.append({"prompt": prompt, "log": log, "times": sum(entry.endswith(port) for entry in log)})
        return rows

    @tool
    def read_leaf(self, leaf: int) -> list[str]:
        """Read a leaf of the log.

        Args:
            leaf: Its number, from 1.
        """
        return self.row["log"][(leaf - 1) * 5 : (leaf - 1) * 5 + 4] if leaf > 0 else []

    @reward
    def right(self, completion, times):
        return answer_text(completion).strip() == str(times)

    def solve(self, row):
        return [
            *(call_message("read_leaf", leaf=leaf) for leaf in range(1, len(row["log"]) // 5 + 2)),
            str(row["times"]),
        ]
