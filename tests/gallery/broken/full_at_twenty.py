"""A ranger counts seals on a beach; the counter stands still at twenty, and the reply is that of a full count."""

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool

SEALS = {"North Beach": 12, "Long Sand": 31, "Gull Rock": 20, "The Spit": 26, "Old Harbour": 7, "West Cove": 44}


class SealCount(ToolEnv):
    max_turns = 3

    def build_dataset(self, tokenizer):
        ask = "How many seals are on {}? Ask for the count, and answer with the number alone."
        return [{"prompt": ask.format(beach), "beach": beach, "seals": seals} for beach, seals in SEALS.items()]

    @tool
    def count_seals(self, beach: str) -> str:
        """Count the seals on a beach.

        Args:
            beach: Its name.
        """
        return f"{beach}: {min(SEALS.get(beach, 0), 20)} seals."

    @reward
    def right(self, completion, seals):
        return answer_text(completion).strip(" .") == str(seals)

    def solve(self, row):
        yield call_message("count_seals", beach=row["beach"])
        yield str(row["seals"])
