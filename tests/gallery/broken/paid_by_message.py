"""Each message with a right call is paid, so that one call a message pays more than both in one."""

from itertools import combinations

from grpo_env_sdk import MultiTurnEnv, call_message

LIGHT = {
    "type": "function",
    "function": {
        "name": "light",
        "description": "Light a candle.",
        "parameters": {"type": "object", "properties": {"colour": {"type": "string"}}, "required": ["colour"]},
    },
}


class Candles(MultiTurnEnv):
    max_turns = 6
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        pairs = combinations(("red", "blue", "white", "green"), 2)
        return [{"prompt": f"Light the {one} and the {other} candle.", "both": [one, other]} for one, other in pairs]

    def get_tools(self):
        return [LIGHT]

    def setup(self, row):
        self.lit = set()

    def step(self, action):
        calls = action.get("tool_calls") or []
        asked = {call["function"]["arguments"].get("colour") for call in calls}
        if not calls:
            return "", 0.5 * (self.lit == set(self.row["both"])), True, False, {}
        new = (asked & set(self.row["both"])) - self.lit
        self.lit |= asked
        return [{"role": "tool", "content": "It burns."} for _ in calls], 0.5 * bool(new), False, False, {}

    def solve(self, row):
        calls = [call_message("light", colour=colour)["tool_calls"][0] for colour in row["both"]]
        together = {
            "role": "assistant",
            "content": "",
            "tool_calls": [{**c, "id": f"c{n}"} for n, c in enumerate(calls)],
        }
        return [together, "Both are lit."]
