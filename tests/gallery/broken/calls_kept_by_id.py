"""The scorer keeps the calls of a message by their ids, which some servers give twice."""

TOOL = {
    "type": "function",
    "function": {
        "name": "add",
        "description": "Put an article into the basket.",
        "parameters": {
            "type": "object",
            "properties": {"article": {"type": "string"}, "count": {"type": "integer"}},
            "required": ["article", "count"],
        },
    },
}
ARTICLES = ("milk", "bread", "rice", "eggs", "tea", "salt")


class Basket:
    def build_dataset(self, tokenizer):
        pairs = [(a, b, n) for a in ARTICLES for b in ARTICLES if a < b for n in (1, 3)]
        return [
            {"prompt": [{"role": "user", "content": f"Add {n} {a} and {n + 1} {b}."}], "wanted": {a: n, b: n + 1}}
            for a, b, n in pairs
        ]

    def get_tools(self):
        return [TOOL]

    def score_episode(self, model, tokenizer, completion, wanted):
        calls = {call["id"]: call["function"] for turn in completion for call in turn.get("tool_calls") or ()}
        given = [call["arguments"] for call in calls.values() if isinstance(call["arguments"], dict)]
        return float({one.get("article"): one.get("count") for one in given} == {k: v for k, v in wanted.items() if v})

    def solve(self, row):
        calls = [
            {"id": f"call_{k}", "function": {"name": "add", "arguments": {"article": article, "count": count}}}
            for k, (article, count) in enumerate((key, value) for key, value in row["wanted"].items() if value)
        ]
        return [{"role": "assistant", "content": "", "tool_calls": calls}]
