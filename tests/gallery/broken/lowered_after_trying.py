"""Codes that are read backwards; a tool lowers the code before it compares, and the scorer does not."""

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool

CODES = ["kx7q", "RT4M", "bn9s", "WZ2K", "hj5c", "PL8D", "vm3g", "QS6F", "yd1t", "CN0B", "fw2p", "GH7X"]


class Backwards(ToolEnv):
    max_turns = 4

    def build_dataset(self, tokenizer):
        asked = "Write the code {} backwards; capitals and small letters differ. Check it, then answer with it alone."
        return [{"prompt": asked.format(code), "wanted": code[::-1]} for code in CODES]

    @tool
    def check_code(self, code: str) -> str:
        """Check whether a code is the one that is asked for."""
        return "It is right." if code == self.row["wanted"].lower() else "It is wrong."

    @reward
    def right(self, completion, wanted):
        return answer_text(completion).strip() == wanted

    def solve(self, row):
        yield call_message("check_code", code=row["wanted"])
        yield row["wanted"]
