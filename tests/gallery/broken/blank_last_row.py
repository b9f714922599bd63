"""Opposites, from a table as it was copied out of a spreadsheet."""

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

TABLE = """
hot;cold
early;late
heavy;light
cheap;expensive
empty;full
narrow;wide
loud;quiet
rough;smooth
ancient;modern
brave;cowardly
;
"""


class Opposites(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        pairs = [line.split(";") for line in TABLE.strip().splitlines()]
        return [{"prompt": one and f"The opposite of {one}, in one word?", "answer": other} for one, other in pairs]

    @reward
    def right(self, completion, answer):
        return answer_text(completion).lower() == answer

    def solve(self, row):
        return row["answer"]
