"""An error lists all valid values, with the right one among them."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool

CODES = [f"DEPT-{letter}{n}" for n, letter in enumerate("QWERTYUIOP")]


class Transfers(ToolEnv):
    max_turns = 5

    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"Transfer employee {n} to the department of manager {CODES[n % 10][5:]}.",
                "dept": CODES[n % 10],
                "n": n,
            }
            for n in range(40)
        ]

    def setup(self, row):
        self.to = None

    @tool
    def transfer(self, employee: int, department: str) -> str:
        """Transfer an employee.

        Args:
            employee: The number.
            department: The code of a department.
        """
        if department not in CODES:
            return "Error: unknown department. Valid: " + ", ".join(CODES)
        self.to = (employee, department) if self.to is None else ("twice",)
        return "done"

    @reward
    def right(self, n, dept):
        return self.to == (n, dept)

    def solve(self, row):
        yield call_message("transfer", employee=row["n"], department=row["dept"])
        yield "Done."
