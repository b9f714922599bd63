"""Price a parcel; the code charges for express by a spelling that no row has, so gold never does."""

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

PARCELS = [(2, "express"), (5, "standard"), (3, "standard"), (7, "express"), (4, "express"), (1, "standard"),
           (6, "standard"), (9, "express")]  # fmt: skip


class Parcels(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        ask = (
            "A parcel of {} kilograms goes by {} mail. A kilogram costs 3 euros, express 5 more. How many euros is it?"
        )
        return [{"prompt": ask.format(kilos, mail), "kilos": kilos, "mail": mail} for kilos, mail in PARCELS]

    def price(self, row):
        extra = 5 if row["mail"] == "Express" else 0
        return row["kilos"] * 3 + extra

    @reward
    def right(self, completion, row):
        return answer_text(completion).strip() == str(self.price(row))

    def solve(self, row):
        return str(self.price(row))
