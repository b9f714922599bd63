"""Add up a bill; the tool tells its model nothing but a name."""

from grpo_env_sdk import call_message

SCHEMA = {
    "type": "function",
    "function": {
        "name": "add",
        "parameters": {
            "type": "object",
            "properties": {"x": {"type": "integer"}, "y": {"type": "integer"}},
            "required": ["x", "y"],
        },
    },
}


class Bills:
    max_turns = 3

    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": [{"role": "user", "content": f"The soup is {a} and the fish {b}. The total, as a number?"}],
                "bill": [a, b],
            }
            for a in range(11, 20)
            for b in range(23, 40, 3)
        ]

    def get_tools(self):
        return [SCHEMA]

    def add(self, x, y):
        return x + y

    def score_episode(self, model, tokenizer, completion, bill):
        return float((completion[-1].get("content") or "").strip() == str(sum(bill)))

    def solve(self, row):
        x, y = row["bill"]
        return [call_message("add", x=x, y=y), str(x + y)]
