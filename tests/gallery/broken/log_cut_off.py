"""A log is cut after 200 characters, so that on half of the rows nobody can read what is asked for."""

import random

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool

PUMPS = ("north", "south", "east", "west", "upper", "lower", "inner", "outer")


class PumpLogs(ToolEnv):
    max_turns = 4

    def build_dataset(self, tokenizer):
        rows = []
        for n in range(24):
            rng = random.Random(n)
            hours = {pump: str(rng.randint(1000, 9999)) for pump in rng.sample(PUMPS, 8)}
            log = "\n".join(f"The {pump} pump has run for {count} hours by now." for pump, count in hours.items())
            pump = rng.choice(PUMPS)
            rows.append({"prompt": f"Log {n}: how many hours has the {pump} pump run? Answer with the number.",
                         "log": log, "answer": hours[pump]})  # fmt: skip
        return rows

    @tool
    def read_log(self) -> str:
        """Read the log."""
        return self.row["log"][:200]

    @reward
    def right(self, completion, answer):
        return answer_text(completion).strip() == answer

    def solve(self, row):
        yield call_message("read_log")
        yield row["answer"]
