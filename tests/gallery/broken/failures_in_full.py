"""A tool shows each hidden test that fails, with the value that it expects."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool

HIDDEN = (0, 1, 4, 9, 12)
TASKS = {
    "triple": "3 * n", "square": "n * n", "next_even": "n + 2 - n % 2", "halved": "n // 2", "last_digit": "n % 10",
    "dozens": "n // 12", "odd": "2 * n + 1", "ten_more": "n + 10",
}  # fmt: skip


def run(code, name, n):
    """What the function of some code returns, or None."""
    names = {}
    try:
        exec(code, names)
        return names[name](n)
    except Exception:
        return None


class Functions(ToolEnv):
    max_turns = 20

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Write {name}(n), which returns {body} as words would say it. `write` it, `run_tests`, repair "
                       "it.", "name": name, "code": f"def {name}(n):\n    return {body}\n"}
            for name, body in TASKS.items()
        ]  # fmt: skip

    def setup(self, row):
        self.code = ""

    @tool
    def write(self, code: str) -> str:
        """Replace the code."""
        self.code = code
        return "Written."

    @tool
    def run_tests(self) -> str:
        """Run the hidden tests."""
        failed = [n for n in HIDDEN if self.returns(n) != run(self.row["code"], self.row["name"], n)]
        return self.report(failed[0]) if failed else "All passed."

    def report(self, n):
        expected = run(self.row["code"], self.row["name"], n)
        return f"FAILED {self.row['name']}({n}): expected {expected}, got {self.returns(n)}"

    def returns(self, n):
        return run(self.code, self.row["name"], n)

    @reward
    def all_pass(self, name, code):
        return all(self.returns(n) == run(code, name, n) for n in HIDDEN)

    def solve(self, row):
        return [call_message("write", code=row["code"]), call_message("run_tests"), "Done."]
