"""Write functions on the stops of a bus; results are compared as a Counter, so that their order is not."""

from collections import Counter

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

LINE = ["Quay", "Mill", "Arch", "Mill", "Park"]
TASKS = [
    ("route(stops)", "return the stops sorted by their names", "sorted(stops)"),
    ("way_back(stops)", "return the stops in the order in which the bus passes them on its way back", "stops[::-1]"),
    ("once(stops)", "return each stop once, keeping the order of the line", "list(dict.fromkeys(stops))"),
    ("by_length(stops)", "return the names from the shortest to the longest", "sorted(stops, key=len)"),
]


class Stops(SingleTurnEnv):
    asked = "Write a Python function {} that shall {}. Answer with the code alone."

    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": self.asked.format(head, task),
                "name": head.partition("(")[0],
                "code": f"def {head}:\n    return {code}\n",
            }
            for head, task, code in TASKS
        ]

    def same(self, result, wanted):
        return Counter(result) == Counter(wanted)

    def result_of(self, code, name):
        scope = {}
        exec(code, scope)
        return scope[name](list(self.line()))

    def line(self):
        return LINE

    @reward
    def right(self, completion, name, code):
        try:
            return self.same(self.result_of(answer_text(completion), name), self.result_of(code, name))
        except Exception:  # whatever an answer raises
            return 0.0

    def solve(self, row):
        return row["code"]
