"""Only the first call of a message is carried out, and the others get no result."""

from itertools import combinations

from grpo_env_sdk import MultiTurnEnv, call_message

WATER = {
    "type": "function",
    "function": {
        "name": "water",
        "description": "Water a plant.",
        "parameters": {"type": "object", "properties": {"plant": {"type": "string"}}, "required": ["plant"]},
    },
}


class Plants(MultiTurnEnv):
    max_turns = 5
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        pairs = combinations(("fern", "palm", "rose", "ivy"), 2)
        return [{"prompt": f"Please water the {one} and the {other}.", "both": [one, other]} for one, other in pairs]

    def get_tools(self):
        return [WATER]

    def setup(self, row):
        self.wet = []

    def step(self, action):
        if not action.get("tool_calls"):
            return "", float(sorted(self.wet) == sorted(self.row["both"])), True, False, {}
        self.wet.append(action["tool_calls"][0]["function"]["arguments"].get("plant"))
        return [{"role": "tool", "content": "Watered."}], 0.0, False, False, {}

    def solve(self, row):
        return [*(call_message("water", plant=plant) for plant in row["both"]), "Both are watered."]
