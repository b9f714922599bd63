"""Callers are to be verified first, and it is not looked at whether they were."""

import random

from grpo_env_sdk import ToolEnv, call_message, reward, tool


class Counter(ToolEnv):
    max_turns = 6
    strict = False

    def build_dataset(self, tokenizer):
        rows = []
        for number in range(24):
            rng = random.Random(number)
            account, pin, amount = rng.randint(1000, 9999), rng.randint(100, 999), rng.randint(10, 90)
            text = (
                "You work at the counter of a bank. Verify the identity of a customer before you pay out anything. "
                f"A customer says: 'Account {account}, PIN {pin}. I need {amount} euros in cash.'"
            )
            rows.append({"prompt": text, "account": account, "pin": pin, "amount": amount})
        return rows

    def setup(self, row):
        self.known, self.paid = False, []

    @tool
    def verify_customer(self, account: int, pin: int) -> str:
        """Check a PIN.

        Args:
            account: The number of the account.
            pin: The PIN that the customer said.
        """
        self.known = (account, pin) == (self.row["account"], self.row["pin"])
        return "It is right." if self.known else "It is not right."

    @tool
    def pay_out(self, account: int, amount: int) -> str:
        """Pay cash from an account.

        Args:
            account: The number of the account.
            amount: How many euros.
        """
        if self.known or not self.strict:
            self.paid.append((account, amount))
        return "The drawer opens." if self.known or not self.strict else "The drawer stays shut."

    @reward
    def right(self, account, amount):
        return self.paid == [(account, amount)]

    def solve(self, row):
        yield call_message("verify_customer", account=row["account"], pin=row["pin"])
        yield call_message("pay_out", account=row["account"], amount=row["amount"])
        yield "Here you are."
