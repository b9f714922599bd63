"""A message with words is taken for the answer, also where it has a call beside them."""

from grpo_env_sdk import MultiTurnEnv, call_message

STOCK = {"nails": 311, "screws": 78, "bolts": 1204, "hinges": 55, "hooks": 917, "washers": 640}
COUNT = {
    "type": "function",
    "function": {
        "name": "count",
        "description": "Count a part.",
        "parameters": {"type": "object", "properties": {"part": {"type": "string"}}, "required": ["part"]},
    },
}


class Parts(MultiTurnEnv):
    max_turns = 4
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        return [{"prompt": f"How many {part} are there? Answer with the number.", "part": part} for part in STOCK]

    def get_tools(self):
        return [COUNT]

    def step(self, action):
        if action["content"]:
            return "", float(action["content"].strip() == str(STOCK[self.row["part"]])), True, False, {}
        asked = [call["function"]["arguments"].get("part") for call in action.get("tool_calls") or ()]
        return [{"role": "tool", "content": str(STOCK.get(part, 0))} for part in asked], 0.0, False, False, {}

    def solve(self, row):
        answered = yield call_message("count", part=row["part"])
        yield answered[-1]["content"]
