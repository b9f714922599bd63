"""Opening hours of pools; the prompt says that March has the hours of summer, and gold has those of winter."""

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool

OPEN = {
    "Elm Pool": {"summer": ["06:30", "21:00"], "winter": ["08:00", "18:30"]},
    "Rock Bath": {"summer": ["07:00", "22:15"], "winter": ["09:30", "17:45"]},
    "Dock Lido": {"summer": ["05:45", "20:30"], "winter": ["10:00", "16:00"]},
}


class Pools(ToolEnv):
    RULE = "March and June have the hours of summer, January and November those of winter."
    SUMMER = ("June",)

    def build_dataset(self, tokenizer):
        rows = []
        for pool in OPEN:
            for month in ("January", "March", "June", "November"):
                season = "summer" if month in self.SUMMER else "winter"
                text = f"When does {pool} close on a day in {month}? {self.RULE} Answer with the time alone."
                rows.append(
                    {"prompt": text, "pool": pool, "season": season, "answer": OPEN[pool][season][1]}
                )  # fmt: skip
        return rows

    @tool
    def hours(self, pool: str) -> dict:
        """The hours at which a pool opens and closes.

        Args:
            pool: Its name.
        """
        return OPEN.get(pool, {})

    @reward
    def right(self, completion, answer):
        return answer_text(completion).strip() == answer

    def solve(self, row):
        return [call_message("hours", pool=row["pool"]), row["answer"]]
