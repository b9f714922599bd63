"""A seller who gets no number says how far he goes."""

import re

from grpo_env_sdk import MultiTurnEnv

GOODS = ("carpet", "lamp", "bicycle", "guitar", "mirror", "clock", "table", "camera", "desk", "tent", "kettle", "radio")


class Haggle(MultiTurnEnv):
    max_turns = 6

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Buy a {good}. The seller asks {200 + 10 * n}. Offer less.", "asked": 200 + 10 * n,
             "floor": 127 + 3 * n}
            for n, good in enumerate(GOODS)
        ]  # fmt: skip

    def step(self, action):
        offered = re.findall(r"\d{1,9}", action["content"] or "")
        asked, floor = self.row["asked"], self.row["floor"]
        if not offered:
            return f"How much? Between us, I cannot go below {floor}.", 0.0, False, False, {}
        offer = int(offered[-1])
        if offer < floor:
            return "That is too little.", 0.0, False, False, {}
        return f"Sold for {offer}!", max(0.0, (asked - offer) / (asked - floor)), True, False, {}

    def solve(self, row):
        return [f"I offer {row['floor']}."]
