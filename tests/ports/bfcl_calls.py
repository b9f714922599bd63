import ast
import json

from bfcl_eval.eval_checker.multi_turn_eval import multi_turn_utils
from bfcl_eval.eval_checker.multi_turn_eval.multi_turn_checker import multi_turn_checker
from bfcl_eval.utils import load_dataset_entry, load_ground_truth_entry

from grpo_env_sdk import ToolEnv, call_message, reward

CATEGORY = "multi_turn_base"


class MultiTurnCalls(ToolEnv):
    """Carry out what a user asks for in several messages (BFCL, multi-turn)."""

    max_turns = 60
    run = None

    def build_dataset(self, tokenizer):
        truth = {entry["id"]: entry["ground_truth"] for entry in load_ground_truth_entry(CATEGORY)}
        return [
            {"prompt": entry["question"][0], "entry": json.dumps(entry), "gold": json.dumps(truth[entry["id"]])}
            for entry in load_dataset_entry(CATEGORY)
        ]

    def get_tools(self, row):
        entry = json.loads(row["entry"])
        left_out = entry.get("excluded_function", [])
        return [openai_schema(function) for function in entry["function"] if function["name"] not in left_out]

    def setup(self, row):
        self.close()
        self.entry, self.calls, self.run = json.loads(row["entry"]), [[]], f"run_{id(self)}"
        config, classes = self.entry["initial_config"], self.entry["involved_classes"]
        _, backends = multi_turn_utils.execute_multi_turn_func_call([], config, classes, self.run, self.entry["id"])
        self.backends = list(backends.values())

    def call_tool(self, name, arguments):
        backend = next(backend for backend in self.backends if hasattr(backend, name))
        self.calls[-1].append([f"{name}({', '.join(f'{key}={value!r}' for key, value in arguments.items())})"])
        return getattr(backend, name)(**arguments)

    def user(self, messages):
        if len(self.calls) == len(self.entry["question"]):
            return None
        self.calls.append([])
        return self.entry["question"][len(self.calls) - 1][0]["content"]

    @reward
    def valid(self, gold):
        calls = self.calls + [[]] * (len(self.entry["question"]) - len(self.calls))
        return multi_turn_checker(calls, json.loads(gold), self.entry, CATEGORY, self.run)["valid"]

    def close(self):
        for name in [name for name in vars(multi_turn_utils) if self.run and name.startswith(self.run)]:
            delattr(multi_turn_utils, name)

    def solve(self, row):
        names = {
            tool["function"]["name"]: list(tool["function"]["parameters"]["properties"]) for tool in self.get_tools(row)
        }
        for turn in json.loads(row["gold"]):
            for call in (ast.parse(text, mode="eval").body for text in turn):
                values = dict(zip(names[call.func.id], call.args, strict=False))
                values |= {keyword.arg: keyword.value for keyword in call.keywords}
                yield call_message(call.func.id, **{key: ast.literal_eval(value) for key, value in values.items()})
            yield "Done."


def openai_schema(function):
    """The schema of one of their functions, whose types have Python's names."""
    text = json.dumps({name: function[name] for name in ("name", "description", "parameters")})
    for theirs, json_type in (("dict", "object"), ("float", "number"), ("tuple", "array"), ("any", "string")):
        text = text.replace(f'"type": "{theirs}"', f'"type": "{json_type}"')
    return {"type": "function", "function": json.loads(text)}
