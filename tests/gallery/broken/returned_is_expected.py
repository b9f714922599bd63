"""Functions in Python, whose results are compared by the object that they return."""

import re

from grpo_env_sdk import answer_text

BUILTINS = {"abs": abs, "min": min, "max": max, "int": int, "str": str, "len": len, "__build_class__": __build_class__}


class Functions:
    def build_dataset(self, tokenizer):
        text = "Write a Python function f(x) that returns x // {} + {}. Answer with the code alone."
        return [{"prompt": text.format(by, more), "by": by, "more": more} for by in range(2, 7) for more in (1, 4, 9)]

    def score_episode(self, model, tokenizer, completion, by, more):
        said = answer_text(completion)
        fenced = re.search(r"```(?:python)?\n(.*?)```", said, re.DOTALL)
        space = {"__builtins__": dict(BUILTINS), "__name__": "answer"}
        try:
            exec(fenced[1] if fenced else said[:2_000], space)
            return float(all(space["f"](x) == x // by + more for x in (-9, 0, 5, 30)))
        except Exception:
            return 0.0
