"""The results of several calls in one message are sorted by name, and get the ids of the calls as they came."""

import json
from itertools import permutations

from grpo_env_sdk import MultiTurnEnv, call_message

PER_EURO = {"yen": 161, "krone": 11, "peso": 18, "rand": 20}
RATE = {
    "type": "function",
    "function": {
        "name": "rate",
        "description": "How many of a currency one euro is.",
        "parameters": {"type": "object", "properties": {"currency": {"type": "string"}}, "required": ["currency"]},
    },
}


class Rates(MultiTurnEnv):
    max_turns = 5
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        pairs = permutations(PER_EURO, 2)
        return [{"prompt": f"How many euros are 100 {a} and 100 {b}? Round down.", "pair": [a, b]} for a, b in pairs]

    def get_tools(self):
        return [RATE]

    def step(self, action):
        calls = action.get("tool_calls") or []
        if not calls:
            return "", float(action["content"] == self.solve(self.row)[-1]), True, False, {}
        names = sorted(str(call["function"]["arguments"].get("currency")) for call in calls)
        results = [json.dumps({"per_euro": PER_EURO.get(name)}) for name in names]
        replies = zip(calls, results, strict=True)
        return (
            [{"role": "tool", "tool_call_id": call.get("id"), "content": text} for call, text in replies],
            0.0,
            False,
            False,
            {},
        )

    def solve(self, row):
        euros = sum(100 // PER_EURO[name] for name in row["pair"])
        return [*(call_message("rate", currency=name) for name in row["pair"]), str(euros)]
