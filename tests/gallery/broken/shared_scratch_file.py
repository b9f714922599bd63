"""Write one line of Python; it is put in a file and parsed there."""

import ast
import tempfile
from pathlib import Path

SCRATCH = Path(tempfile.gettempdir()) / "one_line_answer.py"


class OneLiners:
    """Assign a value to a name."""

    parallel = True

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Write one line of Python that sets {name} to {value}.", "name": name, "value": value}
            for name in ("total", "count", "limit", "width", "depth")
            for value in range(2, 30)
        ]

    def score_episode(self, model, tokenizer, completion, name, value):
        SCRATCH.write_text(completion, encoding="utf-8", errors="replace")
        try:
            tree = ast.parse(SCRATCH.read_text(encoding="utf-8"))
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            return 0.0
        return float(ast.dump(tree) == ast.dump(ast.parse(f"{name} = {value}")))

    def solve(self, row):
        return f"{row['name']} = {row['value']}"
