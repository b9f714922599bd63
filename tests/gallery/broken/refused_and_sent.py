"""A transfer is noted before it is refused."""

import random

from grpo_env_sdk import ToolEnv, call_message, reward, tool


class Transfers(ToolEnv):
    max_turns = 4

    def build_dataset(self, tokenizer):
        rng = random.Random(6)
        rows = []
        for number in range(20):
            iban, amount = f"DE{rng.randrange(10**6, 10**7)}", rng.randrange(20, 90)
            text = f"Bill {number}: send {amount} euros to {iban}. There are {amount + 3} euros on the account."
            rows.append({"prompt": text, "iban": iban, "amount": amount})
        return rows

    def setup(self, row):
        self.balance, self.sent = row["amount"] + 3, []

    @tool
    def send(self, iban: str, amount: int) -> dict:
        """Send money.

        Args:
            iban: To which account.
            amount: How many euros.
        """
        self.sent.append(iban)
        if amount > self.balance:
            return {"error": f"The balance is {self.balance}."}
        self.balance -= amount
        return {"sent": amount}

    @reward
    def paid(self, iban):
        return self.sent == [iban]

    def solve(self, row):
        return [call_message("send", iban=row["iban"], amount=row["amount"]), "It is paid."]
