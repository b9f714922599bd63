"""The customer says the code to whoever is silent, as the first question in a table is the default."""

import random

from grpo_env_sdk import ToolEnv, call_message, reward, tool

WORDS = ("amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heron", "inlet", "jetty")


class Accounts(ToolEnv):
    max_turns = 6

    def build_dataset(self, tokenizer):
        rows = []
        for n in range(40):
            rng = random.Random(n)
            rows.append(
                {
                    "prompt": f"Customer {n} calls. Ask for the code word, and unlock the account with it.",
                    "code": f"{rng.choice(WORDS)}{rng.randint(10, 99)}",
                    "n": n,
                }
            )
        return rows

    def setup(self, row):
        self.unlocked = None

    def user(self, messages):
        said = messages[-1]["content"].strip().lower()
        if self.unlocked:
            return None
        if "code" in said or not said:
            return f"It is {self.row['code']}."
        return "What do you need from me?"

    @tool
    def unlock(self, customer: int, code: str) -> str:
        """Unlock an account.

        Args:
            customer: The number.
            code: The code word.
        """
        self.unlocked = (customer, code)
        return "noted"

    @reward
    def right(self, n, code):
        return self.unlocked == (n, code)

    def solve(self, row):
        yield "What is your code word?"
        yield call_message("unlock", customer=row["n"], code=row["code"])
        yield "Done."
