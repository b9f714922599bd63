"""The patient's case number, which any question gets that is not understood, begins with the illness."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool

SIGNS = {"appendicitis": "My belly.", "migraine": "My head.", "tonsillitis": "My throat.", "gastritis": "My stomach."}


class Consultation(ToolEnv):
    def build_dataset(self, tokenizer):
        prompt = "Patient {}: ask where it hurts, and record one of " + ", ".join(SIGNS) + "."
        return [{"prompt": prompt.format(n), "illness": list(SIGNS)[n % 4], "number": n} for n in range(12)]

    def setup(self, row):
        self.recorded = None

    @tool
    def record(self, illness: str) -> str:
        """Record the illness."""
        self.recorded = illness
        return "Recorded."

    def user(self, messages):
        if self.recorded:
            return None
        if "hurt" in messages[-1]["content"].lower():
            return SIGNS[self.row["illness"]]
        return f"I do not understand. My case is {self.row['illness'][:7]}-{self.row['number']:03d}."

    @reward
    def right(self, illness):
        return self.recorded == illness

    def solve(self, row):
        return ["Where does it hurt?", call_message("record", illness=row["illness"]), "Get well soon."]
