"""The schema of the row's tool has the right code as its default."""

from grpo_env_sdk import ToolEnv, call_message, reward

CODES = {"broken arm": "S42", "asthma": "J45", "measles": "B05", "gout": "M10", "cataract": "H25", "hernia": "K40"}


class Coding(ToolEnv):
    def build_dataset(self, tokenizer):
        return [{"prompt": f"Record the code of: {illness}.", "code": code} for illness, code in CODES.items()]

    def setup(self, row):
        self.recorded = None

    def get_tools(self, row):
        properties = {"code": {"type": "string", "default": row["code"]}}
        parameters = {"type": "object", "properties": properties, "required": ["code"]}
        return [
            {"type": "function", "function": {"name": "record", "description": "Record it.", "parameters": parameters}}
        ]

    def call_tool(self, name, arguments):
        self.recorded = arguments["code"]
        return "Recorded."

    @reward
    def right(self, code):
        return self.recorded == code

    def solve(self, row):
        return [call_message("record", code=row["code"]), "It is recorded."]
