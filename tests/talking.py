"""A shop whose customer answers: by a method, or by a model."""

from grpo_env_sdk import ModelUser, ToolEnv, call_message, reward, tool

RULES = {"role": "system", "content": "Sell drinks. The secret word is heron."}
HELLO = {"role": "user", "content": "Hello."}
DRINKS = ("tea", "coffee", "milk", "juice")
PROMPT = "You want {wish}. Say ###STOP### when you have it."


class Shop(ToolEnv):
    """The customer names a drink when asked, and leaves once something was sold."""

    max_turns = 6

    def build_dataset(self, tokenizer):
        return [{"prompt": [RULES, HELLO], "wish": wish} for wish in DRINKS]

    def setup(self, row):
        self.sold = []

    @tool
    def sell(self, drink: str) -> str:
        """Sell a drink."""
        self.sold.append(drink)
        return "Sold."

    def user(self, messages):
        return None if self.sold else f"{self.row['wish'].capitalize()}, please."

    @reward
    def right(self, wish):
        return self.sold == [wish]

    def solve(self, row):
        return ["What would you like?", call_message("sell", drink=row["wish"]), "Here you are."]


class AsyncShop(Shop):
    """The same, asked asynchronously."""

    async def user(self, messages):
        return Shop.user(self, messages)


class QuietShop(Shop):
    """The prompt has only the rules, so the customer speaks first."""

    def build_dataset(self, tokenizer):
        return [{"prompt": [RULES], "wish": wish} for wish in DRINKS]

    def solve(self, row):
        return super().solve(row)[1:]


class ModelShop(Shop):
    """A model speaks for the customer; the command names it."""

    user = ModelUser(prompt=PROMPT)


class QuietModelShop(QuietShop):
    """A model speaks first."""

    user = ModelUser(prompt=PROMPT)
